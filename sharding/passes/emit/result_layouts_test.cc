// Each op after a transposed operand, and the layout that the real pass gives its result.

#include "tessera/sharding/passes/emit/result_layouts.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"

namespace tessera::sharding::passes {
namespace {

// The result of `instruction`, the layouts of whose operands p and q are these now.
std::string Infer(const std::string& instruction, const std::string& p,
                  const std::string& q = "f32[4,6]{1,0}") {
  const auto module = hlo::ParseModule(absl::StrCat(
      "HloModule m\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = pred[] compare(a, b), direction=LT\n}\nENTRY e {\n  p = ",
      p, " parameter(0)\n  q = ", q, " parameter(1)\n  ROOT r = ", instruction, "\n}\n"));
  if (!module.ok()) return std::string(module.status().message());
  const hlo::InstructionId root = module->entry().root;
  std::vector<const layout::Shape*> operands;
  for (hlo::InstructionId operand : module->operands(root)) {
    operands.push_back(&module->shape(operand));
  }
  const auto made =
      InferLayout(*module, root, module->instruction(root).opcode, module->shape(root), operands);
  return layout::ShapeToString(made.value_or(module->shape(root)));
}

TEST(ResultLayoutsTest, ElementByElementOpsGoWithTheirOperand) {
  EXPECT_EQ(Infer("f32[4,6]{1,0} negate(p)", "f32[4,6]{0,1}"), "f32[4,6]{0,1}");
  EXPECT_EQ(Infer("f32[4,6]{1,0} add(p, q)", "f32[4,6]{0,1}"), "f32[4,6]{0,1}");
  EXPECT_EQ(Infer("f32[4,6]{1,0} add(q, p)", "f32[4,6]{0,1}"), "f32[4,6]{1,0}");
  EXPECT_EQ(Infer("c64[4,6]{1,0} complex(p, q)", "f32[4,6]{0,1}"), "c64[4,6]{0,1}");
}

TEST(ResultLayoutsTest, OpsThatMakeAnotherShapeAreRowMajor) {
  EXPECT_EQ(Infer("f32[2,6]{1,0} slice(p), slice={[0:2],[0:6]}", "f32[4,6]{0,1}"), "f32[2,6]{1,0}");
  EXPECT_EQ(Infer("f32[8,6]{1,0} concatenate(p, q), dimensions={0}", "f32[4,6]{0,1}"),
            "f32[8,6]{1,0}");
}

// A parameter with a dynamic size goes on as it is: no reshape to another layout.
TEST(ResultLayoutsTest, DefaultLayouts) {
  EXPECT_TRUE(HasDefaultLayout(*layout::ParseShape("f32[4,6]{1,0}")));
  EXPECT_FALSE(HasDefaultLayout(*layout::ParseShape("f32[4,6]{0,1}")));
  EXPECT_FALSE(HasDefaultLayout(*layout::ParseShape("f32[4,6]{1,0:T(2)}")));
  EXPECT_TRUE(HasDefaultLayout(*layout::ParseShape("f32[<=4,6]{1,0}")));
  EXPECT_TRUE(HasDefaultLayout(*layout::ParseShape("(f32[4,6]{1,0}, (token[]))")));
  EXPECT_FALSE(HasDefaultLayout(*layout::ParseShape("(f32[4,6]{1,0}, (f32[4,6]{0,1}))")));
}

TEST(ResultLayoutsTest, TransposesPermute) {
  EXPECT_EQ(Infer("f32[6,4]{1,0} transpose(p), dimensions={1,0}", "f32[4,6]{1,0}"),
            "f32[6,4]{0,1}");
  EXPECT_EQ(Infer("f32[6,4]{1,0} transpose(p), dimensions={1,0}", "f32[4,6]{0,1}"),
            "f32[6,4]{1,0}");
  EXPECT_EQ(Infer("f32[4,2,3]{2,1,0} transpose(p), dimensions={2,0,1}", "f32[2,3,4]{2,1,0}"),
            "f32[4,2,3]{0,2,1}");
}

TEST(ResultLayoutsTest, SomeGoElementByElementOfTheTuple) {
  EXPECT_EQ(Infer("f32[4,6]{1,0} sort(p), dimensions={0}, to_apply=less", "f32[4,6]{0,1}"),
            "f32[4,6]{0,1}");
}

TEST(ResultLayoutsTest, PartsOfElementsAreTheMinorDimension) {
  EXPECT_EQ(Infer("s16[4,6,2]{2,1,0} bitcast-convert(p)", "f32[4,6]{0,1}"), "s16[4,6,2]{2,0,1}");
  EXPECT_EQ(Infer("s32[4,6]{1,0} bitcast-convert(p)", "f32[4,6]{0,1}"), "s32[4,6]{0,1}");
  EXPECT_EQ(Infer("f32[4,6]{1,0} bitcast-convert(p)", "s16[4,6,2]{2,0,1}"), "f32[4,6]{0,1}");
  EXPECT_EQ(Infer("c64[4,4]{1,0} fft(p), fft_type=RFFT, fft_length={6}", "f32[4,6]{0,1}"),
            "c64[4,4]{0,1}");
}

}  // namespace
}  // namespace tessera::sharding::passes
