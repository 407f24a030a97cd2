// Parts of reduce-scatters as the compiler made them of the same sums: libtpu 0.0.50.1, the module after
// tpu-all-reduce-scatter-fusion.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSum[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

struct Scatter {
  std::string target, groups, type;
  std::vector<int64_t> part;
  int64_t first;  // the size of the first dimension after the pass
};

// A sum of which each device keeps rows.
std::string TextOf(const Scatter& scatter, int64_t devices) {
  std::vector<int64_t> whole = scatter.part;
  whole[0] *= devices;
  const auto shape = [&](const std::vector<int64_t>& sizes) {
    return absl::StrCat(scatter.type, "[", absl::StrJoin(sizes, ","), "]");
  };
  return absl::StrCat(
      absl::StrReplaceAll(kSum, {{"f32", scatter.type}}), "ENTRY e {\n  x = ", shape(whole),
      " parameter(0)\n  ROOT r = ", shape(scatter.part),
      " reduce-scatter(x), to_apply=sum, channel_id=1, replica_groups=", scatter.groups,
      ", use_global_device_ids=true, dimensions={0}\n}\n");
}

std::string Padded(const Scatter& scatter, int64_t devices) {
  return After(PadReduceScatters, TextOf(scatter, devices), XlaFlags(), scatter.target);
}

void ExpectParts(const std::vector<Scatter>& scatters, int64_t devices) {
  for (const Scatter& scatter : scatters) {
    int64_t size = scatter.first;
    for (size_t d = 1; d < scatter.part.size(); ++d) size *= scatter.part[d];
    const bool grows = scatter.first != scatter.part[0];
    const std::string made = absl::StrCat(scatter.type, "[", size, "]{0} reduce-scatter(");
    const std::string text = Padded(scatter, devices);
    EXPECT_EQ(absl::StrContains(text, made), grows) << TextOf(scatter, devices) << text;
    EXPECT_EQ(absl::StrContains(text, "collective-permute("), grows) << TextOf(scatter, devices);
  }
}

TEST(PadReduceScattersTest, FourDevicesOfARing) {
  const std::string v5e = "tpu-v5e:2x4", groups = "{{0,1,2,3},{4,5,6,7}}";
  ExpectParts({{v5e, groups, "bf16", {24, 128}, 32},      // an odd number of tiles
               {v5e, groups, "bf16", {24, 256}, 24},      //
               {v5e, groups, "bf16", {88, 384}, 96},      //
               {v5e, groups, "bf16", {808, 256}, 808},    //
               {v5e, groups, "bf16", {3608, 256}, 3616},  // two chunks of 226 rows of two tiles
               {v5e, groups, "bf16", {3608, 384}, 3648},  // three of 152
               {v5e, groups, "bf16", {4808, 1024}, 4840},
               {v5e, groups, "f32", {12, 1024}, 16},  // rows of half a tile
               {v5e, groups, "f32", {57, 1024}, 64},
               {v5e, groups, "f32", {987, 8, 128}, 990},  // tiles
               {v5e, groups, "f32", {7318, 8, 128}, 7344},
               {v5e, groups, "f32", {455, 24, 128}, 456}},
              4);
}

TEST(PadReduceScattersTest, AllDevicesOfAPod) {
  ExpectParts({{"tpu-v5e:4x8", "[1,32]<=[32]", "bf16", {512, 1024}, 528},
               {"tpu-v5e:4x8", "[1,32]<=[32]", "bf16", {128, 1024}, 128}},
              32);
  ExpectParts({{"tpu-v5e:8x16", "[1,128]<=[128]", "bf16", {128, 1024}, 144},
               {"tpu-v5e:8x16", "[1,128]<=[128]", "bf16", {32, 1024}, 32},
               {"tpu-v5e:8x16", "[1,128]<=[128]", "bf16", {250, 1024}, 264},
               {"tpu-v6e:8x16", "[1,128]<=[128]", "bf16", {128, 1024}, 144}},
              128);
}

TEST(PadReduceScattersTest, FourDevicesOfTwoSidesOfTwo) {
  const std::string v5e = "tpu-v5e:2x2", groups = "{{0,1,2,3}}";
  ExpectParts({{v5e, groups, "f32", {40, 256}, 48},
               {v5e, groups, "f32", {48, 128}, 64},
               {v5e, groups, "f32", {48, 1024}, 48},
               {v5e, groups, "f32", {3608, 1024}, 3744},
               {v5e, groups, "f32", {4808, 384}, 4864},
               {v5e, groups, "f32", {2101, 8, 128}, 2120}},
              4);
}

// What the others grew goes to the next device, and beyond it where it is more than a part.
TEST(PadReduceScattersTest, PartsComeFromTheDevicesInFront) {
  const std::string v6e = "tpu-v6e:2x4", groups = "{{0,1,2,3,4,5,6,7}}";
  EXPECT_THAT(
      Padded({v6e, groups, "bf16", {4000, 2048}, 0}, 8),
      AllOf(HasSubstr("bf16[8306688]{0} reduce-scatter("),
            HasSubstr("bf16[802816]{0} collective-permute("),
            HasSubstr("{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}"),
            HasSubstr("constant({802816, 688128, 573440, 458752, 344064, 229376, 114688, 0})"),
            HasSubstr("bf16[4000,2048]{1,0} reshape(")));
  EXPECT_THAT(Padded({v6e, groups, "f32", {3, 8, 128}, 0}, 8),
              AllOf(HasSubstr("f32[4096]{0} reduce-scatter("),
                    HasSubstr("f32[4096]{0} collective-permute("),
                    HasSubstr("{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7}}"),
                    HasSubstr("f32[3072]{0} collective-permute("),
                    HasSubstr("{{0,2},{1,3},{2,4},{3,5},{4,6},{5,7}}"),
                    HasSubstr("f32[11264]{0} concatenate(")));
}

// Parts that lie in two pieces, and columns, stay as they are.
TEST(PadReduceScattersTest, NotInPieces) {
  const std::string sum = absl::StrCat(
      kSum,
      "ENTRY e {\n  x = f32[2,96,128] parameter(0)\n  y = f32[24,512] parameter(1)\n"
      "  r = f32[2,24,128] reduce-scatter(x), to_apply=sum, channel_id=1, "
      "replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, dimensions={1}\n"
      "  q = f32[24,128] reduce-scatter(y), to_apply=sum, channel_id=2, "
      "replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true, dimensions={1}\n"
      "  ROOT t = (f32[2,24,128], f32[24,128]) tuple(r, q)\n}\n");
  const std::string after = After(PadReduceScatters, sum, XlaFlags(), "tpu-v5e:2x4");
  EXPECT_THAT(after, AllOf(HasSubstr("tuple(r, q)"), Not(HasSubstr("collective-permute"))));
}

TEST(PadReduceScattersTest, RowsAreNotTiles) {
  const ArraySizes sizes(*ParseTarget("tpu-v5e:2x4")->chip);
  const ScatteredPart part =
      LaidPart(sizes, layout::Shape::Array(layout::ElementType::kF32, {57, 1024}), {}, 0);
  EXPECT_EQ(part.place, 1);
  EXPECT_EQ(part.pieces, 1);
  EXPECT_EQ(TilesOf(part.laid), 64);
  EXPECT_EQ(CutElements(part), 57 * 1024);
  EXPECT_EQ(ElementsInChunks(part, 457, false), 64 * 1024);
}

TEST(PadReduceScattersTest, ColumnsThatATileLacksAreNotSent) {
  const ArraySizes sizes(*ParseTarget("tpu-v5e:2x4")->chip);
  MinorChoice last;
  last.minor = uint64_t{1} << 2;
  const ScatteredPart part =
      LaidPart(sizes, layout::Shape::Array(layout::ElementType::kF32, {4096, 8, 64}), last, 0);
  EXPECT_EQ(TilesOf(part.laid), 4096);
  EXPECT_EQ(ElementsInChunks(part, 305, false), 4116 * 8 * 64);
}

}  // namespace
}  // namespace tessera::target
