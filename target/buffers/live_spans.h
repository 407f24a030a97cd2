// When arrays are needed, one span after another.
//
//   std::vector<LiveSpan> spans = {{7, 0, 3}, {7, 3, 5}, {7, 9, 9}};
//   MergeSpans(&spans);      // {{7, 0, 5}, {7, 9, 9}}
//
// Cost: that of sorting. Tested by array_names_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_LIVE_SPANS_H_
#define TESSERA_TARGET_BUFFERS_LIVE_SPANS_H_

#include <vector>

#include "tessera/target/buffers/live_values.h"

namespace tessera::target {

// One span for those of an array that meet; several where a computation runs twice. In the order of their
// first steps.
void MergeSpans(std::vector<LiveSpan>* spans);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_LIVE_SPANS_H_
