// The report on a predicted peak, as text and as JSON (memory_answer.proto).
//
//   TargetMemoryText(report, /*top=*/10);

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

struct TargetMemoryReport {
  target::Target target;
  const hlo::Module* module = nullptr;  // that the memory is of
  cost::TargetMemory memory;
  std::string peak_location;  // the user's line of the instruction at the peak, or empty
  cost::PeakBand band;
  int64_t usable = 0;                                  // 0: not known
  std::string limit;                                   // what it is of: "tpu-v5e", "16GiB"
  std::vector<BufferRow> at_peak, in_vmem, arguments;  // for the lists of the memory
  std::vector<std::vector<BufferOrigin>> findings;     // of the arrays of memory.findings

  cost::PeakRange range() const { return band.RangeOf(memory); }
  cost::FitVerdict verdict() const;
};

// `top`: rows of each list; 0: all.
std::string TargetMemoryText(const TargetMemoryReport& report, int64_t top);
std::string TargetMemoryJson(const TargetMemoryReport& report, int64_t top);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_
