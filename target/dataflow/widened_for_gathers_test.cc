#include "tessera/target/dataflow/widened_for_gathers.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

// A pick from logits that are made by `lines`; `more` reads the wide ones, too.
std::string Picked(const std::string& lines, const std::string& more) {
  return absl::StrCat(
      "ENTRY e {\n  x = bf16[64,32] parameter(0)\n  w = bf16[32,128] parameter(1)\n"
      "  i = s32[63,2] parameter(2)\n",
      lines,
      "  g = f32[63] gather(f, i), offset_dims={}, collapsed_slice_dims={0,1}, "
      "start_index_map={0,1}, "
      "index_vector_dim=1, slice_sizes={1,1}\n",
      more, "}\n");
}

constexpr char kDot[] = "dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
constexpr char kWholeSoftmax[] =
    "  n = f32[64,128] exponential(f)\n  ROOT t = (f32[63], f32[64,128]) tuple(g, n)\n";
constexpr char kSoftmax[] =
    "  n = f32[63,128] exponential(f)\n  ROOT t = (f32[63], f32[63,128]) tuple(g, n)\n";

std::string Sliced(const std::string& slice) {
  return absl::StrCat("  d = bf16[64,128] ", kDot, "  s = bf16[63,128] slice(d), slice={", slice,
                      "}\n  f = f32[63,128] convert(s)\n");
}

// The operation whose result is gathered, and how many results it has.
std::pair<Opcode, size_t> MakerOfGathered(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  WidenInProducts(&*flow);
  for (const Node& node : flow->nodes) {
    if (node.opcode != Opcode::kGather) continue;
    const Node& maker = *flow->NodeOf(node.operands[0]);
    EXPECT_EQ(flow->values[node.operands[0]].shape->element_type(), layout::ElementType::kF32);
    return {maker.opcode, maker.results.size()};
  }
  return {};
}

TEST(WidenInProductsTest, TheProductWritesBoth) {
  const std::string dot =
      absl::StrCat("  d = bf16[64,128] ", kDot, "  f = f32[64,128] convert(d)\n");
  EXPECT_EQ(MakerOfGathered(Picked(dot, kWholeSoftmax)), std::pair(Opcode::kDot, size_t{2}));
  EXPECT_EQ(MakerOfGathered(Picked(Sliced("[0:63], [0:128]"), kSoftmax)),
            std::pair(Opcode::kSlice, size_t{2}));
}

TEST(WidenInProductsTest, NotWhereNothingElseReadsIt) {
  EXPECT_EQ(MakerOfGathered(Picked(Sliced("[0:63], [0:128]"), "  ROOT n = f32[63] negate(g)\n")),
            std::pair(Opcode::kConvert, size_t{1}));
}

TEST(WidenInProductsTest, NotWhatNoProductMakes) {
  const std::string tanh =
      "  y = bf16[63,128] parameter(3)\n  s = bf16[63,128] tanh(y)\n  f = f32[63,128] convert(s)\n";
  EXPECT_EQ(MakerOfGathered(Picked(tanh, kSoftmax)), std::pair(Opcode::kConvert, size_t{1}));
}

TEST(WidenInProductsTest, TheProductWritesCappedLogits) {
  const auto capped = [](const std::string& bound) {
    return absl::StrCat("  d = bf16[64,128] ", kDot, "  l = f32[64,128] convert(d)\n", bound,
                        "  y = f32[64,128] tanh(l)\n  f = f32[64,128] multiply(y, b)\n");
  };
  const std::string number =
      "  c = f32[] constant(30)\n  b = f32[64,128] broadcast(c), dimensions={}\n";
  EXPECT_EQ(MakerOfGathered(Picked(capped(number), kWholeSoftmax)),
            std::pair(Opcode::kDot, size_t{2}));
  EXPECT_EQ(MakerOfGathered(Picked(capped("  b = f32[64,128] parameter(3)\n"), kWholeSoftmax)),
            std::pair(Opcode::kMultiply, size_t{1}));
}

// Logits with a soft cap, y, that are sliced.
TEST(WidenInProductsTest, ASliceIsWrittenForTheGatherAlone) {
  const std::string lines =
      "  l = f32[64,128] parameter(3)\n  y = f32[64,128] tanh(l)\n  m = f32[64,128] negate(y)\n"
      "  f = f32[63,128] slice(m), slice={[0:63], [0:128]}\n";
  const std::string gradient = "  o = f32[64,128] exponential(y)\n";
  EXPECT_EQ(
      MakerOfGathered(Picked(
          lines, gradient + "  n = f32[63,128] exponential(f)\n"
                            "  ROOT t = (f32[63], f32[63,128], f32[64,128]) tuple(g, n, o)\n")),
      std::pair(Opcode::kSlice, size_t{2}));
  EXPECT_EQ(MakerOfGathered(Picked(lines, kSoftmax)), std::pair(Opcode::kSlice, size_t{1}));
}

}  // namespace
}  // namespace tessera::target
