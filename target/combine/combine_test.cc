#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/combine/chains.h"
#include "tessera/target/combine/combine_groups.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/combine/sibling_reductions.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Groups = std::vector<std::vector<KernelId>>;

// --- Kernels -------------------------------------------------------------------------------------

// "d: n p" for each kernel, in post-order.
std::vector<std::string> KernelsOf(const std::string& body, bool fuses = true) {
  DeviceProgram program(*hlo::ParseModule("HloModule m\n\nENTRY e {\n" + body + "}\n"));
  const KernelGraph graph = MakeKernelGraph(program, program.module().entry_id(), fuses);
  const auto name = [&](KernelId k) {
    return std::string(program.module().instruction(graph.instructions[k]).name);
  };
  std::vector<std::string> lines;
  for (const KernelId k : PostOrder(graph)) {
    lines.push_back(name(k) + ":");
    for (const KernelId operand : graph.operands[k]) lines.back() += " " + name(operand);
  }
  return lines;
}

TEST(KernelGraphTest, WhatOneUsesIsFused) {
  EXPECT_THAT(KernelsOf("  x = f32[8,8] parameter(0)\n"
                        "  n = f32[8,8] negate(x)\n  t = f32[8,8] tanh(n)\n"
                        "  ROOT d = f32[8,8] dot(t, n), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"),
              ElementsAre("x:", "n: x", "d: n"));
}

TEST(KernelGraphTest, InFrontOfFusionEachInstructionIsAKernel) {
  EXPECT_THAT(KernelsOf("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n"
                        "  n = f32[8] negate(x)\n  ROOT s = f32[8] add(n, y)\n",
                        /*fuses=*/false),
              ElementsAre("x:", "n: x", "y:", "s: n y"));
}

TEST(KernelGraphTest, ScalarsAreKernels) {
  EXPECT_THAT(KernelsOf("  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n"
                        "  n = f32[] negate(x)\n  ROOT s = f32[] add(n, y)\n"),
              ElementsAre("x:", "n: x", "y:", "s: n y"));
}

// What was fused reads after what stands there anyway.
TEST(KernelGraphTest, OperandsOfWhatIsFusedComeLast) {
  EXPECT_THAT(KernelsOf("  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n"
                        "  n = f32[8] negate(x)\n  ROOT s = f32[8] add(n, y)\n"),
              ElementsAre("y:", "x:", "s: y x"));
}

// Gradients of a norm whose features are cut, as libtpu has them: a needs q, since r runs with g. t needs a.
TEST(SiblingReductionsTest, WhoReadsOneNeedsWhatTheOthersRead) {
  const auto kernels = [](const std::string& more) {
    DeviceProgram program(*hlo::ParseModule(
        "HloModule m\n\n"
        "s { l = f32[] parameter(0)\n  r = f32[] parameter(1)\n  ROOT t = f32[] add(l, r) }\n\n"
        "ENTRY e {\n  x = bf16[8,64] parameter(0)\n  y = bf16[8,64] parameter(1)\n  z = f32[] "
        "constant(0)\n"
        "  w = f32[8,64] convert(x)\n  v = f32[8,64] convert(y)\n"
        "  p = f32[8,64] multiply(w, w)\n  c = f32[8] reduce(p, z), dimensions={1}, to_apply=s\n"
        "  q = f32[8] all-reduce(c), replica_groups={}, to_apply=s\n"
        "  b = f32[8,64] broadcast(q), dimensions={0}\n  h = f32[8,64] multiply(w, b)\n" +
        more + "}\n"));
    KernelGraph graph = MakeKernelGraph(program, program.module().entry_id());
    const size_t before = graph.operands.size();
    AddSiblingReductions(program, program.module().entry_id(), &graph);
    std::vector<std::string> read;
    for (size_t k = before; k < graph.operands.size(); ++k) {
      for (const KernelId operand : graph.operands[k])
        read.emplace_back(program.module().instruction(graph.instructions[operand]).name);
    }
    return read;
  };
  const std::string rows =
      "  n = f32[8,64] multiply(w, v)\n  r = f32[8] reduce(n, z), dimensions={1}, to_apply=s\n"
      "  a = f32[8] all-reduce(r), replica_groups={}, to_apply=s\n";
  EXPECT_THAT(
      kernels(
          rows +
          "  k = f32[8,64] multiply(h, v)\n  g = f32[64] reduce(k, z), dimensions={0}, to_apply=s\n"
          "  ROOT o = (f32[8], f32[64]) tuple(a, g)\n"),
      UnorderedElementsAre("w", "v", "w", "q", "v"));
  EXPECT_THAT(
      kernels(rows +
              "  f = f32[8,64] broadcast(a), dimensions={0}\n  k = f32[8,64] multiply(f, v)\n"
              "  ROOT g = f32[64] reduce(k, z), dimensions={0}, to_apply=s\n"),
      UnorderedElementsAre("w", "w", "v"));
}

// --- Chains --------------------------------------------------------------------------------------

// b and c need a, and d needs c.
TEST(ChainsTest, OfAnyTwoOneNeedsTheOther) {
  DeviceProgram program(
      *hlo::ParseModule("HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
                        "  a = f32[8] negate(x)\n  t = f32[8] tanh(a)\n  b = f32[8] negate(t)\n"
                        "  c = f32[8] add(t, a)\n  d = f32[8] negate(c)\n"
                        "  ROOT r = (f32[8], f32[8]) tuple(d, b)\n}\n"));
  const hlo::Module& module = program.module();
  const auto is_chain = [&](const std::vector<std::string>& names) {
    std::vector<InstructionId> members;
    for (const InstructionId id : module.computation(module.entry_id()).instructions) {
      if (absl::c_linear_search(names, module.instruction(id).name)) members.push_back(id);
    }
    return Chains(program, module.entry_id()).IsChain(members);
  };
  EXPECT_TRUE(is_chain({"a", "c", "d"}));
  EXPECT_TRUE(is_chain({"a", "b"}));
  EXPECT_TRUE(is_chain({"a"}));
  EXPECT_FALSE(is_chain({"b", "d"}));
  EXPECT_FALSE(is_chain({"a", "b", "c"}));
}

// --- Kernels that become one ---------------------------------------------------------------------

// a and b are one kernel, which c and d read.
TEST(KernelGraphTest, MergedKernelsAreReadAsOne) {
  KernelGraph graph = {{10, 11, 12, 13, 14, 15}, {{}, {}, {0}, {1, 0}, {2}, {3, 2}}};
  Merge({{{2, 3}, 16}}, &graph);
  EXPECT_THAT(graph.instructions, ElementsAre(10, 11, 12, 13, 14, 15, 16));
  EXPECT_THAT(graph.operands, ElementsAre(IsEmpty(), IsEmpty(), IsEmpty(), IsEmpty(),
                                          ElementsAre(6), ElementsAre(6, 6), ElementsAre(0, 1, 0)));
}

// Each operand is read once, in a row of any length.
TEST(KernelGraphTest, ManyOperandsAreReadOnce) {
  std::string body, operands, read;
  for (int k = 0; k < 40; ++k) {
    const std::string name = "p" + std::to_string(k);
    body += "  " + name + " = f32[] parameter(" + std::to_string(k) + ")\n";
    operands += (k > 0 ? ", " : "") + name + ", p0, " + name;
    read += " " + name;
  }
  std::string type = "(f32[]";
  for (int k = 1; k < 120; ++k) type += ", f32[]";
  const auto kernels = KernelsOf(body + "  ROOT t = " + type + ") tuple(" + operands + ")\n");
  EXPECT_EQ(kernels.back(), "t:" + read);
}

// --- Groups --------------------------------------------------------------------------------------

KernelGraph GraphOf(std::vector<std::vector<KernelId>> operands) {
  KernelGraph graph;
  graph.instructions.resize(operands.size());
  graph.operands = std::move(operands);
  return graph;
}

TEST(CombineGroupsTest, UntilOneDependsOnTheGroup) {
  // 4 reads all; 2 reads 0.
  const KernelGraph graph = GraphOf({{}, {}, {0}, {}, {0, 1, 2, 3}});
  const std::vector<CombineCandidate> all = {{0, 0, 8}, {1, 0, 8}, {2, 0, 8}, {3, 0, 8}};
  EXPECT_THAT(CombineGroups(graph, all, {100, 2048}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(CombineGroups(graph, all, {100, 1}), IsEmpty());
}

TEST(CombineGroupsTest, UntilTheNextDoesNotFit) {
  const KernelGraph graph = GraphOf({{}, {}, {}, {}, {0, 1, 2, 3}});
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 0, 8}, {2, 0, 4}, {3, 0, 4}}, {16, 2048}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  // What is too large alone is left out, and the others go on.
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 0, 17}, {2, 0, 4}, {3, 0, 4}}, {16, 2048}),
              ElementsAre(ElementsAre(0, 2, 3)));
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 1, 8}, {2, 0, 4}, {3, 1, 4}}, {16, 2048}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(CombineGroupsTest, OnTpusByHeight) {
  // 4 reads all; 2 reads 0.
  const KernelGraph graph = GraphOf({{}, {}, {0}, {}, {0, 1, 2, 3}});
  CombineLimits limits = {100, 2048, true};
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 0, 8}, {2, 0, 8}, {3, 0, 8}}, limits),
              ElementsAre(ElementsAre(1, 2, 3)));
  // 2 does not fit beside 1, but 3 does.
  limits.bytes = 16;
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 0, 8}, {2, 0, 12}, {3, 0, 4}}, limits),
              ElementsAre(ElementsAre(1, 3)));
}

// 3 reads 0, and 1 reads 2. As 0 and 1 are one, 3 needs 2.
TEST(CombineGroupsTest, WhatOneKeyMakesOneTheNextKeySees) {
  const KernelGraph graph = GraphOf({{}, {2}, {}, {0}, {1}, {3, 4}});
  const CombineLimits limits = {100, 2048, true};
  EXPECT_THAT(CombineGroups(graph, {{2, 0, 8}, {3, 0, 8}}, limits), ElementsAre(ElementsAre(3, 2)));
  EXPECT_THAT(CombineGroups(graph, {{0, 0, 8}, {1, 0, 8}, {2, 1, 8}, {3, 1, 8}}, limits),
              ElementsAre(ElementsAre(0, 1)));
}

// Makes the order and what depends on what anew for each group.
class SlowEngine {
 public:
  SlowEngine(KernelGraph graph, const std::vector<CombineCandidate>& candidates,
             const CombineLimits& limits)
      : graph_(std::move(graph)), limits_(limits), left_(graph_.operands.size(), nullptr) {
    for (const CombineCandidate& c : candidates) left_[c.kernel] = &c;
  }

  Groups Run() {
    Groups groups;
    const auto is_left = [](const CombineCandidate* c) { return c != nullptr; };
    while (std::any_of(left_.begin(), left_.end(), is_left)) {
      std::vector<KernelId> group = Next();
      if (group.size() < 2) continue;
      // A node that reads what all members read; members read it alone.
      std::vector<KernelId> read;
      for (const KernelId member : group) {
        read.insert(read.end(), graph_.operands[member].begin(), graph_.operands[member].end());
        graph_.operands[member] = {static_cast<KernelId>(graph_.operands.size())};
      }
      graph_.operands.push_back(read);
      left_.push_back(nullptr);
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  bool Needs(KernelId node, const std::vector<KernelId>& group) const {
    for (const KernelId operand : graph_.operands[node]) {
      if (std::count(group.begin(), group.end(), operand) > 0 || Needs(operand, group)) return true;
    }
    return false;
  }

  std::vector<KernelId> Next() {
    std::vector<KernelId> group;
    int key = 0;
    int64_t sum = 0;
    for (const KernelId node : PostOrder(graph_)) {
      const CombineCandidate* const c = left_[node];
      if (c == nullptr) continue;
      if (group.empty()) key = c->key;
      if (c->key != key) continue;
      if (c->bytes > limits_.bytes) {
        left_[node] = nullptr;
        continue;
      }
      if (Needs(node, group)) break;
      if (sum + c->bytes > limits_.bytes) break;
      group.push_back(node);
      sum += c->bytes;
      left_[node] = nullptr;
      if (group.size() == limits_.count) break;
    }
    return group;
  }

  KernelGraph graph_;
  const CombineLimits limits_;
  std::vector<const CombineCandidate*> left_;  // by node
};

// Follows every path.
int SlowHeight(const KernelGraph& graph, KernelId of, const std::vector<KernelId>& alike) {
  int height = 0;
  for (KernelId reader = 0; reader < graph.operands.size(); ++reader) {
    if (!absl::c_linear_search(graph.operands[reader], of)) continue;
    height = std::max(
        height, SlowHeight(graph, reader, alike) + (absl::c_linear_search(alike, reader) ? 1 : 0));
  }
  return height;
}

Groups SlowGroupsByHeight(KernelGraph graph, const std::vector<CombineCandidate>& candidates,
                          const CombineLimits& limits) {
  std::map<int, std::vector<KernelId>> keys;
  for (const CombineCandidate& c : candidates) keys[c.key].push_back(c.kernel);
  Groups groups;
  for (const auto& [key, kernels] : keys) {
    std::vector<MergedKernels> merged;
    const std::vector<KernelId> order = PostOrder(graph);
    for (int height = 0; height < static_cast<int>(kernels.size()); ++height) {
      Groups sets;
      for (const KernelId k : order) {
        if (!absl::c_linear_search(kernels, k) || SlowHeight(graph, k, kernels) != height) continue;
        const auto fits = [&](const std::vector<KernelId>& set) {
          int64_t sum = 0;
          for (const CombineCandidate& c : candidates) {
            if (c.kernel == k || absl::c_linear_search(set, c.kernel)) sum += c.bytes;
          }
          return set.size() < limits.count && sum <= limits.bytes;
        };
        const auto set = absl::c_find_if(sets, fits);
        (set == sets.end() ? sets.emplace_back() : *set).push_back(k);
      }
      for (const std::vector<KernelId>& set : sets) {
        if (set.size() > 1) merged.push_back({set, kNoId});
      }
    }
    for (const MergedKernels& set : merged) groups.push_back(set.members);
    Merge(merged, &graph);
  }
  return groups;
}

TEST(CombineGroupsTest, AsTheSlowEngine) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  size_t combined = 0;
  for (int round = 0; round < 3000; ++round) {
    const uint32_t size = 2 + below(24);
    std::vector<std::vector<KernelId>> operands(size);
    std::vector<CombineCandidate> candidates;
    for (KernelId k = 0; k < size; ++k) {
      for (uint32_t n = k == 0 ? 0 : below(3); n > 0; --n) operands[k].push_back(below(k));
      if (below(3) > 0) candidates.push_back({k, static_cast<int>(below(3)), 1 + below(9)});
    }
    const KernelGraph graph = GraphOf(operands);
    const CombineLimits limits = {8 + below(30), 2 + below(4), below(2) == 0};
    const Groups expected = limits.by_height ? SlowGroupsByHeight(graph, candidates, limits)
                                             : SlowEngine(graph, candidates, limits).Run();
    ASSERT_EQ(CombineGroups(graph, candidates, limits), expected) << round;
    combined += expected.size();
  }
  EXPECT_GT(combined, 3000);
}

}  // namespace
}  // namespace tessera::target
