#include "tessera/sharding/reshard/explicit_reshards.h"

#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::reshard {
namespace {

using propagation::ParseShort;
using propagation::ToShort;

struct Tensor {
  const char* sharding;  // "": none
  int64_t elements;
};

struct Case {
  const char* what;
  const char* rule;
  std::vector<Tensor> operands, results;
  // Operands that are resharded as `k=..`, results that differ as `rk=.. +axes ->..`.
  const char* expected;
  Version version = Version::kFull;
  OpClass op_class = OpClass::kOther;
};

class Runner {
 public:
  Runner() {
    meshes_.Add("mesh", Mesh::Create({{"a", 2}, {"b", 2}, {"c", 4}, {"t", 3}}).value()).value();
  }

  std::string Run(const Case& c, const reference::Behaviors& behaviors = {}) {
    const auto rule = factors::ParseRule(c.rule).value();
    OpReshardQuery query;
    query.rule = &rule;
    query.version = c.version;
    query.op_class = c.op_class;
    query.behaviors = behaviors;
    for (const Tensor& t : c.operands) query.operands.push_back(Make(t));
    for (const Tensor& t : c.results) query.results.push_back(Make(t));
    const OpReshards plan = PlanOpReshards(query, meshes_);
    std::vector<std::string> parts;
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      if (plan.operands[k]) parts.push_back(absl::StrCat(k, "=", Text(*plan.operands[k])));
    }
    for (size_t k = 0; k < plan.results.size(); ++k) {
      const std::string text = ResultText(plan.results[k]);
      if (!text.empty()) parts.push_back(absl::StrCat("r", k, text));
    }
    return absl::StrJoin(parts, " ");
  }

 private:
  ReshardTensor Make(const Tensor& t) {
    if (*t.sharding == '\0') return {nullptr, t.elements};
    shardings_.push_back(ParseShort(t.sharding, 0, meshes_.mesh(0)).value());
    return {&shardings_.back(), t.elements};
  }
  std::string Text(const TensorSharding& s) const { return ToShort(s, meshes_.mesh(0)); }
  std::string ResultText(const ResultReshards& r) const {
    std::string text;
    if (r.reshard) absl::StrAppend(&text, "=", Text(*r.sharding));
    for (const AxisRef axis : r.all_reduce)
      absl::StrAppend(&text, " +", ShortAxisText(axis, meshes_.mesh(0)));
    if (r.reshard) absl::StrAppend(&text, " ->", Text(*r.reshard));
    return text;
  }

  MeshTable meshes_;
  std::deque<TensorSharding> shardings_;
};

constexpr char kDot[] = "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}";
constexpr char kConcat[] = "([i, j], [i, j])->([i, j]) {i=16, j=32} need_replication={i}";

TEST(ExplicitReshardsTest, Ops) {
  const Case cases[] = {
      {"nothing sharded", kDot, {{"", 256}, {"", 512}}, {{"", 128}}, ""},
      {"compatible, with a sum",
       kDot,
       {{"[{a},{b}]", 256}, {"[{b},{}]", 512}},
       {{"[{a},{}]", 128}},
       "r0 +b"},
      {"two free dimensions want one axis: more elements win",
       kDot,
       {{"[{a},{}]", 256}, {"[{},{a}]", 512}},
       {{"[{a},{}]", 128}},
       "0=[{},{}] r0=[{},{a}] ->[{a},{}]"},
      {"two tensors: the larger one keeps its axes",
       "([i, j])->([j, i]) {i=8, j=8}",
       {{"[{a},{}]", 64}},
       {{"[{},{b}]", 64}},
       "r0=[{},{a}] ->[{},{b}]"},
      {"a factor that exchanges is better not sharded",
       "([i, j])->([i, j]) {i=8, j=8} permutation={i}",
       {{"[{a},{}]", 64}},
       {{"[{},{b}]", 64}},
       "0=[{},{b}]"},
      {"what must be replicated goes to a batching factor",
       kConcat,
       {{"[{a},{b}]", 256}, {"[{a},{}]", 256}},
       {{"[{a},{b}]", 512}},
       "0=[{},{b,a}] 1=[{},{b,a}] r0=[{},{b,a}] ->[{a},{b}]"},
      {"a result without a sharding is closed",
       "([i], [i])->([i]) {i=8}",
       {{"[{a}]", 8}, {"[{a}]", 8}},
       {{"", 8}},
       "r0=[{a}] ->[{}]"},
      {"reshape: overflow is dealt anew",
       "([ij])->([i, j]) {i=2, j=6}",
       {{"[{t,a}]", 12}},
       {{"[{a},{t}]", 12}},
       "0=[{a,t}]",
       Version::kFull,
       OpClass::kReshape},
      {"minimal: only dots",
       kConcat,
       {{"[{a},{b}]", 256}, {"[{a},{}]", 256}},
       {{"[{a},{b}]", 512}},
       "",
       Version::kMinimal},
      {"minimal dot: the result takes the operand's axes",
       kDot,
       {{"[{b},{a}]", 256}, {"[{a},{}]", 512}},
       {{"[{a},{}]", 128}},
       "r0=[{b},{}] ->[{a},{}]",
       Version::kMinimal,
       OpClass::kDot},
      {"minimal dot: the operands differ",
       kDot,
       {{"[{b},{a}]", 256}, {"[{},{}]", 512}},
       {{"[{a},{}]", 128}},
       "",
       Version::kMinimal,
       OpClass::kDot},
      {"minimal dot: a larger result stays",
       kDot,
       {{"[{b},{a}]", 100}, {"[{a},{}]", 512}},
       {{"[{a},{}]", 128}},
       "",
       Version::kMinimal,
       OpClass::kDot},
  };
  for (const Case& c : cases) EXPECT_EQ(Runner().Run(c), c.expected) << c.what;
}

TEST(ExplicitReshardsTest, OlderBehaviors) {
  using reference::Behaviors;
  const struct {
    Case now;
    void (*revert)(Behaviors& behaviors);
    const char* before;
  } kCases[] = {
      {{"factors that need replication compete",
        kConcat,
        {{"[{c},{}]", 512}, {"[{},{a}]", 256}},
        {{"[{c},{a}]", 768}},
        "0=[{},{a,c}] 1=[{},{a,c}] r0=[{},{a,c}] ->[{c},{a}]"},
       [](Behaviors& b) { b.replication_factors_compete = false; },
       "0=[{},{a}] r0=[{},{a}] ->[{c},{a}]"},
      {{"they hand on what they have in common",
        kConcat,
        {{"[{c,a},{}]", 256}, {"[{c},{b}]", 256}},
        {{"[{c,a},{}]", 512}},
        "0=[{},{b,c,a}] 1=[{},{b,c,a}] r0=[{},{b,c,a}] ->[{c,a},{}]"},
       [](Behaviors& b) { b.replication_factors_compete = false; },
       "0=[{},{b,c}] 1=[{},{b,c}] r0=[{},{b,c}] ->[{c,a},{}]"},
      {{"reductions yield",
        kDot,
        {{"[{},{a}]", 64}, {"[{},{a}]", 64}},
        {{"", 64}},
        "0=[{},{}] r0=[{},{a}] ->[{},{}]"},
       [](Behaviors& b) { b.reductions_yield = false; },
       "1=[{a},{}] r0 +a"},
      {{"a tie, by local size",
        "([i], [j], [i], [j])->([]) {i=8, j=8}",
        {{"[{a}]", 64}, {"[{a}]", 64}, {"", 1000}, {"", 10}},
        {{"", 1}},
        "0=[{}] 3=[{a}]"},
       [](Behaviors& b) { b.tie_by_local_size = true; },
       "1=[{}] 2=[{a}]"},
      {{"the first tie, by the size of the tensors that vote",
        kConcat,
        {{"[{},{c}]", 256}, {"[{},{c}]", 256}},
        {{"[{},{a}]", 512}},
        "r0=[{},{c}] ->[{},{a}]"},
       [](Behaviors& b) { b.tie_by_local_size = b.first_tie_by_source_size = true; },
       "0=[{},{a}] 1=[{},{a}]"},
      {{"sums beside unreduced axes",
        "([i, j])->([i]) {i=8, j=8} reduction={j}",
        {{"[{},{a,b}]", 64}},
        {{"[{}] unred{a}", 8}},
        "r0 +b",
        Version::kMinimal},
       [](Behaviors& b) { b.sum_beside_unreduced = false; },
       ""},
  };
  for (const auto& c : kCases) {
    Behaviors older;
    c.revert(older);
    EXPECT_EQ(Runner().Run(c.now), c.now.expected) << c.now.what;
    EXPECT_EQ(Runner().Run(c.now, older), c.before) << c.now.what;
  }
}

TEST(ExplicitReshardsTest, MeshesOfAnotherDeviceOrder) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("m", *Mesh::Create({{"a", 2}})).ok());
  ASSERT_TRUE(meshes.Add("r", *Mesh::Create({{"a", 2}}, {1, 0})).ok());
  const auto rule = *factors::ParseRule("([i], [i])->([i]) {i=8}");
  const TensorSharding here = *ParseShort("[{a}]", 0, meshes.mesh(0));
  const TensorSharding there = *ParseShort("[{a}]", 1, meshes.mesh(0));
  OpReshardQuery query;
  query.rule = &rule;
  query.version = Version::kFull;
  query.operands = {{&there, 8}, {&here, 8}};
  query.results = {{&here, 8}};
  const OpReshards plan = PlanOpReshards(query, meshes);
  ASSERT_TRUE(plan.operands[0].has_value());
  EXPECT_EQ(plan.operands[0]->mesh_id(), 0u);
  EXPECT_FALSE(plan.operands[1].has_value());
}

TEST(ExplicitReshardsTest, UnreducedToSum) {
  MeshTable meshes;
  ASSERT_TRUE(meshes.Add("m", *Mesh::Create({{"a", 2}, {"b", 2}})).ok());
  const auto parse = [&](const char* text) { return *ParseShort(text, 0, meshes.mesh(0)); };
  const TensorSharding operand = parse("[{}] unred{a,b}"), result = parse("[{}] unred{b}");
  EXPECT_EQ(UnreducedToSum(operand, nullptr, meshes).size(), 2u);
  EXPECT_EQ(UnreducedToSum(operand, &result, meshes), (AxisList{AxisRef::Full(0)}));
  EXPECT_TRUE(UnreducedToSum(result, &operand, meshes).empty());
}

}  // namespace
}  // namespace tessera::sharding::reshard
