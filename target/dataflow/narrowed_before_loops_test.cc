#include "tessera/target/dataflow/narrowed_before_loops.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

// Two loops over the same weights, each with a product that reads `narrow`, made of the slice `k` of them.
std::string Loops(const std::string& narrow) {
  const std::string carry = "(s32[], bf16[64,64], f32[12,64,64])";
  std::string text = absl::StrCat(
      "go {\n  s = CARRY parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  e = s32[] constant(12)\n  ROOT c = pred[] compare(i, e), direction=LT\n}\n"
      "body {\n  s = CARRY parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = bf16[64,64] get-tuple-element(s), index=1\n"
      "  w = f32[12,64,64] get-tuple-element(s), index=2\n  z = s32[] constant(0)\n"
      "  k = f32[1,64,64] dynamic-slice(w, i, z, z), dynamic_slice_sizes={1,64,64}\n",
      narrow,
      "  d = bf16[64,64] dot(x, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  o = s32[] constant(1)\n  j = s32[] add(i, o)\n  ROOT t = CARRY tuple(j, d, w)\n}\n"
      "ENTRY e {\n  x = bf16[64,64] parameter(0)\n  w = f32[12,64,64] parameter(1)\n"
      "  z = s32[] constant(0)\n  t = CARRY tuple(z, x, w)\n"
      "  l = CARRY while(t), condition=go, body=body\n"
      "  y = bf16[64,64] get-tuple-element(l), index=1\n  u = CARRY tuple(z, y, w)\n"
      "  m = CARRY while(u), condition=go, body=body\n"
      "  ROOT r = bf16[64,64] get-tuple-element(m), index=1\n}\n");
  return absl::StrReplaceAll(text, {{"CARRY", carry}});
}

// The converts of the entry, and those of loops.
std::pair<int64_t, int64_t> ConvertsOf(const std::string& narrow) {
  const auto module = hlo::ParseModule(Loops(narrow));
  EXPECT_TRUE(module.ok()) << module.status();
  auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  NarrowBeforeLoops(&*flow);
  std::pair<int64_t, int64_t> found;
  for (const Node& node : flow->nodes) {
    if (node.opcode != Opcode::kConvert) continue;
    ++(node.scope == 0 ? found.first : found.second);
    if (node.scope == 0) {
      EXPECT_EQ(flow->values[node.results[0]].shape->NumElements(), 12 * 64 * 64);
      const std::vector<NodeId>& order = flow->scopes[0].nodes;
      const auto is = [&](Opcode opcode) {
        return absl::c_find_if(order, [&](NodeId n) { return flow->nodes[n].opcode == opcode; });
      };
      EXPECT_LT(is(Opcode::kConvert), is(Opcode::kWhile));
    }
  }
  return found;
}

TEST(NarrowBeforeLoopsTest, OnceForBothLoops) {
  EXPECT_EQ(ConvertsOf("  v = f32[64,64] reshape(k)\n  n = bf16[64,64] convert(v)\n"),
            std::make_pair(int64_t{1}, int64_t{0}));
  EXPECT_EQ(ConvertsOf("  p = f32[1,64,64] opt-barrier(k)\n  v = f32[64,64] reshape(p)\n"
                       "  n = bf16[64,64] convert(v)\n"),
            std::make_pair(int64_t{1}, int64_t{0}));
}

TEST(NarrowBeforeLoopsTest, NotOfWhatTheLoopMakes) {
  EXPECT_EQ(ConvertsOf("  v = f32[64,64] reshape(k)\n  a = f32[64,64] negate(v)\n"
                       "  n = bf16[64,64] convert(a)\n"),
            std::make_pair(int64_t{0}, int64_t{2}));
}

}  // namespace
}  // namespace tessera::target
