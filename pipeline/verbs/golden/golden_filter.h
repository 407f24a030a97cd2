// Which tensors of a comparison count (--match, --axis and --min-bytes), and which are shown (--top).
//
//   Choose(filter, &report);
//   report.comparison.changes;   // those that pass
//   report.shown.changes;        // the largest of them
//
// Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_

#include "absl/status/status.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/golden/golden_report.h"

namespace tessera::pipeline {

// Drops changes, new and gone tensors that the filter does not let pass, and fills `shown`. Bytes are the
// larger ones of before and after. InvalidArgument for an --axis that neither side has, and for a
// --match that matches no tensor of either side.
absl::Status Choose(const ListFilter& filter, GoldenReport* report);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_
