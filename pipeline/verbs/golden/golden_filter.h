// Which tensors of a comparison count: --match, --axis, --min-bytes and --top.
//
//   Choose(filter, before, after, &comparison);
//   comparison.changes;      // those that pass
//
// Tested by golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_

#include "absl/status/status.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

// Drops changes, new and gone tensors that the filter does not let pass. Bytes are the larger ones of
// before and after. InvalidArgument for an --axis that neither side has.
absl::Status Choose(const ListFilter& filter, const sharding::golden::Recording& before,
                    const sharding::golden::Recording& after,
                    sharding::golden::Comparison* comparison);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_FILTER_H_
