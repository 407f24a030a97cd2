// All that the page of `tessera report` says of a module, gathered from the verbs' own functions.
//
//   TESSERA_ASSIGN_OR_RETURN(const ReportData data, GatherReport(module, request));
//   ReportJson(data);             // a message ReportData of report_answer.proto
//
// Shardings and explanations are those of `explain`, and instructions of a device those of
// `partition`. Collectives, reshards and memory come from the verbs of these names. A part of the
// page that the partitioner refuses, or tessera does not describe, is empty and says why.

#ifndef TESSERA_PIPELINE_REPORT_REPORT_DATA_H_
#define TESSERA_PIPELINE_REPORT_REPORT_DATA_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/report/explanations.h"
#include "tessera/pipeline/report/tensor_table.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/input/cleaned_device.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"

namespace tessera::pipeline {

struct ReportRequest {
  ShardOptions options;
  ShardingState state = ShardingState::kToPropagate;  // of the module
  std::string file;                                   // as the user named it
  int64_t refused = kAsManyAsFast;      // rows that say why axes are not there (explanations.h)
  SourceLines* source_lines = nullptr;  // as of Labels; outlives ReportJson()
};

struct ReportData {
  ReportRequest request;
  Explained explained;
  std::unique_ptr<TensorTable> table;
  absl::Status partitioned;  // of what follows
  PartitionerInput input;
  std::vector<CollectiveLine> collectives;
  Reshards reshards;
  absl::Status measured;  // of what follows
  cost::DeviceMemory memory;
  cost::MemoryTimeline timeline;
  std::optional<TracedDevice> device;  // what a device runs; none of a finished module
  std::vector<std::string> notes;

  // The row of an instruction of the partitioner's input; for one that the pass inserted, the row
  // of its operand. kNoRow if there is none.
  int RowOf(hlo::InstructionId id) const;
};

// Errors as of RunExplained().
absl::StatusOr<ReportData> GatherReport(hlo::Module module, const ReportRequest& request);

// A message ReportData of report_answer.proto.
std::string ReportJson(const ReportData& data);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_REPORT_DATA_H_
