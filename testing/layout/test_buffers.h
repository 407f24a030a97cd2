// Buffers for tests: the right result of a relayout, by arrays that are really permuted and padded.

#ifndef TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_
#define TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/layout/relayout/options.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

// Runs a plan on random bytes and compares every bit of the destination with the slow map. Bytes
// around it must stay as they were. "" if all is well, and for shapes that cannot be copied. The
// arrays must be small.
std::string CheckAgainstSlowMap(const Shape& src, const Shape& dst, const Options& options);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_TESTING_LAYOUT_TEST_BUFFERS_H_
