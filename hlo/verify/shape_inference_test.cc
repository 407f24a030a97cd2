// Shapes that the text leaves out, with the layouts that XLA gives them.

#include "tessera/hlo/shape_inference.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

struct Case {
  const char* name;
  const char* operands;  // shapes of p0, p1, ..
  const char* operation;
  const char* shape;  // empty: refused
};

constexpr char kCallees[] =
    "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
    "two { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) "
    "d = s32[] parameter(3) ROOT t = (f32[], s32[]) tuple(a, b) }\n"
    "less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT l = pred[] compare(x, y), "
    "direction=LT }\n";

class InferenceTest : public ::testing::TestWithParam<Case> {};

TEST_P(InferenceTest, Shape) {
  const Case& c = GetParam();
  std::string text = absl::StrCat(kCallees, "ENTRY e {\n");
  const auto tuple = layout::ParseShape(absl::StrCat("(", c.operands, ")"));
  ASSERT_TRUE(tuple.ok()) << tuple.status();
  int number = 0;
  for (const layout::Shape& shape : tuple->tuple_elements()) {
    absl::StrAppend(&text, "  p", number, " = ", layout::ShapeToString(shape), " parameter(",
                    number, ")\n");
    ++number;
  }
  const auto module = ParseModule(absl::StrCat(text, "  ROOT r = ", c.operation, "\n}"));
  EXPECT_EQ(module.ok() ? layout::ShapeToString(module->shape(module->entry().root)) : "", c.shape)
      << module.status();
}

constexpr Case kCases[] = {
    {"UnaryKeepsTheLayout", "f32[2,3]{0,1}", "negate(p0)", "f32[2,3]{0,1}"},
    {"UnaryRefusesPred", "pred[2]", "negate(p0)", ""},
    {"AbsOfComplex", "c64[2]", "abs(p0)", "f32[2]{0}"},
    {"IsFinite", "bf16[2]", "is-finite(p0)", "pred[2]{0}"},
    {"BinaryTakesTheFirstLayout", "f32[2,3]{0,1}, f32[2,3]", "add(p0, p1)", "f32[2,3]{0,1}"},
    {"BinaryHigherPrecision", "bf16[2], f32[2]", "add(p0, p1)", "f32[2]{0}"},
    {"BinaryScalar", "f32[], f32[2,3]", "add(p0, p1)", "f32[2,3]{1,0}"},
    {"BinarySizes", "f32[2], f32[3]", "add(p0, p1)", ""},
    {"BinaryTypes", "f32[2], s32[2]", "add(p0, p1)", ""},
    {"Compare", "f32[2,3], f32[2,3]", "compare(p0, p1), direction=LT", "pred[2,3]{1,0}"},
    {"Complex", "f64[2], f64[2]", "complex(p0, p1)", "c128[2]{0}"},
    {"SelectScalar", "pred[], f32[2,3]{0,1}, f32[2,3]", "select(p0, p1, p2)", "f32[2,3]{0,1}"},
    {"TransposeIsABitcast", "f32[2,3]{1,0:T(2,2)}", "transpose(p0), dimensions={1,0}",
     "f32[3,2]{0,1:T(2,2)}"},
    {"Concatenate", "f32[<=4,3], f32[<=4,3]", "concatenate(p0, p1), dimensions={0}",
     "f32[<=8,3]{1,0}"},
    {"Pad", "f32[3], f32[]", "pad(p0, p1), padding=1_2_1", "f32[8]{0}"},
    {"PadBelowZero", "f32[3], f32[]", "pad(p0, p1), padding=-2_-2", ""},
    {"Reduce", "f32[2,3], f32[]", "reduce(p0, p1), dimensions={0}, to_apply=add", "f32[3]{0}"},
    {"ReduceTwo", "f32[2,3], s32[2,3], f32[], s32[]",
     "reduce(p0, p1, p2, p3), dimensions={1}, to_apply=two", "(f32[2]{0}, s32[2]{0})"},
    {"ReduceWindow", "f32[8], f32[]",
     "reduce-window(p0, p1), window={size=3 stride=2}, to_apply=add", "f32[3]{0}"},
    {"Sort", "f32[4]{0}", "sort(p0), dimensions={0}, to_apply=less", "f32[4]{0}"},
    {"TopK", "f32[4,9]", "topk(p0), k=3", "(f32[4,3]{1,0}, s32[4,3]{1,0})"},
    {"Gather", "f32[5,7], s32[2,1]",
     "gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1,4}",
     "f32[2,4]{1,0}"},
    {"Dot", "bf16[6,2,3], f32[6,3,4]",
     "dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, "
     "rhs_contracting_dims={1}",
     "f32[6,2,4]{2,1,0}"},
    {"DotSizes", "f32[2,3], f32[4,5]",
     "dot(p0, p1), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={0}",
     ""},
    {"RaggedContracting", "f32[5,11], f32[11,7], s32[3]",
     "ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
     "lhs_ragged_dims={1}",
     "f32[3,5,7]{2,1,0}"},
    {"Convolution", "f32[1,8,8,3], f32[3,3,3,16]",
     "convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
     "f32[1,8,8,16]{3,2,1,0}"},
    {"Rfft", "f32[4,8]", "fft(p0), fft_type=RFFT, fft_length={8}", "c64[4,5]{1,0}"},
    {"Irfft", "c64[4,5]", "fft(p0), fft_type=IRFFT, fft_length={8}", "f32[4,8]{1,0}"},
    {"SetDimensionSize", "f32[4], s32[]", "set-dimension-size(p0, p1), dimensions={0}",
     "f32[<=4]{0}"},
    {"Tuple", "f32[2], s32[]", "tuple(p0, p1)", "(f32[2]{0}, s32[])"},
    {"BatchNorm", "f32[2,3], f32[3], f32[3]",
     "batch-norm-training(p0, p1, p2), epsilon=0.1, feature_index=1",
     "(f32[2,3]{1,0}, f32[3]{0}, f32[3]{0})"},
    {"ReshapeMustBeWritten", "f32[2]", "reshape(p0)", ""},
};
INSTANTIATE_TEST_SUITE_P(All, InferenceTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tessera::hlo
