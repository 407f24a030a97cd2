// What the partitioner does otherwise since some release: a small module for each behaviour, with
// both of its values. What the releases themselves were asked stands in notes/conformance.md.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Collective> Collectives(const hlo::Module& module,
                                    const reference::Behaviors& behaviors) {
  const auto found = FindCollectives(module, behaviors);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.ok() ? found->collectives : std::vector<Collective>();
}

hlo::Module Parse(const std::string& entry) {
  return *hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=8\nENTRY e {\n", entry, "}\n"));
}

// An all-gather of x that y asks for.
TEST(PartitionerReferenceTest, CollectivesNameTheirOperand) {
  const hlo::Module module = Parse(
      "  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}\n"
      "  ROOT y = f32[16,32] negate(x), sharding={replicated}\n");
  const auto named = [&](bool value) {
    reference::Behaviors behaviors;
    behaviors.collectives_name_their_operand = value;
    const auto collectives = Collectives(module, behaviors);
    EXPECT_EQ(collectives.size(), 1u);
    EXPECT_EQ(module.instruction(collectives.at(0).cause).name, "y");
    return std::string(module.instruction(collectives.at(0).named).name);
  };
  EXPECT_EQ(named(true), "x");
  EXPECT_EQ(named(false), "y");
}

// Random numbers are made on one device; who brings them to the others?
TEST(PartitionerReferenceTest, ReversesStayOnTheirDevice) {
  const hlo::Module module = Parse(
      "  zero = f32[] constant(0)\n"
      "  one = f32[] constant(1)\n"
      "  x = f32[16] rng(zero, one), distribution=rng_uniform\n"
      "  y = f32[16] reverse(x), dimensions={0}\n"
      "  ROOT z = f32[16] negate(y), sharding={replicated}\n");
  const auto asks = [&](bool value) {
    reference::Behaviors behaviors;
    behaviors.reverses_stay_on_their_device = value;
    const auto collectives = Collectives(module, behaviors);
    EXPECT_EQ(collectives.size(), 1u);
    return std::string(module.instruction(collectives.at(0).cause).name);
  };
  EXPECT_EQ(asks(true), "z");
  EXPECT_EQ(asks(false), "y");
}

std::vector<std::string> Groups(const hlo::Module& module, bool in_mesh_order) {
  reference::Behaviors behaviors;
  behaviors.groups_in_mesh_order = in_mesh_order;
  std::vector<std::string> out;
  for (const Collective& c : Collectives(module, behaviors)) out.push_back(GroupsText(c.groups));
  return out;
}

// The gathered axis is the first of the mesh, that of the other dimension the last one.
TEST(PartitionerReferenceTest, GroupsInMeshOrder) {
  const hlo::Module module = Parse(
      "  x = f32[4,6] parameter(0), sharding={mesh['a'=2,'b'=2,'c'=2], [{'c'}, {'a'}]}\n"
      "  ROOT y = f32[4,6] negate(x), sharding={replicated}\n");
  EXPECT_THAT(Groups(module, true), ElementsAre("[4,2]<=[2,4]T(1,0)", "[4,2]<=[8]"));
  EXPECT_THAT(Groups(module, false), ElementsAre("[4,2]<=[2,2,2]T(2,1,0)", "[4,2]<=[8]"));
}

std::vector<hlo::Opcode> OpcodesAroundDot(const std::string& root, bool leave_tile_form) {
  reference::Behaviors behaviors;
  behaviors.dots_leave_tile_form = leave_tile_form;
  const std::string mesh = "sharding={mesh['a'=2,'b'=2,'c'=2], ";
  std::vector<hlo::Opcode> out;
  for (const Collective& c : Collectives(
           Parse(absl::StrCat("  x = f32[8,16,32] parameter(0), ", mesh, "[{}, {'a'}, {}]}\n",
                              "  y = f32[8,48,32] parameter(1), sharding={replicated}\n",
                              "  d = f32[8,16,48] dot(x, y), lhs_batch_dims={0}, "
                              "rhs_batch_dims={0}, lhs_contracting_dims={2}, "
                              "rhs_contracting_dims={2}, ",
                              mesh, "[{}, {'a'}, {}]}\n", "  z = f32[8,16,32] cosine(x), ", mesh,
                              "[{}, {}, {'a'}]}\n", "  ROOT ", root, "\n")),
           behaviors)) {
    out.push_back(c.opcode);
  }
  return out;
}

// z wants a cut of x in another dimension, after the dot that reads x too or before it.
TEST(PartitionerReferenceTest, DotsLeaveTileForm) {
  const std::string rows = "{mesh['a'=2,'b'=2,'c'=2], [{}, {'a'}, {}]}";
  const std::string columns = "{mesh['a'=2,'b'=2,'c'=2], [{}, {}, {'a'}]}";
  const std::string after =
      "t = (f32[8,16,48], f32[8,16,32]) tuple(d, z), sharding={" + rows + ", " + columns + "}";
  EXPECT_THAT(OpcodesAroundDot(after, true), ElementsAre(hlo::Opcode::kAllGather));
  EXPECT_THAT(OpcodesAroundDot(after, false), ElementsAre(hlo::Opcode::kAllToAll));
  const std::string before =
      "t = (f32[8,16,32], f32[8,16,48]) tuple(z, d), sharding={" + columns + ", " + rows + "}";
  EXPECT_THAT(OpcodesAroundDot(before, true), ElementsAre(hlo::Opcode::kAllToAll));
  EXPECT_THAT(OpcodesAroundDot(before, false), ElementsAre(hlo::Opcode::kAllToAll));
}

// 'x' cuts the updates along what is looked up, and the table where it is looked up.
TEST(PartitionerReferenceTest, UpdatesGatherOnTableAxes) {
  const hlo::Module module = *hlo::ParseModule(R"(HloModule m, num_partitions=8
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  t = f32[8,16] parameter(0), sharding={mesh['x'=2,'y'=4], [{}, {'x', 'y'}]}
  i = s32[8,8,1] parameter(1), sharding={replicated}
  u = f32[8,8,8] parameter(2), sharding={mesh['x'=2,'y'=4], [{}, {'x'}, {}]}
  ROOT y = f32[8,16] scatter(t, i, u), update_window_dims={2}, inserted_window_dims={1},
      scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=add,
      sharding={mesh['x'=2,'y'=4], [{}, {'x', 'y'}]}
}
)");
  const auto key_parts = [&module](bool value) {
    reference::Behaviors behaviors;
    behaviors.updates_gather_on_table_axes = value;
    std::vector<hlo::Opcode> out;
    for (const Collective& c : Collectives(module, behaviors)) out.push_back(c.opcode);
    return out;
  };
  EXPECT_THAT(key_parts(true), ElementsAre(hlo::Opcode::kAllGather));
  EXPECT_THAT(key_parts(false),
              ElementsAre(hlo::Opcode::kCollectivePermute, hlo::Opcode::kAllGather,
                          hlo::Opcode::kAllReduce, hlo::Opcode::kCollectivePermute));
}

TEST(PartitionerReferenceTest, FftsStayCut) {
  const hlo::Module module = Parse(
      "  x = f32[16,32] parameter(0), sharding={devices=[8,1]<=[8]}\n"
      "  ROOT y = c64[16,17] fft(x), fft_type=RFFT, fft_length={32}, "
      "sharding={devices=[8,1]<=[8]}\n");
  reference::Behaviors behaviors;
  EXPECT_THAT(Collectives(module, behaviors), IsEmpty());
  behaviors.ffts_stay_cut = false;
  const auto collectives = Collectives(module, behaviors);
  ASSERT_EQ(collectives.size(), 1u);
  EXPECT_EQ(collectives[0].opcode, hlo::Opcode::kAllGather);
}

TEST(PartitionerReferenceTest, ScansStayCut) {
  const hlo::Module module = *hlo::ParseModule(R"(HloModule m, num_partitions=8
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  s = f32[] add(a, b)
  ROOT r = (f32[], f32[]) tuple(s, s)
}
ENTRY e {
  x = f32[64] parameter(0), sharding={devices=[8]<=[8]}
  z = f32[] constant(0), sharding={replicated}
  y = (f32[64], f32[]) scan(x, z), dimensions={0}, num_carries=1, is_associative=true,
      to_apply=sum, sharding={{devices=[8]<=[8]}, {replicated}}
  ROOT r = f32[64] get-tuple-element(y), index=0, sharding={devices=[8]<=[8]}
}
)");
  const auto gathered = [&module](bool value) {
    reference::Behaviors behaviors;
    behaviors.scans_stay_cut = value;
    std::vector<int64_t> sizes;
    for (const Collective& c : Collectives(module, behaviors))
      sizes.push_back(c.operands[0].dim(0));
    return sizes;
  };
  EXPECT_THAT(gathered(true), ElementsAre(1));   // the total of each shard
  EXPECT_THAT(gathered(false), ElementsAre(8));  // the shards
}

}  // namespace
}  // namespace tessera::sharding::partition
