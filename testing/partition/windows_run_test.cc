// Dots and convolutions in windows (sharding/partition/ops/dot/windows.h), as TPUs do them: each loop computes what the
// product computes, on groups that make a trip of four products and on others, of even and uneven shards.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/testing/partition/device_run.h"

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Row {
  const char* name;
  // The entry; N stands for the number of devices.
  const char* entry;
  const char* body = "windowed_dot_general_body_ag";
};

std::vector<Row> Rows() {
  return {
      {"CutAlongWhatIsContracted",
       "x = f32[48,24] parameter(0), sharding={devices=[N,1]<=[N]} w = f32[24,5] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = f32[48,5] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}"},
      {"CutAlongItsOwn",
       "x = f32[48,7] parameter(0), sharding={devices=[N,1]<=[N]} w = f32[7,24] parameter(1), "
       "sharding={devices=[1,N]<=[N]} ROOT y = f32[48,24] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}"},
      {"CutAlongBatches",
       "x = f32[24,48,3] parameter(0), sharding={devices=[1,N,1]<=[N]} w = f32[24,3,5] "
       "parameter(1), sharding={devices=[N,1,1]<=[N]} ROOT y = f32[24,48,5] dot(x, w), "
       "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}, sharding={devices=[1,N,1]<=[N]}"},
      {"TheLeftOneMoves",
       "x = f32[24,6] parameter(0), sharding={devices=[N,1]<=[N]} w = f32[24,48] parameter(1), "
       "sharding={devices=[1,N]<=[N]} ROOT y = f32[6,48] dot(x, w), lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}, sharding={devices=[1,N]<=[N]}"},
      {"TheSumMoves",
       "x = f32[48,24] parameter(0), sharding={devices=[1,N]<=[N]} w = f32[24,5] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = f32[48,5] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}",
       "windowed_dot_general_body_rs"},
      {"TheSumMovesToColumns",
       "x = f32[6,24] parameter(0), sharding={devices=[1,N]<=[N]} w = f32[24,48] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = f32[6,48] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[1,N]<=[N]}",
       "windowed_dot_general_body_rs"},
      {"UnevenAlongWhatIsContracted",
       "x = f32[48,23] parameter(0), sharding={devices=[N,1]<=[N]} w = f32[23,5] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = f32[48,5] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}"},
      {"UnevenAlongItsOwn",
       "x = f32[47,7] parameter(0), sharding={devices=[N,1]<=[N]} w = f32[7,21] parameter(1), "
       "sharding={devices=[1,N]<=[N]} ROOT y = f32[47,21] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}"},
      {"UnevenSums",
       "x = f32[47,22] parameter(0), sharding={devices=[1,N]<=[N]} w = f32[22,5] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = f32[47,5] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}",
       "windowed_dot_general_body_rs"},
      {"OfIntegers",
       "x = s32[48,24] parameter(0), sharding={devices=[N,1]<=[N]} w = s32[24,5] parameter(1), "
       "sharding={devices=[N,1]<=[N]} ROOT y = s32[48,5] dot(x, w), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}, sharding={devices=[N,1]<=[N]}"},
      // Convolutions whose windows do not overlap: patches of images.
      {"KernelsOfPatches",
       "x = f32[24,8,8,3] parameter(0), sharding={devices=[N,1,1,1]<=[N]} k = f32[4,4,3,24] "
       "parameter(1), sharding={devices=[1,1,1,N]<=[N]} ROOT y = f32[24,2,2,24] convolution(x, k), "
       "window={size=4x4 stride=4x4}, dim_labels=b01f_01io->b01f, "
       "sharding={devices=[N,1,1,1]<=[N]}"},
      {"ChannelsOfPatches",
       "x = f32[24,8,8,24] parameter(0), sharding={devices=[N,1,1,1]<=[N]} k = f32[4,4,24,5] "
       "parameter(1), sharding={devices=[1,1,N,1]<=[N]} ROOT y = f32[24,2,2,5] convolution(x, k), "
       "window={size=4x4 stride=4x4}, dim_labels=b01f_01io->b01f, "
       "sharding={devices=[N,1,1,1]<=[N]}"},
      {"RowsOfOnePatch",
       "x = f32[24,24,4,3] parameter(0), sharding={devices=[N,1,1,1]<=[N]} k = f32[24,4,3,5] "
       "parameter(1), sharding={devices=[N,1,1,1]<=[N]} ROOT y = f32[24,1,1,5] convolution(x, k), "
       "window={size=24x4}, dim_labels=b01f_01io->b01f, sharding={devices=[N,1,1,1]<=[N]}"},
      {"ImagesMove",
       "x = f32[24,8,8,3] parameter(0), sharding={devices=[N,1,1,1]<=[N]} k = f32[4,4,3,48] "
       "parameter(1), sharding={devices=[1,1,1,N]<=[N]} ROOT y = f32[24,2,2,48] convolution(x, k), "
       "window={size=4x4 stride=4x4}, dim_labels=b01f_01io->b01f, "
       "sharding={devices=[1,1,1,N]<=[N]}"},
      {"GradientsOfKernels",
       "x = f32[24,8,8,3] parameter(0), sharding={devices=[N,1,1,1]<=[N]} d = f32[24,2,2,24] "
       "parameter(1), sharding={devices=[N,1,1,1]<=[N]} ROOT y = f32[4,4,3,24] convolution(x, d), "
       "window={size=2x2 rhs_dilate=4x4}, dim_labels=f01b_i01o->01bf, "
       "sharding={devices=[1,1,1,N]<=[N]}",
       "windowed_dot_general_body_rs"},
  };
}

sharding::partition::Options Always() {
  sharding::partition::Options options;
  options.windows = {/*flops_per_byte=*/1, /*few_bytes=*/1 << 30, /*most_devices=*/32};
  return options;
}

std::string Partitioned(const std::string& text, const sharding::partition::Options& options) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << text;
  const auto made = sharding::partition::PartitionModule(*module, {}, options);
  EXPECT_TRUE(made.ok()) << made.status();
  hlo::PrintOptions print = hlo::PrintOptions::Default();
  print.large_constants = true;
  return hlo::PrintModule(made->module, print);
}

void ExpectTheSame(const std::string& text, const std::string& device_text) {
  const auto module = hlo::ParseModule(text);
  const auto device = hlo::ParseModule(device_text);
  ASSERT_TRUE(device.ok()) << device.status() << device_text;
  const text::Diagnostics verified = hlo::VerifyModule(*device);
  EXPECT_TRUE(verified.ok()) << verified.Render(*device->text()) << device_text;
  const DeviceRun run = RunOnDevices(*module, *device);
  EXPECT_EQ(run.verdict, DeviceRun::Verdict::kEqual) << run.note << "\n" << device_text;
}

class WindowsRunTest : public ::testing::TestWithParam<Row> {};

TEST_P(WindowsRunTest, ComputesTheSame) {
  for (const int devices : {2, 3, 4, 8}) {
    const std::string text =
        absl::Substitute("HloModule m, num_partitions=$0\nENTRY main {\n  $1\n}\n", devices,
                         absl::StrReplaceAll(GetParam().entry, {{"N", absl::StrCat(devices)}}));
    const std::string device = Partitioned(text, Always());
    EXPECT_THAT(device, HasSubstr(GetParam().body)) << devices;
    EXPECT_THAT(device, Not(HasSubstr("all-gather"))) << devices;
    ExpectTheSame(text, device);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WindowsRunTest, ::testing::ValuesIn(Rows()),
                         [](const auto& info) { return std::string(info.param.name); });

// Two groups of four, each with half of the columns.
constexpr char kInGroups[] =
    "HloModule m, num_partitions=8\nENTRY main {\n"
    "  x = f32[16,24] parameter(0), sharding={devices=[4,1,2]<=[2,4]T(1,0) "
    "last_tile_dim_replicate}\n"
    "  w = f32[24,6] parameter(1), sharding={devices=[4,2]<=[2,4]T(1,0)}\n"
    "  ROOT y = f32[16,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[4,2]<=[2,4]T(1,0)}\n}\n";

TEST(WindowsTest, InsideGroups) {
  const std::string device = Partitioned(kInGroups, Always());
  EXPECT_THAT(device, HasSubstr("windowed_dot_general_body_ag"));
  ExpectTheSame(kInGroups, device);
}

// The border: 64 rows on a device, times eight devices, against twice the bytes.
TEST(WindowsTest, OnlyWhereTheyPay) {
  const std::string text =
      "HloModule m, num_partitions=8\nENTRY main {\n"
      "  x = bf16[512,256] parameter(0), sharding={devices=[8,1]<=[8]}\n"
      "  w = bf16[256,512] parameter(1), sharding={devices=[8,1]<=[8]}\n"
      "  ROOT y = bf16[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[8,1]<=[8]}\n}\n";
  sharding::partition::Options options;
  options.windows = {/*flops_per_byte=*/255, /*few_bytes=*/0, /*most_devices=*/32};
  EXPECT_THAT(Partitioned(text, options), Not(HasSubstr("all-gather")));
  options.windows->flops_per_byte = 257;
  EXPECT_THAT(Partitioned(text, options), HasSubstr("all-gather"));
  options.windows->flops_per_byte = 1;
  options.windows->most_devices = 7;
  EXPECT_THAT(Partitioned(text, options), HasSubstr("all-gather"));
  EXPECT_THAT(Partitioned(text, {}), HasSubstr("all-gather"));
}

// Four devices that fill two sides of two have links for an all-gather that a ring does not use.
TEST(WindowsTest, NotOnASquareOfFour) {
  sharding::partition::Options options = Always();
  options.windows->few_bytes = 0;
  options.windows->flops_per_byte = 0;
  options.windows->torus = {2, 4};
  EXPECT_THAT(Partitioned(kInGroups, options), HasSubstr("windowed"));
  options.windows->torus = {2, 2, 2};
  EXPECT_THAT(Partitioned(kInGroups, options), Not(HasSubstr("windowed")));
}

// One gather serves both dots.
TEST(WindowsTest, NotWhereAnotherNeedsTheSame) {
  const std::string text =
      "HloModule m, num_partitions=4\nENTRY main {\n"
      "  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  z = f32[32,8] parameter(1), sharding={devices=[4,1]<=[4]}\n"
      "  w = f32[8,6] parameter(2), sharding={devices=[4,1]<=[4]}\n"
      "  y = f32[16,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]}\n"
      "  u = f32[32,6] dot(z, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "sharding={devices=[4,1]<=[4]}\n"
      "  ROOT t = (f32[16,6], f32[32,6]) tuple(y, u), "
      "sharding={{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}\n}\n";
  const std::string device = Partitioned(text, Always());
  EXPECT_THAT(device, HasSubstr("all-gather"));
  EXPECT_THAT(device, Not(HasSubstr("windowed")));
  ExpectTheSame(text, device);
}

// Four parts of what is contracted, two of rows and of columns; the result is cut like the rows (or the columns), and its
// other dimension in four. Groups along what is contracted come first only where they follow the left operand.
TEST(WindowsTest, GroupsOfTheRightOperandComeFirst) {
  const auto dot = [](absl::string_view result) {
    return absl::Substitute(
        "HloModule m, num_partitions=8\nENTRY main {\n"
        "  x = f32[8,512] parameter(0), sharding={devices=[2,4]<=[8]}\n"
        "  w = f32[512,32] parameter(1), sharding={devices=[4,2]<=[2,4]T(1,0)}\n"
        "  ROOT y = f32[8,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
        "sharding={devices=$0}\n}\n",
        result);
  };
  sharding::partition::Options options = Always();
  options.windows->few_bytes = 0;
  const std::string left = dot("[2,4]<=[8]"), right = dot("[4,2]<=[2,4]T(1,0)");
  const std::string of_left = Partitioned(left, options);
  EXPECT_THAT(of_left, Not(HasSubstr("windowed")));
  ExpectTheSame(left, of_left);
  const std::string of_right = Partitioned(right, options);
  EXPECT_THAT(of_right, HasSubstr("windowed_dot_general_body_rs"));
  ExpectTheSame(right, of_right);
}

}  // namespace
}  // namespace tessera::testing
