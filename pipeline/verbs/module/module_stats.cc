#include "tessera/pipeline/verbs/module/module_stats.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/verbs/module/kernel_list.h"
#include "tessera/projection/cost/compute/totals.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/no_rule.h"
#include "tessera/sharding/rules/rule_registry.h"

namespace tessera::pipeline {
namespace {

using hlo::AttributeName;
using hlo::Opcode;
using NamedCounts = google::protobuf::RepeatedPtrField<answers::NamedCount>;

class Counter {
 public:
  void Count(absl::string_view name) { ++counts_[std::string(name)]; }
  // Most frequent first, equal ones by name.
  void Fill(NamedCounts* sorted) const {
    std::vector<std::pair<std::string, int64_t>> counts(counts_.begin(), counts_.end());
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [name, count] : counts) {
      answers::NamedCount* one = sorted->Add();
      one->set_name(name);
      one->set_count(count);
    }
  }

 private:
  std::map<std::string, int64_t> counts_;
};

// The generation of a sharding, by a look at its text.
absl::string_view ShardingKind(absl::string_view text) {
  if (absl::StartsWith(text, "{{")) return "tuple";
  if (absl::StrContains(text, "mesh[")) return "v3";
  if (absl::StrContains(text, "<=")) return "v2";
  if (absl::StrContains(text, "devices=")) return "v1";
  for (absl::string_view word : {"replicated", "maximal", "manual", "unknown", "unreduced"}) {
    if (absl::StrContains(text, word)) return word;
  }
  return "other";
}

// An instruction without a rule is named by its opcode, a custom call by its target too.
std::string RuleName(const hlo::Module& module, hlo::InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode != Opcode::kCustomCall) return std::string(hlo::OpcodeName(opcode));
  return absl::StrCat("custom-call ", hlo::GetCustomCallTarget(module, id));
}

int64_t BytesOf(const layout::Shape& shape) {
  const auto sizes = layout::SizesOf(shape);
  return sizes.ok() ? sizes->data_bytes : 0;
}

class Collector {
 public:
  explicit Collector(const hlo::Module& module) : module_(module), book_(&table_, {}) {}

  void Instruction(hlo::InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    ++instructions_;
    opcodes_.Count(hlo::OpcodeName(opcode));
    if (opcode == Opcode::kCustomCall) targets_.Count(hlo::GetCustomCallTarget(module_, id));
    if (const auto text = module_.FindAttribute(id, AttributeName::kSharding); text.has_value()) {
      shardings_.Count(ShardingKind(*text));
    }
    for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(module_, id)) {
      if (entry.key == sharding::kShardingAttribute) shardings_.Count(entry.key);
    }
    if (!HasRule(id)) without_rule_.Count(RuleName(module_, id));
  }

  void Fill(answers::StatsAnswer* stats) const {
    stats->set_instructions(instructions_);
    opcodes_.Fill(stats->mutable_opcodes());
    targets_.Fill(stats->mutable_custom_call_targets());
    shardings_.Fill(stats->mutable_shardings());
    without_rule_.Fill(stats->mutable_without_rule());
  }

 private:
  bool HasRule(hlo::InstructionId id) {
    const auto why = sharding::rules::WhyNoRule(module_.instruction(id).opcode);
    if (why != sharding::rules::NoRule::kStopsPropagation) return true;
    const std::string target = hlo::GetCustomCallTarget(module_, id);
    if (sharding::rules::IsTakenOut(sharding::rules::WhyNoRuleOf(target))) return true;
    const sharding::rules::HloOpView view(module_, id);
    const auto rule = book_.RuleOf(view.get());
    return rule.ok() && *rule != sharding::factors::kNoRule;
  }

  const hlo::Module& module_;
  sharding::factors::RuleTable table_;
  sharding::rules::RuleRegistry book_;
  int64_t instructions_ = 0;
  Counter opcodes_, targets_, shardings_, without_rule_;
};

void FillBytes(const hlo::Module& module, answers::StatsAnswer* stats) {
  const hlo::Computation& entry = module.entry();
  int64_t arguments = 0;
  for (hlo::InstructionId p : entry.parameters) arguments += BytesOf(module.shape(p));
  stats->set_argument_bytes(arguments);
  stats->set_result_bytes(BytesOf(module.shape(entry.root)));
}

void FillTotals(const hlo::Module& module, answers::StatsAnswer* stats) {
  const auto totals = projection::TotalsOf(module, module.entry_id());
  if (!totals.ok()) return;
  stats->set_flops(totals->flops);
  stats->set_transcendentals(totals->transcendentals);
  stats->set_bytes_accessed(totals->bytes);
  *stats->mutable_unknown_trips() = {totals->unknown_trips.begin(), totals->unknown_trips.end()};
}

}  // namespace

answers::StatsAnswer StatsOf(const hlo::Module& module) {
  answers::StatsAnswer stats;
  stats.set_module(std::string(module.header().name));
  stats.set_num_partitions(module.header().num_partitions);
  stats.set_replica_count(module.header().replica_count);
  Collector collector(module);
  int64_t computations = 0;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    ++computations;
    for (hlo::InstructionId id : module.computation(c).instructions) collector.Instruction(id);
  }
  stats.set_computations(computations);
  collector.Fill(&stats);
  for (const auto& [key, value] : module.header().frontend_attributes) {
    if (key == sharding::kMeshesAttribute) stats.set_meshes(value);
  }
  FillBytes(module, &stats);
  FillTotals(module, &stats);
  FillKernels(module, &stats);
  return stats;
}

}  // namespace tessera::pipeline
