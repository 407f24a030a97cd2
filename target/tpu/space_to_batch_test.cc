// The form of what the pass makes, and which convolutions it takes. That the result stays the same:
// //testing/target_passes.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/tpu/space_to_batch/split_windows.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Split(const std::string& text) {
  return After(ConvertSpaceToBatch, text, XlaFlags(), "tpu-v5e:2x4");
}

std::string Convolution(int64_t images, int64_t width) {
  const std::string sizes = absl::StrCat(images, ",64,", width);
  return absl::StrCat("ENTRY e {\n  x = bf16[", sizes,
                      ",32] parameter(0)\n  k = bf16[3,3,32,48] parameter(1)\n  ROOT c = bf16[",
                      sizes,
                      ",48] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
                      "dim_labels=b01f_01io->b01f\n}\n");
}

TEST(SpaceToBatchTest, PartsOfTheWidthAreImages) {
  EXPECT_THAT(Split(Convolution(2, 64)),
              AllOf(HasSubstr("pad = bf16[64,2,72,32]{3,2,1,0} pad(transpose, constant), "
                              "padding=0_0x0_0x1_7x0_0"),
                    HasSubstr("bf16[64,16,9,32]{3,2,1,0} reshape("),
                    HasSubstr("bf16[64,2,8,11,32]{4,3,2,1,0} concatenate("),
                    HasSubstr("bf16[64,16,9,48]{3,2,1,0} convolution("),
                    HasSubstr("window={size=3x3 pad=1_1x0_0}, dim_labels=0b1f_01io->0b1f"),
                    HasSubstr("ROOT transpose.1 = bf16[2,64,64,48]{3,2,1,0} transpose(")));
}

TEST(SpaceToBatchTest, OnlyOfFewImagesThatAreWide) {
  EXPECT_THAT(Split(Convolution(7, 64)), HasSubstr("dim_labels=0b1f"));
  EXPECT_THAT(Split(Convolution(8, 64)), Not(HasSubstr("dim_labels=0b1f")));
  EXPECT_THAT(Split(Convolution(2, 14)), HasSubstr("dim_labels=0b1f"));
  EXPECT_THAT(Split(Convolution(2, 13)), Not(HasSubstr("dim_labels=0b1f")));
}

// As libtpu splits single convolutions: columns of a part, nothing where they stay whole.
std::optional<int64_t> PartOf(int64_t width, int64_t size, int64_t stride, int64_t low,
                              int64_t high) {
  hlo::WindowDimension window;
  window.size = size;
  window.stride = stride;
  window.padding_low = low;
  window.padding_high = high;
  return SplitWindow(width, (width + low + high - size) / stride + 1, window).FirstPart();
}

TEST(SplitWindowTest, ColumnsOfAPart) {
  EXPECT_EQ(PartOf(64, 3, 1, 1, 1), 9);
  EXPECT_EQ(PartOf(15, 3, 1, 1, 1), 3);
  EXPECT_EQ(PartOf(12, 3, 1, 1, 1), std::nullopt);
  EXPECT_EQ(PartOf(32, 1, 1, 0, 0), 4);
  EXPECT_EQ(PartOf(15, 1, 1, 0, 0), std::nullopt);
  EXPECT_EQ(PartOf(16, 1, 1, 0, 0), 2);
  EXPECT_EQ(PartOf(32, 7, 1, 3, 3), std::nullopt);
  EXPECT_EQ(PartOf(20, 5, 1, 2, 2), std::nullopt);
  EXPECT_EQ(PartOf(64, 7, 2, 2, 3), 10);
  EXPECT_EQ(PartOf(32, 3, 2, 0, 1), 6);
  EXPECT_EQ(PartOf(512, 16, 16, 0, 0), 64);
}

TEST(SplitWindowTest, ColumnsOfTheNextOne) {
  hlo::WindowDimension window;
  window.size = 3;
  window.padding_low = window.padding_high = 1;
  EXPECT_EQ(SplitWindow(64, 64, window).NextPart(9), 9);
  window.stride = 2;
  window.padding_low = 0;
  EXPECT_EQ(SplitWindow(64, 32, window).NextPart(9), 8);
  EXPECT_EQ(SplitWindow(64, 32, window).NextPart(10), 10);
}

}  // namespace
}  // namespace tessera::target
