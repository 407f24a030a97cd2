// Whether work grows as its input does.
//
//   EXPECT_TRUE(GrowsAtMost(5.5, [] { return Measure(1000); }, [] { return Measure(4000); }));
//
// Asked of the bytes that are allocated and of the machine instructions. Where the kernel does not
// count these, CPU time takes their place: the least of three runs, with twice the limit, which
// still tells n^2 (16 times) from n.

#ifndef TESSERA_TESTING_HOSTILE_GROWTH_CHECK_H_
#define TESSERA_TESTING_HOSTILE_GROWTH_CHECK_H_

#include <functional>

#include "gtest/gtest.h"
#include "tessera/testing/hostile/work_counter.h"

namespace tessera::testing::hostile {

::testing::AssertionResult GrowsAtMost(double most, const std::function<Work()>& small,
                                       const std::function<Work()>& large);

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_GROWTH_CHECK_H_
