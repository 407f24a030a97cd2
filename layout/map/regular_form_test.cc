#include "tessera/layout/regular_form.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/layout/validate.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

std::optional<RegularForm> FormOf(absl::string_view text) {
  const Shape shape = ShapeFrom(text);
  return RegularFormOf(shape, *TilingOf(shape));
}

// "16*(d0/2) 1*(d0%2)": the terms, most major first.
std::string Text(const std::optional<RegularForm>& form) {
  if (!form.has_value()) return "none";
  return absl::StrJoin(*form, " ", [](std::string* out, const Term& term) {
    absl::StrAppend(out, term.stride, "*(d", term.dim);
    if (term.div != 1) absl::StrAppend(out, "/", term.div);
    if (term.mod != 0) absl::StrAppend(out, "%", term.mod);
    out->push_back(')');
  });
}

struct Row {
  const char* text;
  const char* terms;
};

constexpr Row kRows[] = {
    {"f32[3,5]", "5*(d0) 1*(d1)"},
    {"f32[3,5]{0,1}", "3*(d1) 1*(d0)"},
    {"f32[3,5]{1,0:T(2,2)}", "12*(d0/2) 4*(d1/2) 2*(d0%2) 1*(d1%2)"},
    {"bf16[4,8]{1,0:T(2,4)(2,1)}", "16*(d0/2) 8*(d1/4) 2*(d1%4) 1*(d0%2)"},
    {"f32[]{:T(128)}", ""},
    {"f32[8]{0:T(2,2)}", "4*(d0/2) 1*(d0%2)"},
    {"f32[8]{0:T(4)(8)}", "8*(d0/4) 1*(d0%4)"},
    {"f32[8]{0:T(6)(4)}", "none"},
    {"f32[2,3]{1,0:T(*,4)}", "none"},
    {"f32[0]", "none"},
};

TEST(RegularFormTest, Terms) {
  for (const Row& row : kRows) EXPECT_EQ(Text(FormOf(row.text)), row.terms) << row.text;
}

TEST(RegularFormTest, Digits) {
  const RegularForm form = *FormOf("bf16[2048]{0:T(1024)(128)(2,1)}");
  EXPECT_EQ(*CommonRadices(2048, form, 0, form, 0), (Sizes64{1, 128, 256, 1024}));
  EXPECT_EQ(DigitStride(form, 0, 1), 2);
  EXPECT_EQ(DigitStride(form, 0, 128), 1);
  EXPECT_EQ(DigitStride(form, 0, 256), 256);
  EXPECT_EQ(DigitStride(form, 0, 1024), 1024);
}

TEST(RegularFormTest, RadicesOfAPair) {
  const RegularForm twos = *FormOf("f32[12]{0:T(2)}");
  const RegularForm fours = *FormOf("f32[12]{0:T(4)}");
  const RegularForm threes = *FormOf("f32[12]{0:T(3)}");
  EXPECT_EQ(*CommonRadices(12, twos, 0, fours, 0), (Sizes64{1, 2, 4}));
  EXPECT_FALSE(CommonRadices(12, twos, 0, threes, 0).has_value());
}

TEST(RegularFormTest, BoxesCoverARaggedSize) {
  const Sizes64 radices = {1, 8, 32};
  for (int64_t size = 0; size < 100; ++size) {
    int64_t next = 0;
    for (const DigitBox& box : DigitBoxes(size, radices)) {
      EXPECT_EQ(box.base, next);
      for (int64_t extent : box.extents) ASSERT_GT(extent, 0);
      next += box.extents[0] * box.extents[1] * box.extents[2];
    }
    EXPECT_EQ(next, size);
  }
}

}  // namespace
}  // namespace tessera::layout
