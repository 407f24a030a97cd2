// What would lower the peak without another sharding (cost/memory/peak_findings.h), as text and as JSON.
//
//   what would lower the peak, without another sharding
//      256 KiB  donate state['w']
//               the peak 512 KiB -> 256 KiB
//
// Tested by memory_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_

#include <string>

#include "tessera/pipeline/verbs/costs/target/target_memory_report.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

// "" where there is none.
std::string PeakFindingsText(const TargetMemoryReport& report);
// The member `findings` of memory_answer.proto.
void PutPeakFindings(const TargetMemoryReport& report, text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_
