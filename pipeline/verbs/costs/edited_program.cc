#include "tessera/pipeline/verbs/costs/edited_program.h"

#include <utility>

#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<cost::StepCost> CostOfPartitioned(const PartitionerInput& input,
                                                 const sharding::partition::Partitioned& found,
                                                 const layout::TileRules* tiles) {
  TESSERA_ASSIGN_OR_RETURN(cost::StepCost cost,
                           cost::CostOfStep(input.module, found, /*machine=*/nullptr));
  if (tiles == nullptr) return cost;
  TESSERA_ASSIGN_OR_RETURN(const cost::DeviceMemory memory,
                           cost::MemoryOf(input.module, found, /*timeline=*/nullptr, tiles));
  cost.memory = memory.total();
  return cost;
}

absl::StatusOr<EditedProgram> PartitionEdited(
    const PartitionerInput& input, ShardOptions options,
    const std::vector<sharding::graph::AnnotationEdit>& edits) {
  options.stage = Stage::kPass;  // the module has been cleaned
  options.edits = edits;
  EditedProgram edited;
  TESSERA_ASSIGN_OR_RETURN(
      edited.input, PreparePartitionerInput(input.sharded->module, options, /*as_is=*/false));
  TESSERA_RETURN_IF_ERROR(LetCallsDecide(&edited.input).status());
  TESSERA_ASSIGN_OR_RETURN(edited.found, FindCollectivesOf(edited.input));
  return edited;
}

void TryAll(const PartitionerInput& input, size_t count, const std::function<void(size_t)>& one) {
  // The lines of the text are found on the first call, which must not be one of many at a time.
  const hlo::Module& module = input.sharded->module;
  if (module.text() != nullptr) module.text()->PositionOf(0);
  cost::ForEachIndex(count, cost::NumCores(), one);
}

std::optional<sharding::explain::SlotId> SlotOf(const Explained& explained, hlo::InstructionId id,
                                                int leaf) {
  if (id == hlo::kNoId) return std::nullopt;
  const auto value = explained.names->ValueOf(id, leaf);
  if (value == sharding::propagation::kNone) return std::nullopt;
  return explained.log->SlotOf(value);
}

}  // namespace tessera::pipeline
