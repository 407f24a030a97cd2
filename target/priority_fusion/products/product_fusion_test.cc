// Shapes and what is fused are those of products of whole steps, in front of and after triton-gemm-rewriter
// (jax-cuda12-plugin 0.12.0.1).

#include "tessera/target/priority_fusion/products/product_fusion.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/read_program.h"

namespace tessera::target {
namespace {

// What the kernel of the product reads, and what it computes.
struct Product {
  std::string reads, computes;
};

Product ProductOf(const std::string& body) {
  const DeviceProgram program = ReadProgram(body);
  const FusionGraph graph(program, program.module().entry_id());
  const auto name = [&](uint32_t k) {
    return " " + std::string(program.module().instruction(graph.InstructionOf(k)).name);
  };
  Product product;
  for (const uint32_t kernel : graph.PostOrder()) {
    if (!graph.node(kernel).is_product) continue;
    for (const uint32_t operand : graph.node(kernel).operands) product.reads += name(operand);
    for (const FusedOp& op : graph.node(kernel).outputs[0]) product.computes += name(op.op);
  }
  return product;
}

std::string ReadsOf(const std::string& body) { return ProductOf(body).reads; }

TEST(ProductFusionTest, ABitcastOfASliceIsReadLast) {
  EXPECT_EQ(ReadsOf("  p = f32[3,4,4,64,64] parameter(0)\n  q = f32[4,4,64,64] parameter(1)\n"
                    "  s = f32[1,4,4,64,64] slice(p), slice={[0:1], [0:4], [0:4], [0:64], [0:64]}\n"
                    "  x = f32[16,64,64] bitcast(s)\n  v = f32[4,4,64,64] multiply(q, q)\n"
                    "  y = f32[16,64,64] bitcast(v)\n"
                    "  ROOT d = f32[16,64,64] dot(x, y), lhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={2}\n"),
            " y s");
}

// A product of x, read through a bitcast and a transpose, and y.
std::string OfTransposed(const std::string& operand, const std::string& transposed,
                         const std::string& dimensions, const std::string& left,
                         const std::string& columns) {
  return ReadsOf("  g = (f32[" + operand + "], f32[8]) parameter(0)\n  x = f32[" + operand +
                 "] get-tuple-element(g), index=0\n  y = f32[" + columns +
                 "] parameter(1)\n  t = f32[" + transposed + "] transpose(x), dimensions={" +
                 dimensions + "}\n  b = f32[" + left + "] bitcast(t)\n  ROOT d = f32[" +
                 left.substr(0, left.find(',')) + columns.substr(columns.find(',')) +
                 "] dot(b, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
}

TEST(ProductFusionTest, ATransposeIsTakenInIfWhatIsContractedLiesTogether) {
  EXPECT_EQ(OfTransposed("4,2,32,128", "4,128,2,32", "0,3,1,2", "512,64", "64,256"), " y x");
  EXPECT_EQ(OfTransposed("4,2,128,32", "4,128,2,32", "0,2,1,3", "512,64", "64,256"), " y t");
}

// As of the gradient of logits, whose rows are two dimensions.
TEST(ProductFusionTest, ColumnsOfAnArrayOfThreeDimensions) {
  EXPECT_EQ(ReadsOf("  g = f32[2,64,48] parameter(0)\n  y = f32[128,32] parameter(1)\n"
                    "  n = f32[] constant(3)\n  ns = f32[2,64,48] broadcast(n), dimensions={}\n"
                    "  m = f32[2,64,48] multiply(g, ns)\n  b = f32[48,128] bitcast(m)\n"
                    "  ROOT d = f32[48,32] dot(b, y), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n"),
            " y g");
}

TEST(ProductFusionTest, ABitcastIsTakenInIfItsPartsFitTiles) {
  EXPECT_EQ(OfTransposed("16,2,64,24", "16,64,2,24", "0,2,1,3", "1024,48", "48,192"), " b y");
  EXPECT_EQ(OfTransposed("16,2,64,48", "16,64,2,48", "0,2,1,3", "1024,96", "96,192"), " y t");
}

// A dot of y and of a concatenate of two arrays; dimension 0 is the batch.
std::string OfJoined(const std::string& along, const std::string& part, const std::string& joined,
                     const std::string& y, const std::string& result) {
  return ReadsOf("  g = (f32[" + part + "], f32[" + part + "]) parameter(0)\n  a = f32[" + part +
                 "] get-tuple-element(g), index=0\n  b = f32[" + part +
                 "] get-tuple-element(g), index=1\n  y = f32[" + y + "] parameter(1)\n  c = f32[" +
                 joined + "] concatenate(a, b), dimensions={" + along + "}\n  d = f32[" + result +
                 "] dot(c, y), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, "
                 "rhs_contracting_dims={1}\n  u = f32[" +
                 joined + "] sine(c)\n  ROOT r = (f32[" + result + "], f32[" + joined +
                 "]) tuple(d, u)\n");
}

TEST(ProductFusionTest, AConcatenateIsTakenInAlongWhatIsFree) {
  EXPECT_EQ(OfJoined("2", "8,128,64", "8,128,128", "8,128,256", "8,128,256"), " y a b");
  EXPECT_EQ(OfJoined("1", "8,64,128", "8,128,128", "8,128,256", "8,128,256"), " c y");
}

std::string OfRows(const std::string& users) {
  return ReadsOf(
      "  x = f32[4,192,64] parameter(0)\n  y = f32[576,192] parameter(1)\n"
      "  z = f32[4,192,64] parameter(2)\n  s = f32[4,192,64] add(x, z)\n  t = f32[192,4,64] "
      "transpose(s), dimensions={1,0,2}\n"
      "  b = f32[192,256] bitcast(t)\n"
      "  d = f32[576,256] dot(y, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" +
      users);
}

TEST(ProductFusionTest, RowsAreNotMovedInTheProductWhereTheirOnlyReaderMovesThem) {
  EXPECT_EQ(OfRows("  c = f32[4,192,64] custom-call(s), custom_call_target=\"use\"\n"
                   "  ROOT r = (f32[576,256], f32[4,192,64]) tuple(d, c)\n"),
            " y s");
  EXPECT_EQ(OfRows("  ROOT r = (f32[576,256]) tuple(d)\n"), " y t");
}

TEST(ProductFusionTest, ATransposeOfTheBatchIsTakenIn) {
  EXPECT_EQ(ReadsOf("  g = (f32[16,8,64,32], f32[8]) parameter(0)\n  x = f32[16,8,64,32] "
                    "get-tuple-element(g), index=0\n  y = f32[128,32,64] parameter(1)\n"
                    "  t = f32[8,16,64,32] transpose(x), dimensions={1,0,2,3}\n"
                    "  b = f32[128,64,32] bitcast(t)\n  ROOT d = f32[128,64,64] dot(b, y), "
                    "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
                    "rhs_contracting_dims={1}\n"),
            " y x");
}

std::string WithUser(const std::string& user) {
  return ReadsOf(
      "  x = f32[512,64] parameter(0)\n  y = f32[64,256] parameter(1)\n"
      "  g = (f32[512,256], f32[8]) parameter(2)\n"
      "  v = f32[512,256] get-tuple-element(g), index=0\n  w = f32[512,256] sine(v)\n"
      "  c = f32[] constant(2)\n  k = f32[512,256] broadcast(c), dimensions={}\n"
      "  d = f32[512,256] dot(x, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n" +
      user);
}

TEST(ProductFusionTest, ASumWithWhatIsMadeIsTakenIn) {
  EXPECT_EQ(WithUser("  ROOT s = f32[512,256] add(v, d)\n"), " v x y");
  EXPECT_EQ(WithUser("  ROOT s = f32[512,256] add(w, d)\n"), " x y");
}

TEST(ProductFusionTest, AMultipleIsTakenInIfNoBitcastIsInTheWay) {
  EXPECT_EQ(WithUser("  ROOT s = f32[512,256] multiply(d, k)\n"), " x y");
  const auto computes = [](const std::string& shape) {
    const std::string of = "f32[" + shape + "]";
    return ProductOf(
               "  x = f32[512,64] parameter(0)\n  y = f32[64,256] parameter(1)\n"
               "  c = f32[] constant(2)\n  k = " +
               of +
               " broadcast(c), dimensions={}\n  d = f32[512,256] dot(x, y), "
               "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  b = " +
               of + " bitcast(d)\n  ROOT s = " + of + " multiply(b, k)\n")
        .computes;
  };
  EXPECT_EQ(computes("512,1,256"), " c k d b s");
  EXPECT_EQ(computes("8,64,256"), " d");
}

}  // namespace
}  // namespace tessera::target
