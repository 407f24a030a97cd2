#include "tessera/target/priority_fusion/kernel_kinds.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

// Kernels have the numbers of their lines.
class KernelKindsTest : public ::testing::Test {
 protected:
  KernelKindsTest()
      : program_(ReadProgram("  x = f32[8] parameter(0)\n"  // 0
                             "  y = f32[8] parameter(1)\n"  // 1
                             "  a = f32[8] negate(x)\n"     // 2
                             "  b = f32[8] negate(y)\n"     // 3
                             "  c = f32[8] add(a, x)\n"     // 4
                             "  d = f32[8] add(b, y)\n"     // 5
                             "  e = f32[8] add(b, x)\n"     // 6
                             "  f = f32[8] add(y, b)\n"     // 7
                             "  g = f32[8] add(a, a)\n"     // 8
                             "  ROOT r = (f32[8]) tuple(c)\n")),
        graph_(program_, program_.module().entry_id()),
        kinds_(graph_) {}

  const DeviceProgram program_;
  FusionGraph graph_;
  KernelKinds kinds_;
};

TEST_F(KernelKindsTest, InstructionsAreKnownByWhatTheyCompute) {
  EXPECT_EQ(kinds_.Of(2), kinds_.Of(3));
  EXPECT_EQ(kinds_.Of(4), kinds_.Of(5));
  EXPECT_NE(kinds_.Of(2), kinds_.Of(4));
  EXPECT_NE(kinds_.Of(4), kinds_.Of(8));  // one operand twice
}

// c and d read what their producers read, e does not; f reads it in front.
TEST_F(KernelKindsTest, PairsAreKnownByWhatTheyShare) {
  const uint32_t one = kinds_.OfFused(2, 4);
  EXPECT_EQ(one, kinds_.OfFused(3, 5));
  EXPECT_NE(one, kinds_.OfFused(3, 6));
  EXPECT_NE(one, kinds_.OfFused(3, 7));
  EXPECT_NE(one, kinds_.OfFused(2, 8));
}

TEST_F(KernelKindsTest, APairIsTheKindOfWhatIsMadeOfIt) {
  const uint32_t one = kinds_.OfFused(2, 4);
  graph_.Fuse(2, 4);
  kinds_.Set(4, one);
  EXPECT_EQ(kinds_.Of(4), kinds_.OfFused(3, 5));
  EXPECT_NE(kinds_.Of(4), kinds_.Of(5));
}

}  // namespace
}  // namespace tessera::target
