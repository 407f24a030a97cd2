// Expected modules are what XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) has behind layout_normalization,
// up to bitcasts that change nothing.

#include "tessera/target/gpu/layouts/layout_assignment.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The transposes of data that are left, without names of operands.
std::vector<std::string> TransposesIn(const std::string& text) {
  std::vector<std::string> found;
  for (const absl::string_view line : absl::StrSplit(After(AssignLayouts, text), '\n')) {
    if (!absl::StrContains(line, " transpose(")) continue;
    const size_t shape = line.find("= ") + 2;
    found.push_back(std::string(line.substr(shape, line.find('{', shape) - shape)) +
                    std::string(line.substr(line.rfind(' '))));
  }
  return found;
}

// Both operands have their batch in front, and lie row-major.
TEST(LayoutAssignmentTest, OperandsOfABatchedProductAreMoved) {
  EXPECT_THAT(
      TransposesIn("ENTRY e {\n"
                   "  q = f32[8,64,4,32] parameter(0)\n"
                   "  k = f32[8,64,4,32] parameter(1)\n"
                   "  s = f32[8,4,64,32] transpose(q), dimensions={0,2,1,3}\n"
                   "  t = f32[8,4,32,64] transpose(k), dimensions={0,2,3,1}\n"
                   "  ROOT d = f32[8,4,64,64] dot(s, t), lhs_batch_dims={0,1}, "
                   "rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
                   "rhs_contracting_dims={2}\n"
                   "}\n"),
      ElementsAre("f32[8,4,64,32] dimensions={0,2,1,3}", "f32[8,4,32,64] dimensions={0,2,3,1}"));
}

// A product reads each operand in both orders: nothing moves.
TEST(LayoutAssignmentTest, ATransposeThatAProductReadsIsFree) {
  const std::string text = After(AssignLayouts,
                                 "ENTRY e {\n"
                                 "  x = f32[64,32] parameter(0)\n"
                                 "  w = f32[16,32] parameter(1)\n"
                                 "  t = f32[32,16] transpose(w), dimensions={1,0}\n"
                                 "  ROOT d = f32[64,16] dot(x, t), lhs_contracting_dims={1}, "
                                 "rhs_contracting_dims={0}\n"
                                 "}\n");
  EXPECT_THAT(text, HasSubstr("f32[32,16]{1,0} bitcast(w)"));
}

}  // namespace
}  // namespace tessera::target
