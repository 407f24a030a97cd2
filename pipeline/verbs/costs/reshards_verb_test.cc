#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/reshards_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// After propagation: rows from columns on behalf of a negation, whole on behalf of a constraint, and
// a sum over all devices, which is no reshard.
constexpr char kAfter[] =
    "HloModule m, num_partitions=8\n"
    "ENTRY e {\n"
    "  x = f32[16,32] parameter(0), sharding={devices=[1,8]<=[8]}\n"
    "  w = f32[32,64] parameter(1), sharding={devices=[8,1]<=[8]}\n"
    "  d = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={replicated}\n"
    "  n = f32[16,32] negate(x), sharding={devices=[8,1]<=[8]}, "
    "metadata={op_name=\"neg\" source_file=\"m.py\" source_line=7}\n"
    "  c = f32[32,64] copy(w), sharding={replicated}\n"
    "  same = f32[32,64] copy(w), sharding={devices=[8,1]<=[8]}\n"
    "  ROOT t = (f32[16,64], f32[16,32], f32[32,64], f32[32,64]) tuple(d, n, c, same), "
    "sharding={{replicated}, {devices=[8,1]<=[8]}, {replicated}, {devices=[8,1]<=[8]}}\n"
    "}\n";

// Before it.
constexpr char kBefore[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  p = f32[64,32] parameter(0), metadata={op_name=\"batch\"}\n"
    "  a = f32[64,32] negate(p)\n"
    "  w = f32[32,16] parameter(1)\n"
    "  ROOT d = f32[64,16] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "metadata={op_name=\"jit(f)/dot\"}\n"
    "}\n";

Outcome RunOn(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin(), {"reshards", TestFile("m.hlo", module)});
  return RunTessera({ReshardsVerb()}, words);
}

answers::ReshardsAnswer Answer(const std::string& module, std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome run = RunOn(module, std::move(words));
  answers::ReshardsAnswer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out << run.err;
  return answer;
}

// Weights in parts, as for data that is cut alike: they are gathered where they are used.
const std::vector<std::string> kParted = {"--mesh=x=4", "--annotate=^p$=P('x',None)",
                                          "--annotate=^w$=P('x',None)"};

std::vector<std::string> With(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ReshardsVerbTest, OfAModuleAfterPropagation) {
  const Outcome run = RunOn(kAfter, {"--mesh=a=2,b=4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "2 reshards, each device sends 7.22 KiB; beside 1 other collective, 7 KiB (tessera "
            "collectives)\n"
            "\n"
            "     7 KiB  w f32[32,64]  P(('a', 'b'), None) -> P()\n"
            "            explicit: c\n"
            "            all-gather over a,b to f32[32,64], 7 KiB\n"
            "\n"
            "     224 B  x f32[16,32]  P(None, ('a', 'b')) -> P(('a', 'b'), None)\n"
            "            implied by n, neg  # m.py:7\n"
            "            all-to-all over a,b to f32[8,2,4], 224 B\n");
}

// Results keep no sub-axes, and the pass adds the instruction that returns them.
TEST(ReshardsVerbTest, AResultOfTheEntry) {
  constexpr char kReshape[] =
      "HloModule m, num_partitions=4\nENTRY main {\n"
      "  x = f32[8,16] parameter(0), sharding={mesh['a'=4], [{'a'}, {}]}\n"
      "  r = f32[2,64] reshape(x)\n  ROOT y = f32[2,64] negate(r)\n}\n";
  EXPECT_THAT(RunOn(kReshape, {}).out,
              ::testing::ContainsRegex("\n     384 B  y f32.2,64.  .* -> P..\n"
                                       "            at the boundary: result\n"));
}

TEST(ReshardsVerbTest, FixesAreTried) {
  const auto answer = Answer(kBefore, kParted);
  ASSERT_THAT(answer.reshards(), SizeIs(1));
  const auto& reshard = answer.reshards(0);
  EXPECT_EQ(reshard.kind(), "implied");
  EXPECT_EQ(reshard.value(), "w");
  EXPECT_EQ(reshard.from(), "P('x', None)");
  EXPECT_EQ(reshard.to(), "P()");
  EXPECT_EQ(reshard.consumer(), "d");
  ASSERT_THAT(reshard.fixes(), Not(IsEmpty()));
  const auto& fix = reshard.fixes(0);
  EXPECT_THAT(fix.annotations(0), HasSubstr("annotate w: P('x', None) -> P()"));
  EXPECT_EQ(answer.before().sent(), 1536);  // 3/4 of f32[32,16]
  EXPECT_EQ(fix.after().sent(), 0);
  EXPECT_GT(answer.before().memory(), 0);
  // The answer is true.
  EXPECT_THAT(
      Answer(kBefore, {"--mesh=x=4", "--annotate=^p$=P('x',None)", "--annotate=^w$=P(None,None)"})
          .reshards(),
      IsEmpty());
}

// A constraint that leaves the batch out. `explain` says to open it, and so does this verb.
constexpr char kClosed[] =
    "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes=\"{mesh = "
    "#sdy.mesh<[\\\"data\\\"=4, \\\"model\\\"=2]>}\"}\n"
    "ENTRY e {\n"
    "  x = f32[256,64] parameter(0), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
    "[{\\\"data\\\"}, {}]>\"}\n"
    "  up = f32[64,128] parameter(1), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, "
    "[{}, {\\\"model\\\"}]>\"}\n"
    "  down = f32[128,64] parameter(2)\n"
    "  d = f32[256,128] dot(x, up), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = f32[256,128] tanh(d)\n"
    "  c = f32[256,128] custom-call(t), custom_call_target=\"Sharding\", "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{}, "
    "{\\\"model\\\"}]>]>\"}\n"
    "  ROOT y = f32[256,64] dot(c, down), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

TEST(ReshardsVerbTest, FixesAreThoseOfExplain) {
  const Outcome run = RunOn(kClosed, {});
  EXPECT_THAT(run.out, HasSubstr("all-gather over data"));
  EXPECT_THAT(run.out, HasSubstr("fix: open constraint c: P(None, 'model') -> "
                                 "P(UNCONSTRAINED, 'model')"));
  EXPECT_THAT(run.out, Not(HasSubstr("no tried annotation")));
}

// Two caches by position, of which a row is written. The row is sharded by head, and its sharding
// comes to the results first: both are turned after the writes.
constexpr char kCaches[] = R"(HloModule m

overwrite {
  old = f32[] parameter(0)
  ROOT new = f32[] parameter(1)
}

ENTRY e {
  k = f32[8,64,8,16] parameter(0)
  v = f32[8,64,8,16] parameter(1)
  at = s32[8,3] parameter(2)
  nk = f32[8,1,8,16] parameter(3)
  nv = f32[8,1,8,16] parameter(4)
  sk = f32[8,64,8,16] scatter(k, at, nk), update_window_dims={1,2,3}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,2,3}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=overwrite, metadata={op_name="write"}
  sv = f32[8,64,8,16] scatter(v, at, nv), update_window_dims={1,2,3}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,2,3}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=overwrite, metadata={op_name="write"}
  ROOT t = (f32[8,64,8,16], f32[8,64,8,16]) tuple(sk, sv)
}
)";

TEST(ReshardsVerbTest, AResultMayStayAsItsOperationMakesIt) {
  const std::vector<std::string> flags = {"--mesh=model=8", "--annotate=^[kv]$=P(None,'model')",
                                          "--annotate=^n[kv]$=P(None,None,'model')"};
  const auto answer = Answer(kCaches, flags);
  ASSERT_THAT(answer.reshards(), SizeIs(2));
  const auto& reshard = answer.reshards(0);
  EXPECT_EQ(reshard.kind(), "result");
  EXPECT_EQ(reshard.alike(), 2);
  EXPECT_EQ(reshard.from(), "P(None, 'model', None, None)");
  EXPECT_EQ(reshard.to(), "P(None, None, 'model', None)");
  ASSERT_THAT(reshard.fixes(), SizeIs(2));  // after the rows, whole from the start
  const auto& fix = reshard.fixes(1);
  EXPECT_THAT(fix.annotations(),
              ::testing::ElementsAre("constrain sk: P(None, 'model', None, None)",
                                     "constrain sv: P(None, 'model', None, None)"));
  EXPECT_EQ(fix.after().sent(), answer.before().sent() - reshard.total());
}

// A sort turns `d`, and a loop gathers it in each run: how the loop's array lies follows from `d`.
constexpr char kLoop[] =
    "HloModule m\n"
    "body {\n"
    "  s = (s32[], f32[64,32], f32[1,32]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  h = f32[64,32] get-tuple-element(s), index=1\n"
    "  sum = f32[1,32] get-tuple-element(s), index=2\n"
    "  zero = s32[] constant(0)\n"
    "  row = f32[1,32] dynamic-slice(h, i, zero), dynamic_slice_sizes={1,32}\n"
    "  more = f32[1,32] add(sum, row)\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  ROOT t = (s32[], f32[64,32], f32[1,32]) tuple(next, h, more)\n"
    "}\n"
    "condition {\n"
    "  s = (s32[], f32[64,32], f32[1,32]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  n = s32[] constant(64)\n"
    "  ROOT lt = pred[] compare(i, n), direction=LT\n"
    "}\n"
    "less {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT lt = pred[] compare(a, b), direction=LT\n"
    "}\n"
    "ENTRY e {\n"
    "  p = f32[64,16] parameter(0)\n"
    "  w = f32[16,32] parameter(1)\n"
    "  d = f32[64,32] dot(p, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  sorted = f32[64,32] sort(d), dimensions={0}, to_apply=less\n"
    "  zero = s32[] constant(0)\n"
    "  f = f32[] constant(0)\n"
    "  fs = f32[1,32] broadcast(f), dimensions={}\n"
    "  s = (s32[], f32[64,32], f32[1,32]) tuple(zero, d, fs)\n"
    "  l = (s32[], f32[64,32], f32[1,32]) while(s), condition=condition, body=body\n"
    "  r = f32[1,32] get-tuple-element(l), index=2\n"
    "  ROOT out = (f32[1,32], f32[64,32]) tuple(r, sorted)\n"
    "}\n";

TEST(ReshardsVerbTest, AFixIsOfAllReshardsThatItRemoves) {
  const auto answer = Answer(kLoop, {"--mesh=x=4", "--annotate=^p$=P('x',None)"});
  ASSERT_THAT(answer.reshards(), SizeIs(3));
  EXPECT_EQ(answer.reshards(0).consumer(), "row");
  EXPECT_EQ(answer.reshards(1).consumer(), "sorted");
  for (const auto& reshard : answer.reshards()) {
    ASSERT_THAT(reshard.fixes(), Not(IsEmpty())) << reshard.consumer();
    EXPECT_EQ(reshard.fixes(0).annotations(0), "constrain d: P(None, 'x')");
    EXPECT_EQ(reshard.fixes(0).after().sent(), 3072);
  }
}

// The batch lies on two axes, and opening the constraint brings both back.
TEST(ReshardsVerbTest, AnEditForTwoAxesIsProposedOnce) {
  const std::string text =
      absl::StrReplaceAll(kClosed, {{"[{\\\"data\\\"}, {}]", "[{\\\"data\\\", \\\"pod\\\"}, {}]"},
                                    {"[\\\"data\\\"=4, ", "[\\\"data\\\"=2, \\\"pod\\\"=2, "}});
  const auto answer = Answer(text, {});
  ASSERT_THAT(answer.reshards(), SizeIs(1));
  std::set<std::string> edits;
  for (const auto& fix : answer.reshards(0).fixes()) {
    EXPECT_TRUE(edits.insert(fix.annotations(0)).second) << fix.annotations(0);
  }
  EXPECT_THAT(edits, Not(IsEmpty()));
}

// Both axes move to dimension 1 at once, for which XLA knows no direct way. One at a time it does.
constexpr char kTwoAxes[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  x = f32[64,64,128] parameter(0)\n"
    "  s = f32[64,64,128] sine(x)\n"
    "  ROOT c = f32[64,64,128] copy(s)\n"
    "}\n";

TEST(ReshardsVerbTest, ALastResortIsNamedAndHasAFixInTwoSteps) {
  const std::vector<std::string> flags = {"--mesh=data=2,model=4",
                                          "--annotate=^s$=P('model',None,'data')",
                                          "--annotate=^c$=P(None,('data','model'),None)"};
  const auto answer = Answer(kTwoAxes, flags);
  ASSERT_THAT(answer.reshards(), SizeIs(1));
  EXPECT_EQ(answer.reshards(0).rematerialized(), 64 * 64 * 128 * 4);
  std::set<std::string> edits;
  for (const auto& fix : answer.reshards(0).fixes()) edits.insert(fix.annotations(0));
  EXPECT_THAT(edits, Contains("constrain c: P('model', 'data', None)"));
  EXPECT_THAT(RunOn(kTwoAxes, flags).out,
              HasSubstr("no direct way: each device first holds the array, 2 MiB"));
}

// A gather and an all-to-all, which eight H100 run as they are.
TEST(ReshardsVerbTest, ATargetSaysWhatFinallyRuns) {
  const std::vector<std::string> target = {"--mesh=a=8", "--target=h100:8"};
  const auto answer = Answer(kAfter, target);
  EXPECT_EQ(answer.target(), "h100:1x1x8");
  ASSERT_THAT(answer.reshards(), SizeIs(2));
  int64_t total = 0;
  for (const auto& reshard : answer.reshards()) {
    EXPECT_EQ(reshard.fixes_size(), 0);
    ASSERT_THAT(reshard.final_collectives(), SizeIs(1)) << reshard.value();
    EXPECT_EQ(reshard.final_collectives(0).op(), reshard.collectives(0).op());
    EXPECT_EQ(reshard.final_total(), reshard.total());
    total += reshard.final_total();
  }
  EXPECT_EQ(answer.final_sent(), total);
  EXPECT_GT(answer.final_all(), total);  // with the sum
  EXPECT_THAT(RunOn(kAfter, target).out,
              HasSubstr("on h100:1x1x8: all-gather over a to f32[32,64]"));
  EXPECT_THAT(RunOn(kAfter, {"--target=h100:4"}).err, HasSubstr("has 4 devices"));
}

// Two all-gathers become one of two arrays. Their reshards look alike: one entry has both arrays.
TEST(ReshardsVerbTest, SharesOfACombinedCollective) {
  const std::string twice = absl::StrReplaceAll(
      kAfter, {{"  c = f32[32,64] copy(w), sharding={replicated}\n",
                "  c = f32[32,64] copy(w), sharding={replicated}\n"
                "  v = f32[32,64] parameter(2), sharding={devices=[8,1]<=[8]}\n"
                "  k = f32[32,64] copy(v), sharding={replicated}\n"},
               {"(f32[16,64], f32[16,32], f32[32,64], f32[32,64]) tuple(d, n, c, same)",
                "(f32[16,64], f32[16,32], f32[32,64], f32[32,64], f32[32,64]) "
                "tuple(d, n, c, same, k)"},
               {"{replicated}, {devices=[8,1]<=[8]}}\n",
                "{replicated}, {devices=[8,1]<=[8]}, {replicated}}\n"}});
  const auto answer = Answer(twice, {"--mesh=a=8", "--target=h100:8", "--match=^[wv]$"});
  ASSERT_THAT(answer.reshards(), SizeIs(1));
  const auto& reshard = answer.reshards(0);
  EXPECT_EQ(reshard.alike(), 2);
  ASSERT_THAT(reshard.final_collectives(), SizeIs(1));
  EXPECT_EQ(reshard.final_collectives(0).arrays(), 2);
  EXPECT_EQ(reshard.final_collectives(0).alike(), 2);
  EXPECT_EQ(reshard.final_total(), reshard.total());
}

// `collectives` refuses such a program, and so no line points to it.
TEST(ReshardsVerbTest, CallsThatACallbackPartitions) {
  const std::string called = absl::StrReplaceAll(
      kAfter, {{"negate(x)", "custom-call(x), custom_call_target=\"CustomSPMDPartitioning\""}});
  const Outcome run = RunOn(called, {"--mesh=a=8"});
  EXPECT_THAT(run.out, HasSubstr("beside 1 other collective, 7 KiB\n"));
  const std::string file = TestFile("called.hlo", called);
  EXPECT_THAT(RunTessera({CollectivesVerb()}, {"collectives", file}).err,
              HasSubstr("memory, reshards, sweep and suggest answer"));
}

TEST(ReshardsVerbTest, StrictFailsWhereThereIsOne) {
  EXPECT_EQ(RunOn(kBefore, With(kParted, {"--strict"})).exit, 1);
  EXPECT_EQ(RunOn(kBefore, With(kParted, {"--strict", "--min-bytes=2000"})).exit, 0);
  EXPECT_EQ(RunOn(kBefore, With(kParted, {"--strict", "--min-bytes=2kB"})).exit, 0);
  EXPECT_THAT(RunOn(kBefore, With(kParted, {"--min-bytes=2x"})).err,
              HasSubstr("--min-bytes:1:2: error: expected a unit"));
  EXPECT_EQ(RunOn(kBefore, {"--mesh=x=4", "--annotate=^p$=P('x',None)", "--strict"}).exit, 0);
}

TEST(ReshardsVerbTest, Filters) {
  EXPECT_THAT(Answer(kAfter, {"--mesh=a=2,b=4", "--top=1"}).reshards(), SizeIs(1));
  EXPECT_THAT(RunOn(kAfter, {"--mesh=a=2,b=4", "--top=1"}).out, HasSubstr("and 1 more: --top=0"));
  EXPECT_THAT(Answer(kAfter, {"--mesh=a=2,b=4", "--match=m.py:7"}).reshards(), SizeIs(1));
  EXPECT_THAT(Answer(kAfter, {"--mesh=a=2,b=4", "--axis=b"}).reshards(), SizeIs(2));
  EXPECT_THAT(RunOn(kAfter, {"--mesh=a=2,b=4", "--axis=c"}).err,
              HasSubstr("--axis=c: the axes are a, b"));
  EXPECT_THAT(RunOn(kAfter, {"--match=("}).err, HasSubstr("not a valid regular expression"));
  EXPECT_THAT(RunOn(kAfter, {"--top=x"}).err, HasSubstr("--top=x: expected a number"));
}

}  // namespace
}  // namespace tessera::pipeline
