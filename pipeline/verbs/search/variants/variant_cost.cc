#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/step/opaque_calls.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/target/target.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// The mistake without its place, which is one in a text that the user has never seen.
absl::Status ReasonOf(const absl::Status& status) {
  constexpr absl::string_view kMark = ": error: ";
  absl::string_view line = status.message().substr(0, status.message().find('\n'));
  const size_t mark = line.find(kMark);
  if (mark != absl::string_view::npos) line.remove_prefix(mark + kMark.size());
  return absl::Status(status.code(), line);
}

absl::StatusOr<cost::Machine> MachineFor(const PartitionerInput& input,
                                         const std::string& topology) {
  return cost::ReadMachine(topology, input.mesh, input.module.header().num_partitions);
}

absl::StatusOr<cost::StepCost> CostOf(const PartitionerInput& input, const std::string& topology,
                                      const std::optional<TargetChoice>& target,
                                      const cost::CallCosts& calls, target::FusionMemory* fusions) {
  if (target.has_value()) return CostOnTarget(input, *target, calls, fusions);
  if (topology.empty()) return cost::CostOfStep(input.module, nullptr, input.behaviors);
  TESSERA_ASSIGN_OR_RETURN(const cost::Machine machine, MachineFor(input, topology));
  return cost::CostOfStep(input.module, &machine, input.behaviors);
}

// The first variant of each key, and those without one.
std::vector<size_t> FirstsOf(const std::vector<std::optional<VariantKey>>& keys) {
  absl::flat_hash_set<VariantKey> seen;
  std::vector<size_t> firsts;
  for (size_t k = 0; k < keys.size(); ++k) {
    if (!keys[k].has_value() || seen.insert(*keys[k]).second) firsts.push_back(k);
  }
  return firsts;
}

}  // namespace

absl::StatusOr<VariantCosts> VariantCosts::Create(hlo::Module module, ShardOptions options,
                                                  std::string topology,
                                                  std::optional<TargetChoice> target,
                                                  cost::CallCosts calls) {
  if (options.stage != Stage::kPass) {
    auto cleaned = passes::CleanUp(module);
    if (!cleaned.ok()) return LocatedInInput(cleaned.status(), module, std::nullopt);
    if (cleaned->has_value()) {
      RememberInput(hlo::UnreadModule(module), &**cleaned);
      module = **std::move(cleaned);
    }
    options.stage = Stage::kPass;
  }
  VariantCosts costs(std::move(module), std::move(options), std::move(topology));
  costs.target_ = std::move(target);
  costs.calls_ = std::move(calls);
  hlo::Module probe = *costs.module_;
  TESSERA_ASSIGN_OR_RETURN(costs.opaque_, cost::LetCallsDecide(&probe));
  return costs;
}

ShardOptions VariantCosts::OptionsOf(const Variant& variant) const {
  ShardOptions options = options_;
  options.mesh = variant.mesh;
  options.annotations = variant.annotations;
  options.edits = keys_->TiesOf(variant);
  options.rule_books = &known_->rule_books;
  return options;
}

absl::StatusOr<hlo::Module> VariantCosts::Sharded(const Variant& variant) const {
  ShardOptions options = OptionsOf(variant);
  options.format = Format::kV2;
  auto sharded = ShardModule(*module_, options);
  if (!sharded.ok()) return ReasonOf(sharded.status());
  return hlo::ParseModule(text::Source::FromBuffer("<variant>", std::move(sharded->text)));
}

absl::StatusOr<PartitionerInput> VariantCosts::InputOf(const Variant& variant) const {
  return PropagatedInput(*module_, OptionsOf(variant));
}

absl::Status VariantCosts::CheckMachine(const Variant& variant) const {
  if (topology_.empty()) return absl::OkStatus();
  const auto input = InputOf(variant);
  return input.ok() ? MachineFor(*input, topology_).status() : absl::OkStatus();
}

absl::Status VariantCosts::CheckDevices(const Variant& variant) const {
  if (!target_.has_value() || !variant.mesh.has_value()) return absl::OkStatus();
  return target::CheckNumDevices(target_->target, variant.mesh->num_devices(), "the mesh has");
}

absl::StatusOr<cost::StepCost> VariantCosts::Of(const Variant& variant) const {
  TESSERA_RETURN_IF_ERROR(CheckDevices(variant));
  const auto input = InputOf(variant);
  if (!input.ok()) return ReasonOf(input.status());
  auto cost = CostOf(*input, topology_, target_, calls_, &known_->fusions);
  if (!cost.ok()) return ReasonOf(cost.status());
  return cost;
}

int VariantCosts::threads() const { return cost::NumThreads(options_.jobs); }

cost::Outcomes VariantCosts::OfAll(size_t count, const std::function<Variant(size_t)>& variant,
                                   const std::function<void()>& done) const {
  cost::Outcomes outcomes(count, absl::UnknownError("not tried"));
  std::vector<std::optional<VariantKey>> keys(count);
  cost::ForEachIndex(count, threads(), [&](size_t k) { keys[k] = keys_->Of(variant(k)); });
  const std::vector<size_t> first = FirstsOf(keys);
  // Where the first one of a key is refused, each says why for itself.
  const auto take = [&](size_t k) {
    const std::lock_guard<std::mutex> lock(known_->mutex);
    const auto known = keys[k].has_value() ? known_->costs.find(*keys[k]) : known_->costs.end();
    if (known == known_->costs.end()) return false;
    outcomes[k] = known->second;
    return true;
  };
  const auto find = [&](size_t k) {
    if (!take(k)) {
      outcomes[k] = Of(variant(k));
      if (outcomes[k].ok() && keys[k].has_value()) {
        const std::lock_guard<std::mutex> lock(known_->mutex);
        known_->costs.emplace(*keys[k], *outcomes[k]);
      }
    }
    done();
  };
  cost::ForEachIndex(first.size(), threads(), [&](size_t f) { find(first[f]); });
  std::vector<bool> is_first(count, false);
  for (const size_t k : first) is_first[k] = true;
  cost::ForEachIndex(count, threads(), [&](size_t k) {
    if (!is_first[k]) find(k);
  });
  return outcomes;
}

std::optional<std::string> VariantCosts::KeyOf(const Variant& variant) const {
  const std::optional<VariantKey> key = keys_->Of(variant);
  if (!key.has_value()) return std::nullopt;
  return KeyText(*key);
}

std::string VariantCosts::Notes() const {
  const auto encoding = options_.import == sharding::passes::Encoding::kAuto
                            ? sharding::passes::FindEncoding(*module_)
                            : options_.import;
  return absl::StrCat(NoteOnDroppedShardings(*module_, encoding), NoteOnOpaqueCalls(opaque_),
                      NoteOnKernelCosts(*module_, calls_));
}

}  // namespace tessera::pipeline
