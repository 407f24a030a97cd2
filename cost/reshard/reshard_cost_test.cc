// No plan moves less than the demand, and the searched one never more than the greedy one.

#include "tessera/cost/reshard/reshard_cost.h"

#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/collectives.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::cost {
namespace {

using sharding::AxisRef;
using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::reshard::CollectiveKind;
using sharding::reshard::CollectivePlan;
using sharding::reshard::ReshardPolicy;
using sharding::reshard::ToCollectives;

MeshTable FourByTwo() {
  MeshTable meshes;
  EXPECT_TRUE(meshes.Add("mesh", *sharding::Mesh::Create({{"x", 4}, {"y", 2}})).ok());
  return meshes;
}

TensorSharding Along(const std::vector<int>& rows, const std::vector<int>& columns) {
  TensorSharding s(0, 2);
  for (int a : rows) s.dim(0).axes.push_back(AxisRef::Full(a));
  for (int a : columns) s.dim(1).axes.push_back(AxisRef::Full(a));
  return s;
}

int64_t TotalOf(const Resharded& array, ReshardPolicy policy) {
  const auto plan = ToCollectives(array.shape, array.from, array.to, array.meshes, policy);
  return CostOf(array, *plan)->total;
}

// The example of the headers.
TEST(ReshardCostTest, PoliciesDiffer) {
  const MeshTable meshes = FourByTwo();
  const TensorSharding from = Along({0}, {1}), to = Along({1}, {0});
  const Resharded array{{16, 8}, 4, from, to, meshes};
  EXPECT_EQ(DemandOf(array)->total, 384);
  EXPECT_EQ(TotalOf(array, ReshardPolicy::kCheapest), 960);
  EXPECT_EQ(TotalOf(array, ReshardPolicy::kGreedy), 2560);
  EXPECT_EQ(TotalOf(array, ReshardPolicy::kShardy), 512);
  const CollectivePlan shardy = *ToCollectives({16, 8}, from, to, meshes);
  ASSERT_EQ(shardy.steps.size(), 2u);
  EXPECT_EQ(shardy.steps[0].kind, CollectiveKind::kCollectivePermute);
  EXPECT_EQ(shardy.steps[0].sharding.dim(0).axes,
            sharding::AxisList({AxisRef::Full(1), AxisRef::Sub(0, 2, 2)}));
  EXPECT_EQ(shardy.steps[1].kind, CollectiveKind::kAllToAll);

  const TensorSharding by_y = Along({1}, {}), by_x = Along({0}, {});
  const Resharded rows{{16, 8}, 4, by_y, by_x, meshes};
  EXPECT_EQ(DemandOf(rows)->total, 512);
  EXPECT_EQ(TotalOf(rows, ReshardPolicy::kCheapest), 896);
  EXPECT_EQ(TotalOf(rows, ReshardPolicy::kShardy), 768);
  EXPECT_EQ(TotalOf(rows, ReshardPolicy::kGreedy), 2048);
}

TEST(ReshardCostTest, PlansCostAtLeastTheDemand) {
  const MeshTable meshes = FourByTwo();
  std::vector<TensorSharding> all;
  const std::vector<std::vector<int>> lists = {{}, {0}, {1}, {0, 1}, {1, 0}};
  for (const auto& rows : lists) {
    for (const auto& columns : lists) {
      bool twice = false;
      for (int a : rows) {
        for (int b : columns) twice |= a == b;
      }
      if (!twice) all.push_back(Along(rows, columns));
    }
  }
  for (const TensorSharding& a : all) {
    for (const TensorSharding& b : all) {
      const Resharded array{{16, 8}, 4, a, b, meshes};
      const int64_t demand = DemandOf(array)->total;
      const int64_t cheapest = TotalOf(array, ReshardPolicy::kCheapest);
      EXPECT_GE(cheapest, demand);
      EXPECT_LE(cheapest, TotalOf(array, ReshardPolicy::kGreedy));
      EXPECT_GE(TotalOf(array, ReshardPolicy::kShardy), demand);
    }
  }
}

// A sum over x of f32[16,8]: where the target wants x on dimension 0 it is scattered there, else
// everybody gets all of it.
TEST(ReshardCostTest, PartialResultsAreCombinedFirst) {
  const MeshTable meshes = FourByTwo();
  TensorSharding sum = Along({}, {});
  sum.mutable_unreduced_axes() = {AxisRef::Full(0)};
  const TensorSharding rows = Along({0}, {}), whole = Along({}, {});
  const CollectivePlan scattered =
      *ToCollectives({16, 8}, sum, rows, meshes, ReshardPolicy::kCheapest);
  ASSERT_EQ(scattered.steps.size(), 1u);
  EXPECT_EQ(scattered.steps[0].kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(scattered.steps[0].sharding, rows);
  EXPECT_EQ(CostOf({{16, 8}, 4, sum, rows, meshes}, scattered)->total, 8 * 3 * 16 * 8 * 4 / 4);
  const CollectivePlan reduced =
      *ToCollectives({16, 8}, sum, whole, meshes, ReshardPolicy::kGreedy);
  ASSERT_EQ(reduced.steps.size(), 1u);
  EXPECT_EQ(reduced.steps[0].kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(CostOf({{16, 8}, 4, sum, whole, meshes}, reduced)->total, 2 * 8 * 3 * 16 * 8 * 4 / 4);
}

TEST(ReshardCostTest, Faults) {
  const MeshTable meshes = FourByTwo();
  const TensorSharding a = Along({0}, {}), b = Along({}, {0});
  EXPECT_FALSE(DemandOf({{16}, 4, a, b, meshes}).ok());
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(DemandOf({{huge, huge}, 4, a, b, meshes}).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ToCollectives({huge, huge}, a, b, meshes, ReshardPolicy::kCheapest).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace tessera::cost
