#include "tessera/layout/sizes.h"

#include "gtest/gtest.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* text;
  int64_t data;
  int64_t padded;
  int64_t xla;  // -1: none
};

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;
constexpr int64_t kGiB = 1024 * kMiB;

constexpr Row kRows[] = {
    {"f32[3,5]{1,0:T(2,2)}", 60, 96, 96},
    {"f32[]{:T(128)}", 4, 512, 512},
    {"f32[3]{0:T(8,128)}", 12, 4096, 4096},
    {"pred[9]", 9, 9, 9},
    {"pred[9]{0:E(1)}", 2, 2, 2},
    {"s4[3,5]{1,0:T(2,4)E(4)}", 8, 16, 16},
    {"f32[2,7]{1,0:L(5)}", 56, 60, 56},
    {"f32[2,7]{1,0:T(2,4)L(5)}", 56, 80, 80},
    {"bf16[1,128]{1,0:T(1,128)(2,1)}", 256, 512, 256},
    {"f32[2,3,4]{2,1,0:T(*,5)}", 96, 120, -1},
    {"f32[0,3]{1,0:T(8,128)}", 0, 0, 0},
    {"f32[10,2]{1,0:SC(0:4)}", 80, 80, 80},
    {"f32[10,2]{1,0:T(2,2)SC(0:4)}", 80, 80, 48},
    {"f32[<=3]", 12, 12, 12},
    {"token[]", 0, 0, 0},
    {"opaque[]", 8, 8, 8},
    {"b(u8[5]{0:T(4)})", 5, 8, 8},
    {"(u8[5]{0:T(4)}, (f32[2], token[]), opaque[])", 21, 24, 24},
    {"(u8[5], u8[2,3]{1,0:T(*,4)})", 11, 13, -1},
    // Public reports of padding that filled a device.
    {"s32[8388608,8,4]{2,1,0:T(8,128)}", kGiB, 32 * kGiB, 32 * kGiB},
    {"s32[8388608,8,4]{0,2,1:T(4,128)}", kGiB, kGiB, kGiB},
    {"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", kGiB, 4 * kGiB, 4 * kGiB},
    {"f32[256,512,128,2]{3,2,1,0:T(8,128)}", 128 * kMiB, 8 * kGiB, 8 * kGiB},
    {"f32[32,128,32,64]{3,0,2,1:T(8,128)}", 32 * kMiB, 64 * kMiB, 64 * kMiB},
    {"u32[12582912,1]{1,0:T(8,128)}", 48 * kMiB, 6 * kGiB, 6 * kGiB},
    {"f32[29184,1,2560]{2,1,0:T(2,128)}", 285 * kMiB, 570 * kMiB, 570 * kMiB},
    {"f32[1,4096,5,64,1,2]{5,4,3,2,1,0:T(32,32)}", 10 * kMiB, 5 * kGiB, 5 * kGiB},
    {"f32[129,1024]{1,0:T(8,128)}", 129 * 4 * kKiB, 136 * 4 * kKiB, 136 * 4 * kKiB},
};

TEST(SizesTest, Bytes) {
  for (const Row& row : kRows) {
    const absl::StatusOr<MemorySizes> sizes = SizesOf(ShapeFrom(row.text));
    ASSERT_TRUE(sizes.ok()) << row.text << sizes.status();
    EXPECT_EQ(sizes->data_bytes, row.data) << row.text;
    EXPECT_EQ(sizes->padded_bytes, row.padded) << row.text;
    EXPECT_EQ(sizes->xla_array_size.value_or(-1), row.xla) << row.text;
  }
}

TEST(SizesTest, EachLevelKnowsItsPadding) {
  const MemorySizes sizes = *SizesOf(ShapeFrom("f32[6,4]{1,0:T(4,2)(8,1)L(100)M(16)}"));
  EXPECT_EQ(sizes.elements, 24);
  EXPECT_EQ(sizes.level_padding, (std::vector<int64_t>{8, 32}));
  EXPECT_EQ(sizes.expanded_elements, 64);
  EXPECT_EQ(sizes.tail_padding, 36);
  EXPECT_EQ(sizes.total_elements, 100);
  EXPECT_EQ(sizes.alloc_bytes, 416);
  EXPECT_DOUBLE_EQ(sizes.waste(), 0.76);
}

TEST(SizesTest, NothingHasNoWaste) {
  const MemorySizes sizes = *SizesOf(ShapeFrom("f32[0]"));
  EXPECT_EQ(sizes.waste(), 0);
}

TEST(SizesTest, Errors) {
  EXPECT_EQ(ErrorCode(SizesOf(ShapeFrom("(u8[2], u8[?])")).status()), "kUnbounded");
  EXPECT_EQ(ErrorCode(SizesOf(ShapeFrom("u8[2]{1}")).status()), "V_M2M_RANGE");
  const char* two_halves = "(u8[1152921504606846975], u8[1]{0:M(9223372036854775806)})";
  EXPECT_EQ(ErrorCode(SizesOf(ShapeFrom(two_halves)).status()), "V_PADDED_OVERFLOW");
}

TEST(SizesTest, ElementsAreAsTheLayoutStoresThem) {
  EXPECT_EQ(ElementBytes(ShapeFrom("s4[16]{0:E(4)}"), 3), 2);
  EXPECT_EQ(ElementBytes(ShapeFrom("s4[16]{0}"), 3), 3);
  EXPECT_EQ(ElementBytes(ShapeFrom("f32[16]"), 3), 12);
}

TEST(SizesTest, Splits) {
  const Shape shape = ShapeFrom("f32[10,6]{0,1:T(2,2)SC(0:1,4)(1:7)}");
  EXPECT_EQ(MaxSplitSize(shape, 1), 3);
  EXPECT_EQ(MaxSplitSize(shape, 0), 7);
}

}  // namespace
}  // namespace tessera::layout
