#include "tessera/target/schedule/latency/kernel_times.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {
namespace {

constexpr double kKernel = 1e-6, kPermute = 4e-6;

// A loop that fills `z`, row `index` in each trip, and sends a row to the next device.
struct FilledStack {
  explicit FilledStack(const std::string& index)
      : module(*hlo::ParseModule(absl::StrCat(
            "HloModule m, num_partitions=2\ngo {\n  s = (s32[], f32[9,4], f32[1,4]) parameter(0)\n"
            "  i = s32[] get-tuple-element(s), index=0\n"
            "  ROOT l = pred[] compare(i, i), direction=LT\n}\n"
            "body {\n  s = (s32[], f32[9,4], f32[1,4]) parameter(0)\n  i = s32[] "
            "get-tuple-element(s), index=0\n"
            "  x = f32[9,4] get-tuple-element(s), index=1\n  r = f32[1,4] get-tuple-element(s), "
            "index=2\n"
            "  o = s32[] constant(1)\n  j = s32[] add(i, o)\n  n = s32[] constant(8)\n  d = s32[] "
            "subtract(n, i)\n"
            "  e = f32[1,4] exponential(r)\n"
            "  p = f32[1,4] collective-permute(e), source_target_pairs={{0,1},{1,0}}\n"
            "  q = f32[1,4] negate(p)\n  k = s32[] constant(0)\n"
            "  y = f32[9,4] dynamic-update-slice(x, r, ",
            index,
            ", k)\n  ROOT t = (s32[], f32[9,4], f32[1,4]) tuple(j, y, q)\n}\n"
            "ENTRY e {\n  i = s32[] parameter(0)\n  r = f32[1,4] parameter(1)\n  c = f32[] "
            "constant(0)\n"
            "  z = f32[9,4] broadcast(c), dimensions={}\n  t = (s32[], f32[9,4], f32[1,4]) "
            "tuple(i, z, r)\n"
            "  w = (s32[], f32[9,4], f32[1,4]) while(t), condition=go, body=body\n"
            "  ROOT a = f32[9,4] get-tuple-element(w), index=1\n}\n"))),
        flow(*FindDataflow(module)),
        scopes(
            FindKernels(flow, FindKeptValues(flow, std::vector<int64_t>(flow.values.size(), 1)))),
        seconds(flow.nodes.size(), kKernel),
        hiding(flow.nodes.size(), true),
        bytes(flow.values.size(), 1) {
    for (NodeId n = 0; n < flow.nodes.size(); ++n) {
      if (flow.nodes[n].opcode == hlo::Opcode::kCollectivePermute) seconds[n] = kPermute;
    }
  }

  // Of the node of the entry.
  KernelTime Of(hlo::Opcode opcode) const {
    const Scheduling rules = {seconds, nullptr, &hiding, {{1, 5}, true, true}, {}};
    KernelTimes times(flow, scopes, bytes, rules);
    std::vector<Step> steps;
    for (uint32_t k = 0; k < scopes[1].kernels.size(); ++k) {
      const Node& node = flow.nodes[scopes[1].kernels[k].node];
      steps.push_back({k, true, node.opcode != hlo::Opcode::kCollectivePermute});
      if (!steps.back().ends) steps.push_back({k, false, true});
    }
    times.Add(1, steps);
    const std::vector<KernelTime> found = times.Of(0);
    for (size_t k = 0; k < found.size(); ++k) {
      if (flow.nodes[scopes[0].kernels[k].node].opcode == opcode) return found[k];
    }
    return {};
  }

  const hlo::Module module;
  const Dataflow flow;
  const std::vector<ScopeKernels> scopes;
  std::vector<double> seconds;
  const std::vector<bool> hiding;
  const std::vector<int64_t> bytes;
};

// In front of its scheduler, the compiler's module has `AllocateBuffer` for stacks of a scan. Stacks of its gradient,
// whose index is subtracted, are zeros.
TEST(KernelTimesTest, AStackThatIsFilledFromItsEndIsAFill) {
  EXPECT_FALSE(FilledStack("i").Of(hlo::Opcode::kBroadcast).is_large_fill);
  EXPECT_TRUE(FilledStack("d").Of(hlo::Opcode::kBroadcast).is_large_fill);
}

TEST(KernelTimesTest, ALoopOfATpuTakesItsTripsAndHoldsWhatIsInFlight) {
  const KernelTime loop = FilledStack("i").Of(hlo::Opcode::kWhile);
  EXPECT_GE(loop.seconds, 5 * (kPermute + kKernel));
  EXPECT_EQ(loop.inside[kPermutes], 1);
  EXPECT_EQ(loop.inside[kFirstStream], 0);
}

}  // namespace
}  // namespace tessera::target
