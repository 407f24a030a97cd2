// The memory of a program on one device, and its largest buffers.
//
//   TESSERA_ASSIGN_OR_RETURN(MemoryReport report, MeasureMemory(program, limit));
//   Keep(filter, {&report.at_peak, &report.arguments});
//   TESSERA_RETURN_IF_ERROR(AddFixes(program, options, &report));
//   MemoryText(report, filter.top());
//   MemoryJson(report, 0);             // memory_answer.proto
//
// Tested by memory_verb_test.cc. Of a target: pipeline/verbs/costs/target/target_memory_report.h.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_MEMORY_MEMORY_REPORT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_MEMORY_MEMORY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/cost/memory/compiled_memory.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"

namespace tessera::pipeline {

struct MemoryReport {
  cost::DeviceMemory memory;              // its lists are the rows below
  bool is_final = false;                  // of a program that a compiler has finished
  std::vector<cost::OtherMemory> others;  // of such a one
  int64_t reported_peak = 0;              // of such a one: cost::ReportedPeak()
  std::optional<MemoryLimit> limit;
  std::vector<BufferRow> at_peak, arguments;  // largest first
  // Of the temporaries of a program finished for CPUs: holes, and tables of pointers.
  int64_t in_no_row = 0;
  int64_t sent = 0;   // bytes by each device, what fixes are compared with
  int64_t tried = 0;  // annotations

  // Arrays are in the tiles of the hardware.
  bool is_tiled() const { return limit.has_value() && limit->tiles.has_value(); }
  const layout::TileRules* tiles() const { return is_tiled() ? &*limit->tiles : nullptr; }
  bool fits() const { return !limit.has_value() || memory.total() <= limit->bytes; }
};

// An estimate, of a program that is still to be compiled.
absl::StatusOr<MemoryReport> MeasureMemory(const PartitionedProgram& program,
                                           std::optional<MemoryLimit> limit);
// A finished program: nothing is estimated, and no annotation changes it.
absl::StatusOr<MemoryReport> MeasureFinalMemory(const PartitionerInput& input,
                                                std::optional<MemoryLimit> limit);

// Annotations that lower the sum, for the largest rows.
absl::Status AddFixes(const PartitionedProgram& program, const ShardOptions& options,
                      MemoryReport* report);

// `top`: rows of each list; 0: all.
std::string MemoryText(const MemoryReport& report, int64_t top);
std::string MemoryJson(const MemoryReport& report, int64_t top);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_MEMORY_MEMORY_REPORT_H_
