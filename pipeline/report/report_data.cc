#include "tessera/pipeline/report/report_data.h"

#include <utility>

#include "tessera/pipeline/verbs/partitioner_input.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// The collectives and the memory of the module, which `data` keeps.
absl::Status Partition(hlo::Module module, ReportData* data) {
  const ReportRequest& request = data->request;
  TESSERA_ASSIGN_OR_RETURN(
      PartitionerInput input,
      PreparePartitionerInput(std::move(module), request.options, request.as_is));
  data->partitioner_input = std::move(input.module);
  for (hlo::InstructionId id = 0; id < data->partitioner_input.num_instructions(); ++id) {
    data->names.try_emplace(data->partitioner_input.instruction(id).name, id);
  }
  data->measured = [&]() -> absl::Status {
    TESSERA_ASSIGN_OR_RETURN(data->memory,
                             cost::MemoryOf(data->partitioner_input, input.behaviors,
                                            &data->timeline));
    return absl::OkStatus();
  }();
  TESSERA_ASSIGN_OR_RETURN(data->collectives,
                           ListCollectives(data->partitioner_input, input.mesh,
                                           request.options.reference.behaviors));
  return absl::OkStatus();
}

}  // namespace

int ReportData::RowOf(const std::string& name) const {
  const int row = name.empty() ? kNoRow : table->row(absl::string_view(name));
  if (row != kNoRow || name.empty()) return row;
  const auto found = names.find(name);
  hlo::InstructionId id = found == names.end() ? hlo::kNoId : found->second;
  while (id != hlo::kNoId && partitioner_input.instruction(id).opcode == hlo::Opcode::kCopy) {
    id = partitioner_input.operands(id)[0];
    const int copied = table->row(partitioner_input.instruction(id).name);
    if (copied != kNoRow) return copied;
  }
  return kNoRow;
}

absl::StatusOr<ReportData> GatherReport(hlo::Module module, const ReportRequest& request) {
  ReportData data;
  data.request = request;
  data.partitioned = Partition(module, &data);
  if (data.measured.ok() && !data.partitioned.ok()) data.measured = data.partitioned;
  TESSERA_ASSIGN_OR_RETURN(data.explained, RunExplained(std::move(module), request.options));
  data.table = std::make_unique<TensorTable>(*data.explained.sharded);
  data.notes = data.explained.sharded->notes;
  return data;
}

}  // namespace tessera::pipeline
