// Outputs that end in the memory of parameters: those that a header aliases, and all that the body
// of a loop returns. Array k of its result, of its parameter and of the loop is one buffer.
//
//   Program body;                  // (x, y) -> (y, f(x))
//   body.parameters = {100, 100};
//   body.order = {{100, {0}, BufferKind::kNew, 0}};
//   body.outputs = {1, 2};
//   AliasOutputs({{0, 0}, {1, 1}}, &body);     // {0, 0}: order[1] and [2] copy y for output 0
//
// Source: what XLA's copy insertion leaves, seen in modules and memory_analysis() of its CPU back
// end.
#ifndef TESSERA_PROJECTION_COST_MEMORY_ALIASED_OUTPUTS_H_
#define TESSERA_PROJECTION_COST_MEMORY_ALIASED_OUTPUTS_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

// `ends`: (number of an output, parameter in whose memory it ends), each once. Copies are appended
// for an output that cannot be made there: one for a constant or for what another output is too,
// two for another parameter, away and to its place. Returns the output of each of these steps, in
// order. Linear.
std::vector<int> AliasOutputs(absl::Span<const std::pair<int, int>> ends, Program* program);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_ALIASED_OUTPUTS_H_
