// The answers of `tessera explain` to every row of the page, packed.
//
//   FillExplanations(explained, table, /*refused=*/200, /*source_lines=*/nullptr,
//                    answer.mutable_explanations());
//
// The lines are those of the verb, without fixes, which take a run each; of a long chain the middle
// is left out. They say much the same over and over: blocks of some hundred rows shrink to a
// twentieth, and the page unpacks the one that it shows.
//
// Cost: a chain is linear in its length, and is found for every row until all of them together have
// kMaxLinks. Why axes are not there takes a search of the module for each dimension. So it is said
// of `refused` rows, those of most bytes on a device, results first. kAsManyAsFast is as many as
// take a few seconds. Tested by report_test.cc.

#ifndef TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_
#define TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_

#include <cstdint>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/report/tensor_table.h"
#include "tessera/pipeline/schema/report_answer.pb.h"

namespace tessera::pipeline {

inline constexpr int64_t kAsManyAsFast = -1;

// `source_lines` as of Labels.
void FillExplanations(const Explained& explained, const TensorTable& table, int64_t refused,
                      SourceLines* source_lines, answers::ReportExplanations* to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_EXPLANATIONS_H_
