// Kernels of a GPU's program that priority fusion made: clusters/fused_clusters.h.

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/kernels/clusters/fused_clusters.h"
#include "tessera/target/kernels/program_kernels.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr char kText[] = R"(HloModule m, num_partitions=8

ENTRY e {
  x = f32[64,64] parameter(0)
  ids = s32[64,1] parameter(1)
  e = f32[64,64] exponential(x)
  a = f32[64,64] negate(e)
  b = f32[64,64] tanh(e)
  rows = f32[64,64] gather(x, ids), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
  c = f32[64,64] add(rows, b)
  ROOT t = (f32[64,64], f32[64,64]) tuple(a, c)
}
)";

class FusedKernelsTest : public ::testing::Test {
 protected:
  FusedKernelsTest() : module_(*hlo::ParseModule(kText)) {
    for (const hlo::InstructionId id : module_.entry().instructions) {
      ids_[std::string(module_.instruction(id).name)] = id;
    }
  }

  // The kernels write `names`, and no instruction came later.
  KernelResults Writing(const std::vector<const char*>& names) const {
    KernelResults results;
    for (const char* name : names) results.of.push_back({ids_.at(name)});
    results.end = static_cast<hlo::InstructionId>(module_.num_instructions());
    return results;
  }

  std::vector<std::string> Names(const std::vector<hlo::InstructionId>& ids) const {
    std::vector<std::string> names;
    for (const hlo::InstructionId id : ids) names.emplace_back(module_.instruction(id).name);
    return names;
  }

  // Outputs and members of each.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> Clusters(
      const KernelResults& fused) const {
    const auto& list = module_.entry().instructions;
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> out;
    for (const Cluster& c : FusedClusters(module_, {list.begin(), list.end()}, fused)) {
      out.emplace_back(Names(c.outputs), Names(c.members));
    }
    return out;
  }

  const hlo::Module module_;
  absl::flat_hash_map<std::string, hlo::InstructionId> ids_;
};

TEST_F(FusedKernelsTest, EachReaderComputesWhatNoKernelWrites) {
  EXPECT_THAT(Clusters(Writing({"a", "c"})),
              ElementsAre(Pair(ElementsAre("a"), ElementsAre("e", "a")),
                          Pair(ElementsAre("c"), ElementsAre("e", "b", "rows", "c"))));
}

TEST_F(FusedKernelsTest, WhatAnotherWritesIsReadUnlessItIsRecomputed) {
  KernelResults fused = Writing({"e", "a", "b", "rows", "c"});
  EXPECT_THAT(Clusters(fused)[1], Pair(ElementsAre("a"), ElementsAre("a")));
  fused.recomputed.resize(5);
  fused.recomputed[1] = {ids_.at("e")};
  EXPECT_THAT(Clusters(fused)[1], Pair(ElementsAre("a"), ElementsAre("e", "a")));
}

TEST_F(FusedKernelsTest, WhatCameLaterIsAKernel) {
  KernelResults fused = Writing({"e", "a"});
  fused.end = ids_.at("b");
  EXPECT_THAT(Clusters(fused)[2], Pair(ElementsAre("b"), ElementsAre("b")));
}

TEST_F(FusedKernelsTest, KernelsReadWhatOthersWrite) {
  const Target target = *ParseTarget("h100:1x1x8");
  const FusedBefore fused = {{module_.entry_id(), Writing({"e", "a", "c"})}};
  const auto program = FindKernels(module_, target.chip, &fused);
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<std::pair<std::string, size_t>> found;
  for (const DeviceKernel& kernel : program->computations[0].kernels) {
    found.emplace_back(module_.instruction(kernel.instruction).name, kernel.accesses.size());
  }
  // The last one reads e, the rows of x and their numbers.
  EXPECT_THAT(found, ElementsAre(Pair("e", 2), Pair("a", 2), Pair("c", 4)));
}

}  // namespace
}  // namespace tessera::target
