// Text and JSON of the changes that lower the peak without another sharding (peak_findings.h).
//
//   what would lower the peak, without another sharding
//      256 KiB  donate state['w']
//               the peak 512 KiB -> 256 KiB
//
// Tested by memory_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_

#include <string>

#include "tessera/pipeline/schema/memory_answer.pb.h"
#include "tessera/pipeline/verbs/costs/target/target_memory_report.h"

namespace tessera::pipeline {

// "" where there is none.
std::string PeakFindingsText(const TargetMemoryReport& report);
// The member `findings` of memory_answer.proto.
void FillPeakFindings(const TargetMemoryReport& report, answers::MemoryAnswer* answer);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_PEAK_FINDING_REPORT_H_
