// What is said of a predicted peak, as text and as JSON (memory_answer.proto).
//
//   TargetMemoryText(report);

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/cost/memory/peak_band.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::pipeline {

// Of a buffer, in the user's words; empty where the module does not say.
struct BufferOrigin {
  std::string op_name, location, sharding;
};

struct TargetMemoryReport {
  target::Target target;
  const hlo::Module* module = nullptr;  // that the memory is of
  cost::TargetMemory memory;
  cost::PeakBand band;
  int64_t usable = 0;                               // 0: not known
  std::string limit;                                // what it is of: "tpu-v5e", "16GiB"
  std::vector<BufferOrigin> at_peak, arguments;     // of the buffers of these lists
  std::vector<std::vector<BufferOrigin>> findings;  // of the arrays of memory.findings

  cost::FitVerdict verdict() const;
};

std::string TargetMemoryText(const TargetMemoryReport& report);
std::string TargetMemoryJson(const TargetMemoryReport& report);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_TARGET_MEMORY_REPORT_H_
