#include "tessera/sharding/factors/projection.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/factors/projection_slow.h"

namespace tessera::sharding::factors {
namespace {

using ::testing::ElementsAre;

// Axes a, b, c of these sizes.
Mesh MeshOf(const std::vector<int64_t>& sizes) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    axes.push_back({std::string(1, static_cast<char>('a' + i)), sizes[i]});
  }
  return *Mesh::Create(axes);
}

std::string Braced(const AxisList& axes, const Mesh& mesh) {
  return "{" + PrintAxes(axes, mesh) + "}";
}

// "i: {"a"} over {"b"} closed; j: {} minor", the cells of one tensor.
std::string Cells(const FactorTable& table, int t) {
  std::string out;
  const OpShardingRule& rule = table.rule();
  for (int c = rule.first_cell(t); c < rule.first_cell(t + 1); ++c) {
    const FactorSharding& cell = table.cell(c);
    if (!cell.exists) continue;
    if (!out.empty()) out += "; ";
    out += FactorName(rule.cell_factor(c)) + ": " + Braced(cell.axes, table.mesh());
    if (!cell.overflow.empty()) out += " over " + Braced(cell.overflow, table.mesh());
    if (cell.is_closed) out += " closed";
    if (cell.is_minor_most) out += " minor";
  }
  return out;
}

struct Case {
  std::vector<int64_t> mesh;
  const char* rule;
  const char* operand;  // dimensions in sdy text
  const char* cells;    // of the operand
  const char* result;   // dimensions of the result, when each factor is expanded as it is
};

// The operand's sharding; it must come back from the table as it went in.
class ProjectionCases : public ::testing::TestWithParam<Case> {};

TEST_P(ProjectionCases, CellsAndResult) {
  const Case& c = GetParam();
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("m", MeshOf(c.mesh));
  const Mesh& mesh = meshes.mesh(mesh_id);
  const OpShardingRule rule = *ParseRule(c.rule);
  const TensorSharding operand = *ParseSharding(absl::StrCat("<@m, ", c.operand, ">"), meshes);

  FactorTable table;
  table.Project(rule, {&operand, nullptr}, mesh);
  EXPECT_EQ(Cells(table, 0), c.cells);
  EXPECT_EQ(table.ToSharding(0, mesh_id), operand);
  for (int f = 0; f < rule.num_factors(); ++f) {
    if (table.Find(0, f) != nullptr) table.Expand(f, table.Find(0, f)->axes);
  }
  EXPECT_EQ(PrintDims(table.ToSharding(1, mesh_id), mesh), c.result);
}

INSTANTIATE_TEST_SUITE_P(
    All, ProjectionCases,
    ::testing::ValuesIn(std::vector<Case>{
        // One factor a dimension: axes are copied, divisible or not.
        {{3, 8},
         "([i, j])->([j, i]) {i=4, j=4}",
         R"([{"b", ?}, {"a"}])",
         R"(i: {"b"} minor; j: {"a"} closed minor)",
         R"([{"a", ?}, {"b", ?}])"},
        // An axis goes to two factors.
        {{8},
         "([ij])->([i, j]) {i=2, j=6}",
         R"([{"a", ?}])",
         R"(i: {"a":(1)2}; j: {"a":(2)4} minor)",
         R"([{"a":(1)2, ?}, {"a":(2)4, ?}])"},
        // Parts meet again and merge.
        {{8},
         "([i, j])->([ij]) {i=2, j=6}",
         R"([{"a":(1)2, ?}, {"a":(2)4, ?}])",
         R"(i: {"a":(1)2} minor; j: {"a":(2)4} minor)",
         R"([{"a", ?}])"},
        // i is not sharded fully, so j has no place in the result.
        {{2, 2},
         "([i, j])->([ij]) {i=4, j=6}",
         R"([{"a", ?}, {"b", ?}])",
         R"(i: {"a"} minor; j: {"b"} minor)",
         R"([{"a", ?}])"},
        // Overflow at once, and no cell for k.
        {{5, 2},
         "([ijk])->([i, j, k]) {i=4, j=2, k=2}",
         R"([{"a", "b", ?}])",
         R"(i: {} over {"a", "b"}; j: {} closed)",
         R"([{?}, {?}, {?}])"},
        // Overflow inside an axis; the last factor is the closed one.
        {{10},
         "([ij])->([i, j]) {i=4, j=5}",
         R"([{"a", ?}])",
         R"(i: {"a":(1)2} over {"a":(2)5}; j: {} closed minor)",
         R"([{"a":(1)2, ?}, {?}])"},
        // An axis of size 1 is taken along; the last factor may get more than it can hold.
        {{1, 4, 4},
         "([ij])->([i, j]) {i=4, j=2}",
         R"([{"b", "a", "c"}])",
         R"(i: {"b", "a"} closed; j: {"c"} closed minor)",
         R"([{"b", "a", ?}, {"c", ?}])"},
        {{12}, "([])->([]) ", "[]", "", "[]"},
    }));

TEST(FactorTableTest, RowsKeepReplicatedAndUnreducedAxes) {
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("m", MeshOf({2, 2, 2}));
  const OpShardingRule rule = *ParseRule("([i])->([i]) {i=4}");
  const TensorSharding s =
      *ParseSharding(R"(<@m, [{"a"}p3], replicated={"b"}, unreduced={"c"}>)", meshes);
  FactorTable table;
  table.Project(rule, {&s, nullptr}, meshes.mesh(mesh_id), MissingSharding::kClosed);
  EXPECT_THAT(table.row(0).replicated, ElementsAre(AxisRef::Full(1)));
  EXPECT_THAT(table.row(0).unreduced, ElementsAre(AxisRef::Full(2)));
  EXPECT_TRUE(table.Find(1, 0)->is_closed);

  TensorSharding without_priority = s;
  without_priority.dim(0).priority = kNoPriority;
  EXPECT_EQ(table.ToSharding(0, mesh_id), without_priority);
}

TEST(FactorTableTest, ExpandNeedsAStrictPrefix) {
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("m", MeshOf({4, 2}));
  const OpShardingRule rule = *ParseRule("([i], [i], [i])->([i]) {i=8}");
  const TensorSharding full = *ParseSharding(R"(<@m, [{"a"}]>)", meshes);
  const TensorSharding major = *ParseSharding(R"(<@m, [{"a":(1)2}]>)", meshes);
  const TensorSharding other = *ParseSharding(R"(<@m, [{"b"}]>)", meshes);
  FactorTable table;
  table.Project(rule, {&full, &major, &other, nullptr}, meshes.mesh(mesh_id));
  std::vector<bool> changed(4, false);
  EXPECT_TRUE(table.Expand(0, {AxisRef::Full(0)}, &changed));
  EXPECT_THAT(changed, ElementsAre(false, true, false, true));
  EXPECT_FALSE(table.Expand(0, {AxisRef::Full(0)}));
  EXPECT_TRUE(table.CommonPrefix(0).empty());
}

TEST(FactorTableTest, CommonPrefixEndsInACommonPart) {
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("m", MeshOf({4, 2}));
  const OpShardingRule rule = *ParseRule("([i])->([i]) {i=8}");
  const TensorSharding x = *ParseSharding(R"(<@m, [{"b", "a"}]>)", meshes);
  const TensorSharding y = *ParseSharding(R"(<@m, [{"b", "a":(1)2}]>)", meshes);
  FactorTable table;
  table.Project(rule, {&x, &y}, meshes.mesh(mesh_id));
  EXPECT_THAT(table.CommonPrefix(0), ElementsAre(AxisRef::Full(1), AxisRef::Sub(0, 1, 2)));
}

TEST(FactorTableTest, UpdateReplacesAxesAndOverflow) {
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("m", MeshOf({3, 2}));
  const OpShardingRule rule = *ParseRule("([ij])->([i, j]) {i=4, j=4}");
  const TensorSharding x = *ParseSharding(R"(<@m, [{"a", ?}]>)", meshes);
  FactorTable table;
  table.Project(rule, {&x, nullptr}, meshes.mesh(mesh_id));
  EXPECT_TRUE(table.Update(0, table.Find(0, 0)->axes, {}));
  EXPECT_EQ(Cells(table, 0), "i: {}; j: {} closed minor");
  EXPECT_FALSE(table.Update(0, {}, {}));
}

// --- both engines on random dimensions -----------------------------------------------------------

// A random split of `mesh` into parts, in random order, each used at most once.
AxisList RandomAxes(const Mesh& mesh, std::mt19937& random) {
  AxisList pool;
  for (int a = 0; a < mesh.num_axes(); ++a) {
    const int64_t size = mesh.axis_size(a);
    const int64_t cut = 1 + static_cast<int64_t>(random() % size);
    if (size % cut != 0 || cut == 1 || cut == size) {
      pool.push_back(AxisRef::Full(a));
    } else {
      pool.push_back(AxisRef::Sub(a, 1, cut));
      pool.push_back(AxisRef::Sub(a, cut, size / cut));
    }
  }
  std::shuffle(pool.begin(), pool.end(), random);
  pool.resize(random() % (pool.size() + 1));
  return pool;
}

OpShardingRule RandomOneDimRule(std::mt19937& random) {
  constexpr int64_t kSizes[] = {2, 3, 4, 6, 8, 12, 16};
  RuleSpec spec;
  DimMapping compound;
  TensorMapping apart;
  const int n = 1 + static_cast<int>(random() % 4);
  for (int f = 0; f < n; ++f) {
    spec.sizes.push_back(kSizes[random() % std::size(kSizes)]);
    compound.push_back(f);
    apart.push_back({f});
  }
  spec.operands = {{compound}};
  spec.results = {apart};
  return *OpShardingRule::Make(spec);
}

TEST(FactorTableTest, AgreesWithTheSlowEngineAndComesBack) {
  std::mt19937 random(7);
  constexpr int64_t kAxes[] = {1, 2, 3, 4, 6, 8, 12};
  FactorTable table;
  for (int round = 0; round < 20000; ++round) {
    std::vector<int64_t> sizes(1 + random() % 3);
    for (int64_t& size : sizes) size = kAxes[random() % std::size(kAxes)];
    const Mesh mesh = MeshOf(sizes);
    const OpShardingRule rule = RandomOneDimRule(random);
    TensorSharding s(0, 1, random() % 2 == 0);
    AxisList axes = RandomAxes(mesh, random);
    s.dim(0).axes = axes;

    table.Project(rule, {&s, nullptr}, mesh);
    const SlowRow slow = SlowProject(rule, 0, s, mesh);
    for (int f = 0; f < rule.num_factors(); ++f) {
      const auto expected = slow.find(f);
      const FactorSharding* cell = table.Find(0, f);
      ASSERT_EQ(cell != nullptr, expected != slow.end()) << round;
      if (cell == nullptr) continue;
      ASSERT_EQ(*cell, expected->second) << round << " " << Cells(table, 0);
    }
    const TensorSharding back = table.ToSharding(0, 0);
    ASSERT_EQ(back, SlowToSharding(rule, 0, slow, mesh, 0)) << round;
  }
}

}  // namespace
}  // namespace tessera::sharding::factors
