#include "tessera/layout/decompose.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

// "pad 1,1 [4,6]; reshape [2,2,3,2]".
std::string Text(const std::vector<ArrayOp>& ops) {
  return absl::StrJoin(ops, "; ", [](std::string* out, const ArrayOp& op) {
    absl::StrAppend(out, ArrayOpName(op.kind), op.argument.empty() ? "" : " ",
                    absl::StrJoin(op.argument, ","), " [", absl::StrJoin(op.dims, ","), "]");
  });
}

struct Row {
  const char* text;
  const char* ops;
  const char* inverse;
};

constexpr Row kRows[] = {
    {"f32[3,5]{1,0:T(2,2)}",
     "pad 1,1 [4,6]; reshape [2,2,3,2]; transpose 0,2,1,3 [2,3,2,2]; reshape [24]",
     "reshape [2,3,2,2]; transpose 0,2,1,3 [2,2,3,2]; reshape [4,6]; slice 3,5 [3,5]"},
    {"f32[5]", "", ""},
    {"f32[]", "reshape [1]", "reshape []"},
    {"f32[2,3]{0,1}", "transpose 1,0 [3,2]; reshape [6]", "reshape [3,2]; transpose 1,0 [2,3]"},
    {"f32[7]{0:T(4)L(5)}", "pad 1 [8]; reshape [2,4]; reshape [8]; pad 2 [10]",
     "slice 8 [8]; reshape [2,4]; reshape [8]; slice 7 [7]"},
    {"f32[3]{0:T(2,2)}",
     "reshape [1,3]; pad 1,1 [2,4]; reshape [1,2,2,2]; transpose 0,2,1,3 [1,2,2,2]; reshape [8]",
     "reshape [1,2,2,2]; transpose 0,2,1,3 [1,2,2,2]; reshape [2,4]; slice 1,3 [1,3]; reshape [3]"},
    {"f32[2,3,4]{2,1,0:T(*,5)}", "reshape [2,12]; pad 0,3 [2,15]; reshape [2,3,5]; reshape [30]",
     "reshape [2,3,5]; reshape [2,15]; slice 2,12 [2,12]; reshape [2,3,4]"},
};

TEST(DecomposeTest, Table) {
  for (const Row& row : kRows) {
    const Shape shape = ShapeFrom(row.text);
    const absl::StatusOr<std::vector<ArrayOp>> ops = Decompose(shape);
    ASSERT_TRUE(ops.ok()) << row.text;
    EXPECT_EQ(Text(*ops), row.ops) << row.text;
    EXPECT_EQ(Text(Invert(*ops, shape.dims())), row.inverse) << row.text;
  }
}

TEST(DecomposeTest, AsHlo) {
  EXPECT_EQ(*DecomposeToHlo(ShapeFrom("f32[3,5]{0,1:T(2,2)}")), R"(HloModule layout_ops

ENTRY main {
  array = f32[3,5]{1,0} parameter(0)
  zero = f32[] constant(0)
  transpose.1 = f32[5,3]{1,0} transpose(array), dimensions={1,0}
  pad.2 = f32[6,4]{1,0} pad(transpose.1, zero), padding=0_1x0_1
  reshape.3 = f32[3,2,2,2]{3,2,1,0} reshape(pad.2)
  transpose.4 = f32[3,2,2,2]{3,2,1,0} transpose(reshape.3), dimensions={0,2,1,3}
  ROOT reshape.5 = f32[24]{0} reshape(transpose.4)
}
)");
  EXPECT_EQ(*DecomposeToHlo(ShapeFrom("pred[4]")), R"(HloModule layout_ops

ENTRY main {
  ROOT array = pred[4]{0} parameter(0)
}
)");
}

}  // namespace
}  // namespace tessera::layout
