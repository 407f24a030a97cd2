#include "tessera/pipeline/explain/cures.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/explain/refusal_text.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::explain::SlotId;
using sharding::explain::Verdict;

constexpr size_t kMostCures = 3;

// Tensors and results by name.
using Specs = std::map<std::string, Tensor>;

Specs SpecsOf(const Sharded& sharded) {
  Specs specs;
  for (Tensor& tensor : ListTensors(sharded)) {
    std::string name = tensor.name;
    specs.emplace(std::move(name), std::move(tensor));
  }
  for (Tensor& tensor : ListResults(sharded)) {
    std::string name = absl::StrCat("/", tensor.name);
    specs.emplace(std::move(name), std::move(tensor));
  }
  return specs;
}

class Trial {
 public:
  Trial(const Explained& e, SlotId slot, const Verdict& verdict)
      : e_(e), verdict_(verdict), target_(NameOf(slot)), before_(SpecsOf(*e.sharded)) {}

  // None if the axis does not come.
  std::optional<Cure> Try(const CureCandidate& candidate) const {
    ShardOptions options = e_.options;
    options.stage = Stage::kPass;  // the module has been cleaned
    options.edits = candidate.edits;
    const auto run = Propagate(e_.sharded->module, options);
    if (!run.ok() || !Finalize(options, run->get()).ok()) return std::nullopt;
    const Specs after = SpecsOf(**run);
    const auto target = after.find(target_);
    if (target == after.end() || !HasAxis(target->second)) return std::nullopt;
    return Cure{candidate, CountChanged(after)};
  }

 private:
  std::string NameOf(SlotId slot) const {
    if (e_.log->IsOutput(slot)) {
      const size_t results = e_.log->program().outputs().size();
      return results == 1 ? "/result" : absl::StrCat("/result{", e_.log->OutputOf(slot), "}");
    }
    const sharding::explain::ValueName& name = e_.names->Of(slot);
    if (name.instruction == hlo::kNoId) return "";
    return absl::StrCat(e_.sharded->module.instruction(name.instruction).name,
                        name.num_leaves == 1 ? "" : absl::StrCat("{", name.leaf, "}"));
  }

  bool HasAxis(const Tensor& tensor) const {
    if (tensor.sharding == nullptr || tensor.mesh == nullptr) return false;
    const std::optional<int> axis = tensor.mesh->FindAxis(verdict_.axis.name);
    if (!axis.has_value()) return false;
    const AxisRef asked = verdict_.axis.size == 0
                              ? AxisRef::Full(*axis)
                              : AxisRef::Sub(*axis, verdict_.axis.pre, verdict_.axis.size);
    return SetDifference({asked}, tensor.sharding->dim(verdict_.dim).axes, *tensor.mesh).empty();
  }

  int CountChanged(const Specs& after) const {
    int changed = 0;
    for (const auto& [name, tensor] : before_) {
      const auto now = after.find(name);
      if (name != target_ && now != after.end()) changed += now->second.spec != tensor.spec;
    }
    return changed;
  }

  const Explained& e_;
  const Verdict& verdict_;
  const std::string target_;
  const Specs before_;
};

}  // namespace

Cures FindCures(const Explained& explained, const Labels& labels, SlotId slot,
                const Verdict& verdict) {
  Cures cures;
  const std::vector<CureCandidate> candidates = CandidatesFor(explained, labels, slot, verdict);
  if (candidates.empty()) return cures;
  const Trial trial(explained, slot, verdict);
  for (const CureCandidate& candidate : candidates) {
    std::optional<Cure> cure = trial.Try(candidate);
    if (cure.has_value()) {
      cures.found.push_back(*std::move(cure));
    } else {
      cures.not_enough.push_back(absl::StrJoin(candidate.texts, " and "));
    }
  }
  absl::c_stable_sort(cures.found, [](const Cure& a, const Cure& b) {
    const size_t edits_a = a.candidate.edits.size();
    const size_t edits_b = b.candidate.edits.size();
    return edits_a != edits_b ? edits_a < edits_b : a.tensors_changed < b.tensors_changed;
  });
  if (cures.found.size() > kMostCures) cures.found.resize(kMostCures);
  return cures;
}

std::string CuresText(const Verdict& verdict, const Cures& cures) {
  if (cures.found.empty() && cures.not_enough.empty()) return "";
  std::string text;
  if (!cures.found.empty()) {
    absl::StrAppend(&text, "To get ", AskedAxisText(verdict.axis), " on dim ", verdict.dim,
                    " (each tried):\n");
  }
  int number = 0;
  for (const Cure& cure : cures.found) {
    const std::string edits = absl::StrJoin(cure.candidate.texts, " and ");
    absl::StrAppend(&text, "  ", ++number, ". ", edits, "   ", cure.candidate.edits.size(),
                    cure.candidate.edits.size() == 1 ? " annotation; " : " annotations; ",
                    cure.tensors_changed, " other ",
                    cure.tensors_changed == 1 ? "tensor changes\n" : "tensors change\n");
  }
  for (const std::string& tried : cures.not_enough) {
    absl::StrAppend(&text, "  not enough: ", tried, "\n");
  }
  return text;
}

}  // namespace tessera::pipeline
