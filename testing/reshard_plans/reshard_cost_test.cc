// No plan moves less than the demand, and the searched one never more than the greedy one.

#include "tessera/testing/reshard_plans/reshard_cost.h"

#include <optional>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/testing/reshard_plans/atom_plans.h"
#include "tessera/testing/reshard_plans/atoms.h"
#include "tessera/testing/reshard_plans/moves.h"

namespace tessera::testing::reshard_plans {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::reshard::Collective;
using sharding::reshard::CollectiveKind;
using sharding::reshard::CollectivePlan;
using sharding::reshard::ToCollectives;

using sharding::MeshTable;

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

using Planner = absl::StatusOr<CollectivePlan> (*)(absl::Span<const int64_t>, const TensorSharding&,
                                                   const TensorSharding&, const MeshTable&);

int64_t TotalOf(const Resharded& array, Planner planner) {
  const auto plan = planner(array.shape, array.from, array.to, array.meshes);
  return CostOf(array, *plan)->total;
}

// The example of the headers.
TEST(ReshardCostTest, PlannersDiffer) {
  const MeshTable meshes = FourByTwo();
  const TensorSharding from = Along({0}, {1}), to = Along({1}, {0});
  const Resharded array{{16, 8}, 4, from, to, meshes};
  EXPECT_EQ(DemandOf(array)->total, 384);
  EXPECT_EQ(TotalOf(array, PlanCheaply), 960);
  EXPECT_EQ(TotalOf(array, PlanGreedily), 2560);
  EXPECT_EQ(TotalOf(array, ToCollectives), 512);
  const CollectivePlan shardy = *ToCollectives({16, 8}, from, to, meshes);
  ASSERT_EQ(shardy.steps.size(), 2u);
  EXPECT_EQ(shardy.steps[0].kind, CollectiveKind::kCollectivePermute);
  EXPECT_EQ(shardy.steps[0].sharding.dim(0).axes,
            sharding::AxisList({AxisRef::Full(1), AxisRef::Sub(0, 2, 2)}));
  EXPECT_EQ(shardy.steps[1].kind, CollectiveKind::kAllToAll);

  const TensorSharding by_y = Along({1}, {}), by_x = Along({0}, {});
  const Resharded rows{{16, 8}, 4, by_y, by_x, meshes};
  EXPECT_EQ(DemandOf(rows)->total, 512);
  EXPECT_EQ(TotalOf(rows, PlanCheaply), 896);
  EXPECT_EQ(TotalOf(rows, ToCollectives), 768);
  EXPECT_EQ(TotalOf(rows, PlanGreedily), 2048);
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
      const int64_t cheapest = TotalOf(array, PlanCheaply);
      EXPECT_GE(cheapest, demand);
      EXPECT_LE(cheapest, TotalOf(array, PlanGreedily));
      EXPECT_GE(TotalOf(array, ToCollectives), demand);
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
  const CollectivePlan scattered = *PlanCheaply({16, 8}, sum, rows, meshes);
  ASSERT_EQ(scattered.steps.size(), 1u);
  EXPECT_EQ(scattered.steps[0].kind, CollectiveKind::kReduceScatter);
  EXPECT_EQ(scattered.steps[0].sharding, rows);
  EXPECT_EQ(CostOf({{16, 8}, 4, sum, rows, meshes}, scattered)->total, 8 * 3 * 16 * 8 * 4 / 4);
  const CollectivePlan reduced = *PlanGreedily({16, 8}, sum, whole, meshes);
  ASSERT_EQ(reduced.steps.size(), 1u);
  EXPECT_EQ(reduced.steps[0].kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(CostOf({{16, 8}, 4, sum, whole, meshes}, reduced)->total, 2 * 8 * 3 * 16 * 8 * 4 / 4);
}

// The example of moves.h.
TEST(ReshardCostTest, Moves) {
  const MeshTable meshes = FourByTwo();
  const TensorSharding a = Along({0}, {1}), b = Along({1}, {0});
  const AtomTable atoms = *AtomTable::Create(meshes.mesh(0), a, b);
  const AtomState from = atoms.StateOf(a), to = atoms.StateOf(b);
  const int64_t shape[] = {16, 8};
  const StatePricer pricer(meshes.mesh(0), atoms, shape);
  AtomStep s = Exchange(from, 0, 1, 1, false);
  EXPECT_EQ(s.after, (AtomState{{}, {from[1][0], from[0][0]}}));
  std::vector<AtomStep> quick = GreedyPlan(atoms, from, to);
  EXPECT_EQ(quick.back().after, to);
  std::optional<std::vector<AtomStep>> best = CheapestPlan(atoms, pricer, from, to);
  EXPECT_EQ(best->back().after, to);
}

// It keeps a reference to the table.
static_assert(std::is_constructible_v<StatePricer, Mesh&, AtomTable&, absl::Span<const int64_t>>);
static_assert(!std::is_constructible_v<StatePricer, Mesh&, AtomTable, absl::Span<const int64_t>>);

TEST(ReshardCostTest, Faults) {
  const MeshTable meshes = FourByTwo();
  const TensorSharding a = Along({0}, {}), b = Along({}, {0});
  EXPECT_FALSE(DemandOf({{16}, 4, a, b, meshes}).ok());
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(DemandOf({{huge, huge}, 4, a, b, meshes}).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(PlanCheaply({huge, huge}, a, b, meshes).status().code(), absl::StatusCode::kOutOfRange);
  // Inputs that the planners on atoms refuse.
  MeshTable both = FourByTwo();
  ASSERT_TRUE(
      both.Add("r", *sharding::Mesh::Create({{"x", 4}, {"y", 2}}, {7, 6, 5, 4, 3, 2, 1, 0})).ok());
  TensorSharding reversed = a;
  reversed.set_mesh_id(1);
  EXPECT_FALSE(PlanGreedily({8, 8}, a, reversed, both).ok());
  TensorSharding sum(0, 2);
  sum.mutable_unreduced_axes() = {AxisRef::Full(0)};
  EXPECT_FALSE(PlanCheaply({8, 8}, a, sum, both).ok());
}

}  // namespace
}  // namespace tessera::testing::reshard_plans
