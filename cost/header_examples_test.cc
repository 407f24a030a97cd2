// The example of cost.h, with its figures.

#include <cstdint>

#include "gtest/gtest.h"
#include "tessera/cost/cost.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/reshard/collectives.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera {
namespace {

// Each device has 4 rows of x and half of w; the parts of y are added over 'model'.
constexpr char kLayer[] = R"(HloModule layer, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {'model'}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{'model'}, {}]}
  ROOT y = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
})";

TEST(CostExample, OfAModule) {
  const hlo::Module module = *hlo::ParseModule(kLayer);
  const sharding::Mesh mesh = *sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  const auto found = sharding::partition::FindCollectives(module, {});
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->collectives.size(), 1u);

  const auto memory = cost::MemoryOf(module, *found);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_EQ(memory->arguments, 4 * 16 * 4 + 16 * 64 * 4);
  EXPECT_EQ(memory->results, 4 * 64 * 4);

  const auto machine = cost::ReadMachine("tpu-v5e:4x2", mesh, 8);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const auto step = cost::CostOfStep(module, *found, &*machine);
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(step->memory, memory->total());
  EXPECT_EQ(step->sent, 4 * 64 * 4);  // two of two in an all-reduce: each sends it once
  EXPECT_GT(step->seconds(), 0);
  EXPECT_FALSE(cost::CostOf(found->collectives[0], *machine).formula.empty());
}

TEST(CostExample, OfAReshard) {
  sharding::MeshTable meshes;
  ASSERT_TRUE(meshes.Add("mesh", *sharding::Mesh::Create({{"x", 4}, {"y", 2}})).ok());
  sharding::TensorSharding from(0, 2), to(0, 2);
  from.dim(0).axes = to.dim(1).axes = {sharding::AxisRef::Full(0)};
  from.dim(1).axes = to.dim(0).axes = {sharding::AxisRef::Full(1)};
  const cost::Resharded array{{16, 8}, 4, from, to, meshes};
  const auto plan = sharding::reshard::ToCollectives({16, 8}, from, to, meshes);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(cost::DemandOf(array)->total, 384);
  EXPECT_EQ(cost::CostOf(array, *plan)->total, 512);
}

}  // namespace
}  // namespace tessera
