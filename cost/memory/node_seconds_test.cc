// Times are orders of magnitude: numbers of the data sheet of an H100 (cost/kernel, docs/reshards.md).

#include "tessera/cost/memory/node_seconds.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/fusion/kept_by_kernels.h"

namespace tessera::cost {
namespace {

struct NodeMicros {
  double all = 0, computing = 0, touching = 0;
};

NodeMicros MicrosOf(const std::string& line, const std::string& target, const std::string& shape) {
  const auto module = hlo::ParseModule(
      "HloModule m, num_partitions=8\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  x = " +
      shape + " parameter(0)\n  ROOT r = " + line + "\n}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = target::FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), int64_t{4} << 24);
  const target::KeptValues kept = target::FindKeptByKernels(*flow, target::KernelsOf(*flow));
  const NodeTimes times = TimesOf(*flow, kept, bytes, *target::ParseTarget(target));
  const target::NodeId n = flow->values[flow->scopes[0].roots[0]].node;
  return {times.seconds[n] * 1e6, times.computing[n] * 1e6, times.touching[n] * 1e6};
}

// Microseconds of the node of an instruction.
double Micros(const std::string& line, const std::string& target = "h100:8",
              const std::string& shape = "f32[4096,4096]") {
  return MicrosOf(line, target, shape).all;
}

// 128 MiB at 3352 GB/s, as XLA's cost model has it.
TEST(NodeSecondsTest, AKernelTakesTheTimeOfItsBytes) {
  EXPECT_NEAR(Micros("f32[4096,4096] exponential(x)"), 41, 1);
}

// XLA has 341 us for it: 403 TFLOP/s.
TEST(NodeSecondsTest, AProductTakesTheTimeOfItsOperations) {
  EXPECT_NEAR(
      Micros("f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"), 341,
      5);
}

// As many operations with 64 contracted elements as with 128, which fill the matrix unit of a v5e.
TEST(NodeSecondsTest, AProductOfATpuTakesThatOfItsPadding) {
  const std::string squares =
      "1024,1024] dot(x, x), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_contracting_dims={1}";
  const double full = Micros("f32[512," + squares, "tpu-v5e:2x4", "f32[512,128,1024]");
  const double half = Micros("f32[1024," + squares, "tpu-v5e:2x4", "f32[1024,64,1024]");
  EXPECT_NEAR(half / full, 2, 0.05);
}

// Three arrays of 64 MiB, at 819 GB/s.
TEST(NodeSecondsTest, AKernelOfATpuIsAsLongAsItsBytesOrItsProducts) {
  const auto product = [](const std::string& size) {
    const std::string square = absl::StrCat("bf16[", size, ",", size, "]");
    return MicrosOf(square + " dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                    "tpu-v5e:2x4", square);
  };
  EXPECT_EQ(product("4096").all, product("4096").computing);
  EXPECT_NEAR(product("512").all, 246, 1);
  EXPECT_LT(product("512").computing, 10);
}

// In the log of its memory space assignment an all-reduce of 8 MiB takes 22.7 us.
TEST(NodeSecondsTest, ForAPlaceInVmemACollectiveOfATpuTakesTheTimeOfItsArrays) {
  const std::string sum = "f32[4096,4096] all-reduce(x), to_apply=sum, replica_groups={}";
  EXPECT_NEAR(MicrosOf(sum, "tpu-v5e:2x4", "f32[4096,4096]").touching, 164, 1);
}

// The update, read and written.
TEST(NodeSecondsTest, ForAPlaceInVmemAnUpdateOfATpuTouchesNoOtherElements) {
  EXPECT_NEAR(MicrosOf("s32[] dynamic-update-slice(x, x)", "tpu-v5e:2x4", "s32[]").touching, 164,
              1);
}

// XLA has 573 us for two devices that exchange 64 MiB, 380 us for an all-reduce of as much among eight.
TEST(NodeSecondsTest, ACollectiveTakesTheTimeOfItsLinks) {
  const std::string groups = "replica_groups={{0,1,2,3,4,5,6,7}}";
  const double permute =
      Micros("f32[4096,4096] collective-permute(x), source_target_pairs={{0,1},{1,0}}");
  const double sum = Micros("f32[4096,4096] all-reduce(x), to_apply=sum, " + groups);
  EXPECT_NEAR(permute, 573, 2);
  EXPECT_NEAR(sum, 380, 2);
}

// 64 MiB in both directions of an axis. Each direction reaches 36.9 of 45 GB/s, and begins after 5 us.
TEST(NodeSecondsTest, ATpuSendsInBothDirections) {
  const std::string permute =
      "f32[4096,4096] collective-permute(x), source_target_pairs={{0,1},{1,0}}";
  EXPECT_NEAR(Micros(permute, "tpu-v5e:2x4"), 914, 5);
}

}  // namespace
}  // namespace tessera::cost
