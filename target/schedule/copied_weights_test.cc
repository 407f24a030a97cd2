#include "tessera/target/schedule/copied_weights.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// Weights of two products: for one of them they lie in tiles of a summed dimension and a free one.
TEST(CopiedWeightsTest, TilesOfFreeDimensionsInALoop) {
  const auto module = hlo::ParseModule(
      "go {\n  c = (f32[4,8], f32[8,2,16], f32[2,8,16]) parameter(0)\n"
      "  ROOT p = pred[] constant(true)\n}\n"
      "body {\n  c = (f32[4,8], f32[8,2,16], f32[2,8,16]) parameter(0)\n"
      "  x = f32[4,8] get-tuple-element(c), index=0\n"
      "  u = f32[8,2,16] get-tuple-element(c), index=1\n"
      "  v = f32[2,8,16] get-tuple-element(c), index=2\n"
      "  a = f32[4,2,16] dot(x, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  b = f32[4,2,16] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
      "  m = f32[4,2,16] multiply(a, b)\n"
      "  s = f32[4,1,8] slice(m), slice={[0:4], [0:1], [0:8]}\n"
      "  y = f32[4,8] reshape(s)\n"
      "  ROOT t = (f32[4,8], f32[8,2,16], f32[2,8,16]) tuple(y, u, v)\n}\n"
      "ENTRY e {\n  x = f32[4,8] parameter(0)\n  u = f32[8,2,16] parameter(1)\n"
      "  v = f32[2,8,16] parameter(2)\n"
      "  a = f32[4,2,16] dot(x, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  t = (f32[4,8], f32[8,2,16], f32[2,8,16]) tuple(x, u, v)\n"
      "  w = (f32[4,8], f32[8,2,16], f32[2,8,16]) while(t), condition=go, body=body\n"
      "  r = f32[4,8] get-tuple-element(w), index=0\n"
      "  ROOT o = (f32[4,8], f32[4,2,16]) tuple(r, a)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  const auto laid = [&](ValueId v) {
    layout::Shape shape = *flow->values[v].shape;
    shape.set_layout(layout::Layout::Descending(shape.rank()));
    return shape;
  };
  EXPECT_THAT(CopiedWeights(*flow, laid), ElementsAre(flow->arguments[1]));
}

}  // namespace
}  // namespace tessera::target
