// Buffers for tests: what a relayout must give, by arrays that are really permuted and padded.

#ifndef TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_
#define TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

// Runs a plan on random bytes and compares every bit of the destination with what the slow map
// says, as well as bytes around it that nobody may touch. "" if all is well. Shapes that cannot be
// copied are well too; the arrays must be small.
std::string CheckAgainstSlowMap(const Shape& src, const Shape& dst, const Options& options);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_
