#include "tessera/pipeline/verbs/module/module_stats.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/sizes.h"
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

class Counter {
 public:
  void Count(absl::string_view name) { ++counts_[std::string(name)]; }
  NamedCounts Sorted() const {
    NamedCounts out(counts_.begin(), counts_.end());
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return out;
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

// What has no rule is named by its opcode, a custom call by its target too.
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

  void Fill(ModuleStats* stats) const {
    stats->instructions = instructions_;
    stats->opcodes = opcodes_.Sorted();
    stats->custom_call_targets = targets_.Sorted();
    stats->shardings = shardings_.Sorted();
    stats->without_rule = without_rule_.Sorted();
  }

 private:
  bool HasRule(hlo::InstructionId id) {
    if (hlo::GetCustomCallTarget(module_, id) == "xla.sdy.FuncResultSharding") return true;
    const auto why = sharding::rules::WhyNoRule(module_.instruction(id).opcode);
    if (why != sharding::rules::NoRule::kStopsPropagation) return true;
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

}  // namespace

ModuleStats StatsOf(const hlo::Module& module) {
  ModuleStats stats;
  stats.module = std::string(module.header().name);
  stats.num_partitions = module.header().num_partitions;
  stats.replica_count = module.header().replica_count;
  Collector collector(module);
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    ++stats.computations;
    for (hlo::InstructionId id : module.computation(c).instructions) collector.Instruction(id);
  }
  collector.Fill(&stats);
  for (const auto& [key, value] : module.header().frontend_attributes) {
    if (key == sharding::kMeshesAttribute) stats.meshes = value;
  }
  const hlo::Computation& entry = module.entry();
  for (hlo::InstructionId p : entry.parameters) stats.argument_bytes += BytesOf(module.shape(p));
  stats.result_bytes = BytesOf(module.shape(entry.root));
  if (const auto totals = projection::TotalsOf(module, module.entry_id()); totals.ok()) {
    stats.flops = totals->flops;
    stats.transcendentals = totals->transcendentals;
    stats.bytes_accessed = totals->bytes;
    stats.unknown_trips = totals->unknown_trips;
  }
  return stats;
}

}  // namespace tessera::pipeline
