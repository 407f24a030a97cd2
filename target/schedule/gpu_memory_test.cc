// The values that kernels of a GPU keep in memory.

#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/fusion/kept_by_kernels.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/live_memory.h"

namespace tessera::target {
namespace {

// In KiB, without arguments and results.
int64_t PeakOnGpu(absl::string_view text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  ArraySizes sizes(*ParseTarget("h100:1")->chip);
  std::vector<int64_t> bytes;
  for (const Value& value : flow->values) bytes.push_back(sizes.BytesOf(*value.shape));
  const KeptValues kept = FindKeptByKernels(*flow, KernelsOf(*flow));
  const Homes homes = FindHomes(*flow, kept, {});
  const std::vector<double> seconds(flow->nodes.size(), 1e-6);
  const std::vector<bool> own_kernels(flow->nodes.size());
  return FindLiveMemory(*flow, kept, homes, bytes, {seconds, &own_kernels, nullptr, {}, {}}).peak >>
         10;
}

// A sum lies where the array is that is summed.
TEST(GpuMemoryTest, AnAllReduceOfAGpuTakesNoMemory) {
  EXPECT_EQ(
      PeakOnGpu("HloModule m, num_partitions=2\nsum {\n  a = f32[] parameter(0)\n  b = f32[] "
                "parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
                "ENTRY e {\n  x = f32[128,128] parameter(0)\n"
                "  p = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                "  r = f32[128,128] all-reduce(p), channel_id=1, replica_groups={{0,1}}, "
                "use_global_device_ids=true, to_apply=sum\n"
                "  ROOT d = f32[128,128] dot(r, x), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}\n}\n"),
      64);
}

// It is the transpose that is written into the memory of the result, not what is transposed.
TEST(GpuMemoryTest, ATransposedResultTakesNoMemoryBesideTheResult) {
  EXPECT_EQ(PeakOnGpu("HloModule m\nENTRY e {\n  x = f32[128,128] parameter(0)\n"
                      "  n = f32[128,128] exponential(x)\n"
                      "  ROOT t = f32[128,128] transpose(n), dimensions={1,0}\n}\n"),
            0);
}

}  // namespace
}  // namespace tessera::target
