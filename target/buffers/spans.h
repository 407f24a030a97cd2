// Spans: the first and the last step in which something is needed.

#ifndef TESSERA_TARGET_BUFFERS_SPANS_H_
#define TESSERA_TARGET_BUFFERS_SPANS_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::target {

// First and last step of each, both included.
using Spans = std::vector<std::pair<int64_t, int64_t>>;

// Puts them in order, and makes one of those that share a step.
void Merge(Spans* spans);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_SPANS_H_
