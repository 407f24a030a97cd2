#include "tessera/layout/relayout/plan/padded_slots.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/layout/index_map.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout::relayout {
namespace {

std::string RangesOf(const char* text, int64_t bits) {
  const IndexMap map = *IndexMap::Create(ShapeFrom(text));
  std::string out;
  PaddedSlots::Of(map.tiling(), map.total(), bits)
      .ForEach(0, map.total(), [&](int64_t begin, int64_t end) {
        absl::StrAppend(&out, out.empty() ? "" : " ", begin, "..", end);
      });
  return out;
}

TEST(PaddedSlotsTest, OnlyRaggedTiles) {
  struct {
    const char* shape;
    const char* ranges;
  } const kCases[] = {
      {"f32[3,5]", ""},
      {"f32[3,5]{1,0:L(4)}", "15..16"},
      {"f32[4,6]{1,0:T(2,2)}", ""},
      {"f32[4,5]{1,0:T(2,2)}", "8..12 20..24"},
      {"f32[3,6]{1,0:T(2,2)}", "12..24"},
      {"f32[3,5]{1,0:T(2,2)L(7)}", "8..12 12..24 24..28"},
      {"f32[2,3,4]{2,1,0:T(2,2)}", "8..16 24..32"},
      {"bf16[4,6]{1,0:T(2,4)(2,1)}", "8..16 24..32"},
      {"f32[20,300]{1,0:T(8,128)}", "2048..3072 5120..6144 6144..9216"},
      {"f32[2,7]{1,0:T(*,4)}", "12..16"},
      {"f32[3]{0:T(2,2)}", "0..8"},
      {"f32[6,4]{1,0:T(4,2)(8,1)}", "0..64"},    // the second tile pads inside
      {"f32[4,5]{1,0:T(2,2)(2,1,2)}", "0..32"},  // its second tile spans two first tiles
  };
  for (const auto& c : kCases) EXPECT_EQ(RangesOf(c.shape, 32), c.ranges) << c.shape;
}

TEST(PaddedSlotsTest, SubByteElements) {
  EXPECT_EQ(RangesOf("s4[5]{0:T(2)E(4)}", 4), "4..6");
  EXPECT_EQ(RangesOf("s4[5]{0:T(3)E(4)}", 4), "0..6");
}

}  // namespace
}  // namespace tessera::layout::relayout
