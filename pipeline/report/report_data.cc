#include "tessera/pipeline/report/report_data.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/cost/memory/compiled_memory.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// A module that is not cleaned up has its own instructions as rows.
ShardOptions OptionsToExplain(const hlo::Module& module, const ReportRequest& request) {
  const bool is_to_propagate = request.state == ShardingState::kToPropagate && !IsFinal(module);
  return is_to_propagate ? request.options : OptionsOfFinal(request.options);
}

absl::Status Measure(const PartitionedProgram& program, ReportData* data) {
  TESSERA_ASSIGN_OR_RETURN(data->memory, cost::MemoryOf(program.device, &data->timeline));
  return absl::OkStatus();
}

// Of a module that a compiler has finished: what stands in it.
absl::Status ReadFinal(hlo::Module module, ReportData* data) {
  data->input.module = std::move(module);
  TESSERA_ASSIGN_OR_RETURN(const auto standing, target::FindStanding(data->input.module));
  TESSERA_ASSIGN_OR_RETURN(data->collectives, ListCollectives(data->input, standing.found));
  TESSERA_ASSIGN_OR_RETURN(cost::CompiledMemory memory, cost::MemoryOfCompiled(data->input.module));
  data->memory = std::move(memory.device);
  return absl::OkStatus();
}

// The collectives and the memory of the module.
absl::Status Partition(hlo::Module module, ReportData* data) {
  if (IsFinal(module)) return ReadFinal(std::move(module), data);
  const ReportRequest& request = data->request;
  ShardOptions options = request.options;
  options.traces_leaves = true;
  TESSERA_ASSIGN_OR_RETURN(PartitionerInput input,
                           PreparePartitionerInput(std::move(module), options, request.state));
  sharding::partition::Options partitioner = sharding::partition::OptionsOfCosts();
  partitioner.lists_causes = true;
  TESSERA_ASSIGN_OR_RETURN(PartitionedProgram program,
                           PartitionInput(std::move(input), partitioner));
  data->measured = Measure(program, data);
  data->input = std::move(program.input);
  TESSERA_ASSIGN_OR_RETURN(data->collectives, ListCollectives(data->input, program.device.found));
  data->reshards = ListReshards(data->input, data->collectives);
  TESSERA_ASSIGN_OR_RETURN(data->device, CleanedUpAndTraced(std::move(program.device)));
  return absl::OkStatus();
}

}  // namespace

int ReportData::RowOf(hlo::InstructionId id) const {
  const bool is_own = input.sources.empty();
  for (int step = 0; id != hlo::kNoId && step < 4; ++step) {
    const hlo::InstructionId source = is_own ? id : input.sources[id];
    const int row = source == hlo::kNoId ? kNoRow : table->row(source, 0);
    if (row != kNoRow) return row;
    const auto operands = input.module.operands(id);
    id = operands.empty() ? hlo::kNoId : operands[0];
  }
  return kNoRow;
}

absl::StatusOr<ReportData> GatherReport(hlo::Module module, const ReportRequest& request) {
  ReportData data;
  data.request = request;
  data.partitioned = Partition(module, &data);
  if (!data.partitioned.ok()) data.measured = data.partitioned;
  const ShardOptions options = OptionsToExplain(module, request);
  TESSERA_ASSIGN_OR_RETURN(data.explained, RunExplained(std::move(module), options));
  data.table = std::make_unique<TensorTable>(*data.explained.sharded);
  data.notes = data.explained.sharded->notes;
  // Where both propagated, they say much the same.
  for (const std::string& note : data.input.notes) {
    if (!absl::c_linear_search(data.notes, note)) data.notes.push_back(note);
  }
  return data;
}

}  // namespace tessera::pipeline
