// Modules that once led `shard` to memory that was gone, too deep or too far. Under --config=asan
// each of them fails where the reason comes back; without it most still do.

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/pipeline/shard.h"
#include "tessera/testing/hostile/generators.h"

namespace tessera::testing::hostile {
namespace {

using pipeline::Outcome;
using ::testing::HasSubstr;

absl::StatusOr<std::string> Shard(const std::string& text,
                                  const pipeline::ShardOptions& options = {}) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  if (!module.ok()) return module.status();
  absl::StatusOr<pipeline::ShardResult> result = pipeline::ShardModule(*std::move(module), options);
  if (!result.ok()) return result.status();
  return std::move(result->text);
}

constexpr char kHeader[] =
    R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"a\"=2, \"b\"=4]>}"}

)";

// A custom call that constrains; `sharding` as in <@mesh, ..>.
std::string Constraint(const std::string& name, const std::string& shape,
                       const std::string& operand, const std::string& sharding) {
  return "  " + name + " = " + shape + " custom-call(" + operand +
         R"(), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, )" +
         sharding + R"(>]>"})" + "\n";
}

// The sharding of a result was held while a reshard of another was interned; the texts of constants
// in inserted computations were views of temporaries.
TEST(HostileModulesTest, LoopWhoseElementsAreUnreducedDifferently) {
  const std::string shape = "f32[8,16]";
  const std::string pair = "(" + shape + ", " + shape + ")";
  const auto element = [&](const char* name, const char* of, int index) {
    return "  " + std::string(name) + " = " + shape + " get-tuple-element(" + of +
           "), index=" + std::to_string(index) + "\n";
  };
  const std::string text =
      std::string(kHeader) + "body {\n  t = " + pair + " parameter(0)\n" + element("x", "t", 0) +
      element("y", "t", 1) + Constraint("xs", shape, "y", R"([{\"a\"}, {}], unreduced={\"b\"})") +
      Constraint("ys", shape, "x", R"([{}, {\"a\"}], unreduced={\"b\"})") + "  ROOT r = " + pair +
      " tuple(xs, ys)\n}\n\ncond {\n  t = " + pair +
      " parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\nENTRY main {\n  p = " + shape +
      " parameter(0)\n  q = " + shape + " parameter(1)\n" +
      Constraint("ps", shape, "p", R"([{}, {}], unreduced={\"b\"})") +
      Constraint("qs", shape, "q", R"([{}, {}], unreduced={\"a\"})") + "  t = " + pair +
      " tuple(ps, qs)\n  w = " + pair + " while(t), condition=cond, body=body\n" +
      element("x", "w", 0) + element("y", "w", 1) +
      Constraint("xs", shape, "x", R"([{\"a\"}, {}])") +
      Constraint("ys", shape, "y", R"([{\"a\"}, {}])") + "  ROOT s = " + shape +
      " add(xs, ys)\n}\n";
  const auto sharded = Shard(text);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_THAT(*sharded, HasSubstr("all-reduce("));
  EXPECT_THAT(*sharded, HasSubstr(" = f32[] constant(0), sharding={manual}"));
}

// The sharding of the result was held while an operand was summed, twice.
TEST(HostileModulesTest, UnreducedOperandsOfAnUnreducedResult) {
  pipeline::ShardOptions options;
  options.import = sharding::passes::Encoding::kGspmd;
  const auto sharded = Shard(R"(HloModule m, num_partitions=8

ENTRY main {
  p = f32[8,8] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dims={unreduced}}
  ROOT s = f32[8,8] triangular-solve(p, p), left_side=true, lower=true, transpose_a=NO_TRANSPOSE, sharding={devices=[1,1,2,4]<=[8] last_tile_dims={replicated, unreduced}}
}
)",
                             options);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_THAT(*sharded, HasSubstr("triangular-solve("));
}

// What a file can nest, link or multiply is done, or refused at the instruction that goes too far.
TEST(HostileModulesTest, CallsGoAThousandDeep) {
  pipeline::ShardOptions as_passed;
  as_passed.stage = pipeline::Stage::kPass;
  const auto expect_refused = [](const std::string& text, const pipeline::ShardOptions& options) {
    EXPECT_THAT(std::string(Shard(text, options).status().message()),
                HasSubstr("call each other more than 1000 deep"));
  };
  for (const pipeline::ShardOptions& options : {pipeline::ShardOptions(), as_passed}) {
    for (const auto make :
         {ChainOfCalls, ChainOfFusions, ChainOfMaps, ChainOfCustomCalls, NestedLoops}) {
      EXPECT_TRUE(Shard(make(1000), options).ok());
      expect_refused(make(20'000), options);
    }
    expect_refused(DagOfBranches(20'000), options);
  }
}

TEST(HostileModulesTest, ComputationsThatDoubleAreCountedBeforeTheyAreCopied) {
  pipeline::ShardOptions as_passed;
  as_passed.stage = pipeline::Stage::kPass;
  for (const auto make : {DagOfCalls, DagOfBranches, DagOfFusions}) {
    EXPECT_THAT(std::string(Shard(make(40)).status().message()),
                HasSubstr("has more than 10000000 instructions"));
  }
  for (const auto make : {DagOfCalls, DagOfBranches}) {
    EXPECT_THAT(std::string(Shard(make(40), as_passed).status().message()),
                HasSubstr("has more than 10000000 instructions"));
  }
  EXPECT_TRUE(Shard(DagOfFusions(40), as_passed).ok());  // stays as it is
}

TEST(HostileModulesTest, ChainsHaveNoEnd) { EXPECT_TRUE(Shard(ChainOfConstants(200'000)).ok()); }

// Each reader gets a copy of the whole chain.
TEST(HostileModulesTest, CopiesOfConstantsHaveALimit) {
  EXPECT_TRUE(Shard(SharedChainOfConstants(100)).ok());
  EXPECT_THAT(std::string(Shard(SharedChainOfConstants(2500)).status().message()),
              HasSubstr("%v1600: there are more than 4000000 copies of constants"));
}

// The command line on a module: `words` are the verb and its flags.
Outcome RunVerb(std::vector<std::string> words, const std::string& text) {
  words.insert(words.begin() + 1, pipeline::TestFile("hostile.hlo", text));
  return pipeline::RunTessera(pipeline::AllVerbs(), words);
}

// A node of the plan was held while the computations that it names were added.
TEST(HostileModulesTest, EachReductionWithAComputationOfItsOwn) {
  std::string reducers, reductions;
  constexpr int kReductions = 300;
  for (int i = 0; i < kReductions; ++i) {
    const std::string n = std::to_string(i);
    reducers += "add" + n + " {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n" +
                "  ROOT c = f32[] add(a, b)\n}\n\n";
    reductions += "  r" + n + " = f32[8] reduce(p, z), dimensions={1}, to_apply=add" + n + "\n";
  }
  const auto sharded =
      Shard(kHeader + reducers + "ENTRY main {\n  p = f32[8,16] parameter(0)\n" +
            "  z = f32[] constant(0)\n" + reductions + "  ROOT r = f32[8] negate(r299)\n}\n");
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_THAT(*sharded, HasSubstr("to_apply=add299"));
}

// The shape of a node was held while the node that selects it was added.
TEST(HostileModulesTest, ValuesThatLeaveTheirDevice) {
  std::string text = "HloModule m, num_partitions=8\n\nENTRY e {\n  v0 = f32[8] parameter(0)\n";
  constexpr int kOps = 100;
  for (int i = 0; i < kOps; ++i) {
    text += "  v" + std::to_string(i + 1) + " = f32[8] negate(v" + std::to_string(i) +
            "), sharding=" + (i % 2 == 0 ? "{maximal device=3}" : "{devices=[8]<=[8]}") + "\n";
  }
  text += "  ROOT r = f32[8] negate(v" + std::to_string(kOps) + ")\n}\n";
  const Outcome ran = RunVerb({"collectives", "--as-is"}, text);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("all-reduce"));
}

// 3 * 6148914691236517208 wraps round to 8.
TEST(HostileModulesTest, FactorsBeyond64Bits) {
  const Outcome ran =
      RunVerb({"rules", "r", "--rule=foo=([ij, k])->([ij, k]) {i=3, j=6148914691236517208, k=8}"},
              "HloModule m\n\nENTRY e {\n  p = f32[8,8] parameter(0)\n"
              "  ROOT r = f32[8,8] custom-call(p), custom_call_target=\"foo\"\n}\n");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr("beyond 64 bits together"));
}

// An error of the rule left by a side door, without the place of the call.
TEST(HostileModulesTest, WrongRuleOfATargetIsSaidAtItsCall) {
  const std::string text =
      "HloModule m\n\nENTRY e {\n  p = f32[8,8] parameter(0)\n"
      "  ROOT r = f32[8,8] custom-call(p), custom_call_target=\"foo\"\n}\n";
  for (const char* rule :
       {"([i])->([i])", "([ij, k])->([ij, k]) {i=3, j=6148914691236517208, k=8}"}) {
    const Outcome ran = RunVerb({"shard", std::string("--rule=foo=") + rule}, text);
    EXPECT_EQ(ran.exit, 2);
    EXPECT_THAT(ran.err, HasSubstr(":5:3: error: %r: rule of foo:1:")) << rule;
    EXPECT_THAT(ran.err, HasSubstr("  ROOT r = ")) << rule;
  }
}

// Its uses got the operand, of another shape: what read the call was ill typed without a word.
TEST(HostileModulesTest, CallThatDoesNotHandItsOperandOn) {
  for (const char* target :
       {"Sharding", "xla.sdy.FuncResultSharding", "xla.sdy.PropagationBarrier"}) {
    const std::string text =
        std::string(kHeader) + "ENTRY main {\n  p = f32[16,32] parameter(0)\n" +
        "  c = f32[16,8] custom-call(p), custom_call_target=\"" + target +
        R"(", frontend_attributes={xla.sdy.allowed_direction="1", xla.sdy.sharding=)" +
        R"("#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {}]>]>"})" + "\n" +
        "  ROOT r = f32[128] reshape(c)\n}\n";
    EXPECT_THAT(Shard(text).status().message(),
                HasSubstr("its result must be f32[16,32], not f32[16,8]"))
        << target;
  }
}

}  // namespace
}  // namespace tessera::testing::hostile
