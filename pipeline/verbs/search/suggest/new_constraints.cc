#include "tessera/pipeline/verbs/search/suggest/new_constraints.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Whose values the collectives move, and what asked for that.
std::vector<InstructionId> AroundCollectives(const PartitionerInput& input) {
  std::vector<InstructionId> ids;
  const auto lines = ListCollectives(input);
  if (!lines.ok()) return ids;
  for (const CollectiveLine& line : *lines) {
    if (line.given) continue;
    for (const InstructionId id : {line.made.producer, line.made.cause}) {
      if (id != hlo::kNoId) ids.push_back(input.sources[id]);
    }
  }
  return ids;
}

std::vector<InstructionId> AtPeak(const PartitionerInput& input) {
  std::vector<InstructionId> ids;
  const auto device = MakeDeviceModule(input, sharding::partition::OptionsOfCosts());
  if (!device.ok()) return ids;
  const auto memory = cost::MemoryOf(*device);
  if (!memory.ok()) return ids;
  for (const cost::DeviceBuffer& buffer : memory->at_peak) {
    if (buffer.source != hlo::kNoId) ids.push_back(input.sources[buffer.source]);
  }
  return ids;
}

class Maker {
 public:
  Maker(const hlo::Module& module, const hlo::Module& read, const ComputationSet& in_shard_map)
      : module_(module), read_(read), in_shard_map_(in_shard_map), locations_(module) {
    for (InstructionId id = 0; id < read.num_instructions(); ++id) {
      by_name_.emplace(read.instruction(id).name, id);
    }
    const InstructionId root = module.entry().root;
    results_.insert(root);
    if (module.instruction(root).opcode != Opcode::kTuple) return;
    for (const InstructionId result : module.operands(root)) results_.insert(result);
  }

  // Groups of the first `most` of these that look different.
  void AddGroupsOf(const std::vector<InstructionId>& ids, size_t most,
                   std::vector<SearchGroup>* groups) {
    for (const InstructionId id : ids) {
      if (most == 0) return;
      if (id == hlo::kNoId || known_.contains(id) || !MayBeConstrained(id)) continue;
      std::optional<SearchGroup> group = GroupOf(id);
      if (!group.has_value()) continue;
      groups->push_back(*std::move(group));
      --most;
    }
  }

 private:
  bool MayBeConstrained(InstructionId id) const {
    constexpr Opcode kOthers[] = {Opcode::kParameter, Opcode::kConstant, Opcode::kCustomCall,
                                  Opcode::kCall,      Opcode::kWhile,    Opcode::kConditional};
    const hlo::Instruction& instruction = module_.instruction(id);
    return module_.shape(id).is_array() && module_.shape(id).rank() > 0 &&
           !absl::c_linear_search(kOthers, instruction.opcode) && !results_.contains(id) &&
           !in_shard_map_.contains(instruction.computation) && IsRead(id);
  }

  bool IsRead(InstructionId id) const {
    const auto found = by_name_.find(module_.instruction(id).name);
    if (found == by_name_.end()) return false;
    const layout::Shape& shape = read_.shape(found->second);
    return read_.instruction(found->second).opcode == module_.instruction(id).opcode &&
           shape.is_array() && shape.dims() == module_.shape(id).dims();
  }

  std::optional<SearchGroup> GroupOf(InstructionId like) {
    SearchGroup group;
    group.is_constraint = true;
    group.lines = locations_.LinesTo(like);
    if (group.lines.empty()) return std::nullopt;
    group.made_by = OperationOf(like);
    const std::vector<InstructionId> ids = LikeThis(like, group.lines);
    known_.insert(ids.begin(), ids.end());
    std::optional<std::string> pattern = PatternOfThese(module_, ids);
    if (!pattern.has_value()) return std::nullopt;
    group.pattern = *std::move(pattern);
    for (const InstructionId id : ids) AddTensor(module_.shape(id), &group);
    return group;
  }

  // Line, opcode and shape.
  std::vector<InstructionId> LikeThis(InstructionId like,
                                      const std::vector<std::string>& lines) const {
    std::vector<InstructionId> ids;
    for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
      if (module_.instruction(id).opcode != module_.instruction(like).opcode) continue;
      if (!MayBeConstrained(id) || module_.shape(id).dims() != module_.shape(like).dims()) continue;
      if (locations_.LinesTo(id) == lines) ids.push_back(id);
    }
    return ids;
  }

  // As JAX calls it.
  std::string OperationOf(InstructionId id) const {
    const std::string op_name = hlo::GetOpName(module_, id);
    const std::string last = op_name.substr(op_name.rfind('/') + 1);
    return last.empty() ? std::string(hlo::OpcodeName(module_.instruction(id).opcode)) : last;
  }

  const hlo::Module& module_;
  const hlo::Module& read_;
  const ComputationSet& in_shard_map_;
  const SourceLocations locations_;
  absl::flat_hash_map<absl::string_view, InstructionId> by_name_;  // of what was read
  absl::flat_hash_set<InstructionId> results_;                     // of the entry, and its root
  absl::flat_hash_set<InstructionId> known_;                       // of some group
};

}  // namespace

std::vector<SearchGroup> NewConstraintGroups(const PartitionerInput& input, const hlo::Module& read,
                                             const ComputationSet& in_shard_map, size_t most) {
  Maker maker(input.sharded->module, read, in_shard_map);
  std::vector<SearchGroup> groups;
  maker.AddGroupsOf(AroundCollectives(input), (most + 1) / 2, &groups);
  maker.AddGroupsOf(AtPeak(input), most - groups.size(), &groups);
  return groups;
}

}  // namespace tessera::pipeline
