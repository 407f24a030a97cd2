// Plays every plan on numbered devices: which elements has each device before and after a step, and
// could it have got them in the way that the step claims?

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/testing/propagation/short_sharding.h"

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

using sharding::propagation::ParseShort;
using sharding::propagation::ToShort;

using Block = std::vector<std::pair<int64_t, int64_t>>;  // per dimension: [begin, end)

// Position of a device along one axis or part of an axis.
int64_t Coordinate(const Mesh& mesh, int64_t device, AxisRef axis) {
  int64_t minor = 1;
  for (int a = axis.axis() + 1; a < mesh.num_axes(); ++a) minor *= mesh.axis_size(a);
  const int64_t size = mesh.axis_size(axis.axis());
  const int64_t full = device / minor % size;
  return full / (size / axis.next_pre_size(mesh)) % axis.size(mesh);
}

Block BlockOf(const TensorSharding& s, const Mesh& mesh, const std::vector<int64_t>& shape,
              int64_t device) {
  Block block;
  for (int d = 0; d < s.rank(); ++d) {
    int64_t index = 0, parts = 1;
    for (const AxisRef axis : s.dim(d).axes) {
      index = index * axis.size(mesh) + Coordinate(mesh, device, axis);
      parts *= axis.size(mesh);
    }
    const int64_t extent = shape[static_cast<size_t>(d)] / parts;
    block.emplace_back(index * extent, (index + 1) * extent);
  }
  return block;
}

int64_t Volume(const Block& b) {
  int64_t volume = 1;
  for (const auto& [begin, end] : b) volume *= end - begin;
  return volume;
}

Block Cut(const Block& a, const Block& b) {
  Block both;
  for (size_t d = 0; d < a.size(); ++d) {
    const int64_t begin = std::max(a[d].first, b[d].first);
    both.emplace_back(begin, std::max(begin, std::min(a[d].second, b[d].second)));
  }
  return both;
}

class Player {
 public:
  Player(const Mesh& mesh, std::vector<int64_t> shape) : mesh_(mesh), shape_(std::move(shape)) {}

  // An empty text, or what is wrong with the step.
  std::string Play(const Collective& step, const TensorSharding& before) const {
    std::vector<Block> old_blocks, new_blocks;
    for (int64_t device = 0; device < mesh_.num_devices(); ++device) {
      old_blocks.push_back(BlockOf(before, mesh_, shape_, device));
      new_blocks.push_back(BlockOf(step.sharding, mesh_, shape_, device));
    }
    if (step.kind == CollectiveKind::kCollectivePermute) {
      std::sort(old_blocks.begin(), old_blocks.end());
      std::sort(new_blocks.begin(), new_blocks.end());
      return old_blocks == new_blocks ? "" : "not a permutation of the blocks";
    }
    AxisList axes = step.axes;
    if (step.kind == CollectiveKind::kAllGather) {
      for (const AxisList& of_dim : step.axes_per_dim)
        axes.insert(axes.end(), of_dim.begin(), of_dim.end());
    }
    for (int64_t device = 0; device < mesh_.num_devices(); ++device) {
      if (!Covered(new_blocks[device], old_blocks, Group(device, axes))) {
        return absl::StrCat("device ", device, " gets what nobody of its group has");
      }
    }
    return "";
  }

 private:
  // The devices that differ from `device` along `axes` only.
  std::vector<int64_t> Group(int64_t device, const AxisList& axes) const {
    std::vector<int64_t> group;
    for (int64_t other = 0; other < mesh_.num_devices(); ++other) {
      if (OtherCoordinates(other, axes) == OtherCoordinates(device, axes)) group.push_back(other);
    }
    return group;
  }
  std::vector<int64_t> OtherCoordinates(int64_t device, const AxisList& axes) const {
    std::vector<int64_t> rest;
    for (int a = 0; a < mesh_.num_axes(); ++a) {
      // Every axis in parts of two, which is as fine as these tests cut.
      for (int64_t pre = 1; pre < mesh_.axis_size(a); pre *= 2) {
        const AxisRef bit = mesh_.axis_size(a) == 2 ? AxisRef::Full(a) : AxisRef::Sub(a, pre, 2);
        const bool varies = std::any_of(
            axes.begin(), axes.end(), [&](AxisRef x) { return x.axis() == a && Contains(x, bit); });
        if (!varies) rest.push_back(Coordinate(mesh_, device, bit));
      }
    }
    return rest;
  }
  static bool Covered(const Block& wanted, const std::vector<Block>& have,
                      const std::vector<int64_t>& group) {
    std::set<Block> parts;
    int64_t volume = 0;
    for (const int64_t member : group) {
      if (parts.insert(have[static_cast<size_t>(member)]).second) {
        volume += Volume(Cut(wanted, have[static_cast<size_t>(member)]));
      }
    }
    return volume == Volume(wanted);
  }

  const Mesh& mesh_;
  std::vector<int64_t> shape_;
};

void ExpectGoodPlan(const std::vector<int64_t>& shape, const TensorSharding& from,
                    const TensorSharding& to, const MeshTable& meshes) {
  const Mesh& mesh = meshes.mesh(0);
  const std::string what = absl::StrCat(ToShort(from, mesh), " -> ", ToShort(to, mesh));
  const absl::StatusOr<CollectivePlan> plan = ToCollectives(shape, from, to, meshes);
  ASSERT_TRUE(plan.ok()) << what;
  EXPECT_TRUE(plan->is_complete) << what;
  TensorSharding now = from;
  for (const Collective& step : plan->steps) {
    EXPECT_EQ(Player(mesh, shape).Play(step, now), "")
        << what << " at " << ToShort(step.sharding, mesh);
    now = step.sharding;
  }
  EXPECT_TRUE(AreEquivalent(&now, &to)) << what << " ends at " << ToShort(now, mesh);
}

// All ways to put some of the pieces, in any order, on two dimensions.
std::vector<TensorSharding> AllShardings(const std::vector<AxisRef>& pieces) {
  std::vector<TensorSharding> all = {TensorSharding(0, 2)};
  for (size_t next = 0; next < all.size(); ++next) {
    const TensorSharding base = all[next];
    for (const AxisRef piece : pieces) {
      bool used = false;
      base.ForEachAxis([&](AxisRef a) { used |= a == piece; });
      for (int d = 0; d < 2 && !used; ++d) {
        // Dimension 1 is filled after dimension 0, so that each sharding comes once.
        if (d == 0 && !base.dim(1).axes.empty()) continue;
        TensorSharding more = base;
        if (!more.dim(d).axes.empty() && CanMerge(more.dim(d).axes.back(), piece)) continue;
        more.dim(d).axes.push_back(piece);
        all.push_back(std::move(more));
      }
    }
  }
  return all;
}

TEST(CollectivesTest, AllPairsOnThreeAxesOfTwo) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("mesh", *Mesh::Create({{"x", 2}, {"y", 2}, {"z", 2}})).ok());
  const std::vector<TensorSharding> all =
      AllShardings({AxisRef::Full(0), AxisRef::Full(1), AxisRef::Full(2)});
  EXPECT_EQ(all.size(), 49u);
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = 0; k < all.size(); ++k) {
      ExpectGoodPlan({16, 16}, all[i], all[k], meshes);
    }
  }
}

TEST(CollectivesTest, AllPairsWithPartsOfAnAxis) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("mesh", *Mesh::Create({{"x", 8}, {"y", 2}})).ok());
  std::vector<TensorSharding> all = AllShardings({AxisRef::Full(0), AxisRef::Full(1)});
  for (const TensorSharding& s :
       AllShardings({AxisRef::Sub(0, 4, 2), AxisRef::Sub(0, 1, 4), AxisRef::Full(1)})) {
    all.push_back(s);
  }
  for (const TensorSharding& from : all) {
    for (const TensorSharding& to : all) ExpectGoodPlan({16, 16}, from, to, meshes);
  }
}

TEST(CollectivesTest, PartsThatCannotCoexistAreGatheredAndSliced) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("mesh", *Mesh::Create({{"x", 6}})).ok());
  const TensorSharding from = *ParseShort("[{x:(1)2}]", 0, meshes.mesh(0));
  const TensorSharding to = *ParseShort("[{x:(1)3}]", 0, meshes.mesh(0));
  const absl::StatusOr<CollectivePlan> plan = ToCollectives({12}, from, to, meshes);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->steps.size(), 2u);
  EXPECT_EQ(plan->steps[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(plan->steps[1].kind, CollectiveKind::kAllSlice);
}

TEST(CollectivesTest, AnotherOrderOfDevicesIsAPermute) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("m", *Mesh::Create({{"x", 4}})).ok());
  ASSERT_TRUE(meshes.Add("r", *Mesh::Create({{"x", 4}}, {3, 2, 1, 0})).ok());
  const TensorSharding from = *ParseShort("[{x}]", 0, meshes.mesh(0));
  const TensorSharding to = *ParseShort("[{x}]", 1, meshes.mesh(0));
  const absl::StatusOr<CollectivePlan> plan = ToCollectives({8}, from, to, meshes);
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->steps.size(), 1u);
  EXPECT_EQ(plan->steps[0].kind, CollectiveKind::kCollectivePermute);
  EXPECT_EQ(plan->steps[0].sharding.mesh_id(), 1u);
  // Replicated data do not care.
  const TensorSharding everywhere = *ParseShort("[{}]", 1, meshes.mesh(0));
  EXPECT_EQ(ToCollectives({8}, from, everywhere, meshes)->steps.size(), 1u);
}

TEST(CollectivesTest, Faults) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("m", *Mesh::Create({{"x", 4}})).ok());
  ASSERT_TRUE(meshes.Add("n", *Mesh::Create({{"x", 2}})).ok());
  ASSERT_TRUE(meshes.Add("one", Mesh::Maximal(0)).ok());
  const TensorSharding s = *ParseShort("[{x}]", 0, meshes.mesh(0));
  const TensorSharding other = *ParseShort("[{x}]", 1, meshes.mesh(0));
  EXPECT_FALSE(ToCollectives({8, 8}, s, s, meshes).ok());
  EXPECT_FALSE(ToCollectives({8}, s, other, meshes).ok());
  EXPECT_FALSE(ToCollectives({8}, s, TensorSharding(2, 1), meshes).ok());
}

}  // namespace
}  // namespace tessera::testing::reshard_plans
