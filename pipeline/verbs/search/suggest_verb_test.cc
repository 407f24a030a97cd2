#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/suggest_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/testing/apply_diff.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// A batch through two layers; on its own everything is on every device.
constexpr char kModule[] =
    "HloModule mlp, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = bf16[65536,1024] parameter(0), metadata={op_name=\"batch\"}\n"
    "  w1 = bf16[1024,4096] parameter(1), metadata={op_name=\"params['up']\"}\n"
    "  w2 = bf16[4096,1024] parameter(2), metadata={op_name=\"params['down']\"}\n"
    "  h = bf16[65536,4096] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = bf16[65536,4096] tanh(h)\n"
    "  ROOT y = bf16[65536,1024] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

Outcome SuggestFor(const char* module, std::vector<std::string> words) {
  words.insert(words.begin(), {"suggest", TestFile("m.hlo", module)});
  return RunTessera({SuggestVerb()}, words);
}

Outcome Suggest(const std::vector<std::string>& words) { return SuggestFor(kModule, words); }

answers::SuggestAnswer AnswerOf(const char* module, std::vector<std::string> words) {
  words.push_back("--json");
  const Outcome run = SuggestFor(module, words);
  EXPECT_EQ(run.exit, 0) << run.err;
  answers::SuggestAnswer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return answer;
}

answers::SuggestAnswer Answer(const std::vector<std::string>& words) {
  return AnswerOf(kModule, words);
}

TEST(SuggestVerbTest, ABatchIsCutOverAllDevices) {
  const Outcome run = Suggest({"--mesh=data=4,model=2", "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("--annotate=\"^batch$=P(('data', 'model'),)\"\n"));
  EXPECT_THAT(run.out, HasSubstr("1 argument of 128 MiB; without it "));
}

// A row names annotations by numbers where it is not the best one.
TEST(SuggestVerbTest, TradeOffsNameAnnotationsByNumbers) {
  const Outcome run = Suggest({"--mesh=data=4,model=2", "--target=tpu-v5e:2x4", "--tries=100"});
  EXPECT_THAT(run.out, ::testing::ContainsRegex("\n--annotate=.*\n    1: 1 argument of "));
  const std::string front = run.out.substr(run.out.find("best trade-offs"));
  EXPECT_THAT(front, HasSubstr("  with the annotations above\n"));
  EXPECT_THAT(front, ::testing::ContainsRegex("\n    [0-9]+: [^\n]*=P\\([^\n]*\n"));
  EXPECT_THAT(front, ::testing::ContainsRegex("iB  (without [0-9, ]+)?(; )?(with [0-9, ]+)?\n"));
  EXPECT_THAT(front, ::testing::Not(::testing::ContainsRegex("iB  [^\n]*=P\\(")));
}

// The batch is cut already; what is left to gain is small.
TEST(SuggestVerbTest, ASmallGainIsNoPromise) {
  const Outcome run = Suggest({"--mesh=data=4,model=2", "--target=tpu-v5e:2x4",
                               "--annotate=^batch$=P(('data', 'model'))", "--tries=100"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(
      run.out,
      HasSubstr(" % is within the error of predicted times (15 %): --confirm=1 compiles both\n"));
}

TEST(SuggestVerbTest, WhereNothingFitsTheExitStatusSaysSo) {
  const Outcome run =
      Suggest({"--mesh=data=8", "--target=tpu-v5e:2x4", "--memory-limit=1MB", "--tries=20"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr(" variants fits 976.56 KiB; the smallest needs "));
  const Outcome close =
      Suggest({"--mesh=data=8", "--target=tpu-v5e:2x4", "--memory-limit=100MB", "--tries=100"});
  EXPECT_EQ(close.exit, 0) << close.out;
  EXPECT_THAT(close.out, HasSubstr("with the annotations below, may not fit\n"));
  EXPECT_THAT(close.out, ::testing::Not(HasSubstr("none of ")));
}

// A GPU computes, so that everything on every device is not for nothing.
TEST(SuggestVerbTest, ABatchIsCutOnGpusToo) {
  for (const char* gpu :
       {"--target=b200:8", "--target=a100-sxm:8", "--target=h100:1x1x8", "--target=tpu-v5e:2x4"}) {
    const Outcome run = Suggest({"--mesh=data=8", gpu});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("--annotate=\"^batch$=P('data',)\"\n")) << gpu;
    EXPECT_THAT(run.out, ::testing::Not(HasSubstr(" 0 ns"))) << gpu;
  }
}

TEST(SuggestVerbTest, WhatHasNoCostIsSaid) {
  std::string module = kModule;
  const size_t tanh = module.find("tanh(h)");
  module.replace(tanh, 7, "custom-call(h), custom_call_target=\"tpu_custom_call\"");
  const Outcome run =
      RunTessera({SuggestVerb()}, {"suggest", TestFile("kernel.hlo", module), "--mesh=data=8",
                                   "--target=tpu-v5e:2x4", "--tries=20"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\n+: 1 operation has no cost and counts as no time: t"));
  const Outcome said = RunTessera(
      {SuggestVerb()},
      {"suggest", TestFile("kernel.hlo", module), "--mesh=data=8", "--target=tpu-v5e:2x4",
       "--tries=20", "--kernel-cost=tpu_custom_call=197e12,1", "--kernel-cost=other=1,1"});
  EXPECT_EQ(said.exit, 0) << said.err;
  EXPECT_THAT(said.out, ::testing::ContainsRegex("\n +1\\.[0-9]* s .*  as the module says"));
  EXPECT_THAT(said.out, ::testing::Not(HasSubstr("has no cost")));
  EXPECT_THAT(said.err, HasSubstr("--kernel-cost=other=..: no custom call"));
}

TEST(SuggestVerbTest, NeverWorseThanTheModuleAndTheSameEveryTime) {
  const std::vector<std::string> words = {"--mesh=data=4,model=2", "--target=tpu-v5e:2x4"};
  const answers::SuggestAnswer answer = Answer(words);
  EXPECT_LT(answer.found().seconds(), answer.own().seconds());
  EXPECT_EQ(answer.SerializeAsString(), Answer(words).SerializeAsString());
  const answers::SuggestAnswer given =
      Answer({"--mesh=data=8", "--target=tpu-v5e:2x4", "--annotate=^batch$=P('data')"});
  EXPECT_LE(given.found().seconds(), given.own().seconds());
}

TEST(SuggestVerbTest, ALimitIsKept) {
  const auto answer =
      Answer({"--mesh=data=8", "--target=tpu-v5e:2x4", "--memory-limit=180MB", "--tries=100"});
  EXPECT_LE(answer.found().memory(), 180000000);
  EXPECT_GT(answer.own().memory(), 180000000);
  for (int k = 1; k < answer.front_size(); ++k) {
    EXPECT_LT(answer.front(k).cost().memory(), answer.front(k - 1).cost().memory());
    EXPECT_GE(answer.front(k).cost().seconds(), answer.front(k - 1).cost().seconds());
  }
}

// A batch of four, whose next dimension is sorted: it takes four devices, and the rest go to the
// features.
constexpr char kBatchOfFour[] =
    "HloModule four, num_partitions=8\n"
    "less {\n"
    "  a = bf16[] parameter(0)\n"
    "  b = bf16[] parameter(1)\n"
    "  ROOT r = pred[] compare(a, b), direction=LT\n"
    "}\n"
    "ENTRY main {\n"
    "  x = bf16[4,4096,1024] parameter(0), metadata={op_name=\"batch\"}\n"
    "  w1 = bf16[1024,4096] parameter(1), metadata={op_name=\"up\"}\n"
    "  w2 = bf16[4096,1024] parameter(2), metadata={op_name=\"down\"}\n"
    "  h = bf16[4,4096,4096] dot(x, w1), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
    "  t = bf16[4,4096,4096] sort(h), dimensions={1}, to_apply=less\n"
    "  ROOT y = bf16[4,4096,1024] dot(t, w2), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
    "}\n";

// The best mesh of all is no worse than each, and has both axes.
TEST(SuggestVerbTest, MeshesOfANumberOfDevices) {
  const auto answer_on = [](const std::string& devices) {
    return AnswerOf(kBatchOfFour, {devices, "--target=tpu-v5e:2x4", "--tries=40"});
  };
  const answers::SuggestAnswer best = answer_on("--devices=8");
  EXPECT_EQ(best.mesh(), "data=4,model=2");
  EXPECT_LT(best.found().seconds(), answer_on("--mesh=data=8").found().seconds());
  EXPECT_LE(best.found().seconds(), answer_on("--mesh=data=2,model=4").found().seconds());
  EXPECT_EQ(best.found().seconds(), answer_on("--mesh=data=4,model=2").found().seconds());
}

// A constraint names the axes of the module's mesh: these are the axes of all meshes.
TEST(SuggestVerbTest, MeshesOfTheAxesThatConstraintsName) {
  const std::string module =
      "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes=\"{mesh = "
      "#sdy.mesh<[\\\"x\\\"=2, \\\"y\\\"=2]>}\"}\n"
      "ENTRY e {\n"
      "  p = f32[4096,4096] parameter(0), metadata={op_name=\"batch\"}\n"
      "  c = f32[4096,4096] custom-call(p), custom_call_target=\"Sharding\", "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}, "
      "{}]>]>\"}\n"
      "  ROOT r = f32[4096,4096] dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "}\n";
  const auto answer =
      AnswerOf(module.c_str(), {"--devices=8", "--target=tpu-v5e:2x4", "--tries=20"});
  EXPECT_EQ(answer.mesh().substr(0, 2), "x=");
  EXPECT_THAT(answer.mesh(), HasSubstr(",y="));
}

// Attention of one token reads and writes two caches. One alone in another sharding than the other makes it move.
constexpr char kCaches[] =
    R"(HloModule decode, num_partitions=8, input_output_alias={ {1}: (1, {}, must-alias), {2}: (2, {}, must-alias) }, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=2, \"model\"=4]>}"}
ENTRY main {
  x = bf16[16,1024] parameter(0), metadata={op_name="x"}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  k = bf16[16,8,4096,128] parameter(1), metadata={op_name="cache['k']"}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}, {}, {}]>"}
  v = bf16[16,8,4096,128] parameter(2), metadata={op_name="cache['v']"}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}, {}, {}]>"}
  pos = s32[] parameter(3), metadata={op_name="pos"}
  w = bf16[1024,8,128] parameter(4), metadata={op_name="wq"}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {}, {}]>"}
  zero = s32[] constant(0)
  q = bf16[16,8,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = bf16[16,8,1,128] reshape(q)
  k2 = bf16[16,8,4096,128] dynamic-update-slice(k, n, zero, zero, pos, zero)
  v2 = bf16[16,8,4096,128] dynamic-update-slice(v, n, zero, zero, pos, zero)
  s = bf16[16,8,4096] dot(q, k2), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_contracting_dims={3}
  e = bf16[16,8,4096] exponential(s)
  o = bf16[16,8,128] dot(e, v2), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  ROOT t = (bf16[16,8,128], bf16[16,8,4096,128], bf16[16,8,4096,128]) tuple(o, k2, v2)
})";

// No step of one cache leads from the best sharding of the batch over all devices to that of the heads.
TEST(SuggestVerbTest, CachesMoveTogether) {
  const Outcome run = SuggestFor(kCaches, {"--target=tpu-v5e:2x4"});
  EXPECT_THAT(run.out, HasSubstr("--annotate=\"\\['k'\\]$=P('data', 'model')\"\n"));
  EXPECT_THAT(run.out, HasSubstr("--annotate=\"\\['v'\\]$=P('data', 'model')\"\n"));
}

// The step of two layers of an optimizer, as a loop of training runs it: the parameters are donated.
std::string DonatingStep(int steps) {
  std::string text =
      "HloModule step, num_partitions=8, input_output_alias={ {0}: (1, {}, may-alias), {1}: (2, "
      "{}, "
      "may-alias) }, frontend_attributes={xla.sdy.meshes=\"{mesh = "
      "#sdy.mesh<[\\\"data\\\"=8]>}\"}\n"
      "ENTRY main {\n"
      "  x = bf16[8192,2048] parameter(0), metadata={op_name=\"batch\"}, "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"data\\\"}, {}]>\"}\n"
      "  up0 = bf16[2048,8192] parameter(1), metadata={op_name=\"params['up']\"}, "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"data\\\"}, {}]>\"}\n"
      "  d0 = bf16[8192,2048] parameter(2), metadata={op_name=\"params['down']\"}, "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"data\\\"}, {}]>\"}\n";
  for (int s = 0; s < steps; ++s) {
    const std::string a = std::to_string(s), b = std::to_string(s + 1);
    text += "  h" + a + " = bf16[8192,8192] dot(x, up" + a +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + "  y" + a +
            " = bf16[8192,2048] dot(h" + a + ", d" + a +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n" + "  gd" + a +
            " = bf16[8192,2048] dot(h" + a + ", y" + a +
            "), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n" + "  gh" + a +
            " = bf16[8192,8192] dot(y" + a + ", d" + a +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n" + "  gu" + a +
            " = bf16[2048,8192] dot(x, gh" + a +
            "), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n" + "  up" + b +
            " = bf16[2048,8192] subtract(up" + a + ", gu" + a + ")\n" + "  d" + b +
            " = bf16[8192,2048] subtract(d" + a + ", gd" + a + ")\n";
  }
  const std::string last = std::to_string(steps);
  return text + "  ROOT out = (bf16[2048,8192], bf16[8192,2048]) tuple(up" + last + ", d" + last +
         "), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
         "[{\\\"data\\\"}, {}]>, <@mesh, [{\\\"data\\\"}, {}]>]>\"}\n}\n";
}

// Two layers, between which a line of the program gathers the batch, as it does in the gradient.
constexpr char kGathered[] =
    R"(HloModule gathered, num_partitions=8, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=8]>}"}
ENTRY main {
  x = bf16[65536,1024] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}, metadata={op_name="batch"}
  w1 = bf16[1024,4096] parameter(1), metadata={op_name="params['up']"}
  w2 = bf16[4096,1024] parameter(2), metadata={op_name="params['down']"}
  h = bf16[65536,4096] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c.1 = bf16[65536,4096] custom-call(h), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}, metadata={op_name="step/c" source_file="model.py" source_line=3}
  t = bf16[65536,4096] tanh(c.1)
  c.2 = bf16[65536,4096] custom-call(t), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}, metadata={op_name="grad/c" source_file="model.py" source_line=3}
  ROOT y = bf16[65536,1024] dot(c.2, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

TEST(SuggestVerbTest, AConstraintThatIsInTheWay) {
  const answers::SuggestAnswer answer = AnswerOf(kGathered, {"--target=tpu-v5e:2x4"});
  ASSERT_EQ(answer.annotations_size(), 1);
  const answers::SuggestedAnnotation& one = answer.annotations(0);
  EXPECT_EQ(one.annotate().substr(0, one.annotate().find('=')), "^(c\\.1|c\\.2)$");
  EXPECT_EQ(one.constraints(), 2);
  EXPECT_EQ(one.arguments(), 0);
  EXPECT_EQ(one.place(), "model.py:3");
  EXPECT_EQ(one.now(), "P()");
  EXPECT_LT(answer.found().seconds(), 0.2 * answer.own().seconds());
  EXPECT_THAT(answer.python(), HasSubstr("# model.py:3, now P()\n"
                                         "#     x = jax.lax.with_sharding_constraint(x, "
                                         "NamedSharding(mesh, P("));
  EXPECT_THAT(
      SuggestFor(kGathered, {"--target=tpu-v5e:2x4"}).out,
      HasSubstr("    1: 2 constraints of 1 GiB together, model.py:3, now P(); without it "));
}

double SecondsOf(const std::string& module, std::vector<std::string> words) {
  words.insert(words.begin(), {"sweep", TestFile("steps.hlo", module), "--mesh=data=8",
                               "--target=tpu-v5e:2x4", "--json"});
  const Outcome run = RunTessera({SweepVerb()}, words);
  EXPECT_EQ(run.exit, 0) << run.err;
  const size_t key = run.out.find("\"seconds\":");
  EXPECT_NE(key, std::string::npos) << run.out;
  return std::stod(run.out.substr(key + 10));
}

// The printed suggestion is the variant that was tried: as flags, and as a diff (below).
TEST(SuggestVerbTest, ConstraintsAsFlags) {
  const answers::SuggestAnswer answer = AnswerOf(kGathered, {"--target=tpu-v5e:2x4"});
  EXPECT_EQ(SecondsOf(kGathered, {"--annotate=" + answer.annotations(0).annotate()}),
            answer.found().seconds());
}

TEST(SuggestVerbTest, SaysWhichResultsNeedOutShardings) {
  const std::vector<std::string> flags = {"--mesh=data=8", "--target=tpu-v5e:2x4", "--tries=60"};
  EXPECT_THAT(SuggestFor(DonatingStep(1).c_str(), flags).out,
              HasSubstr("For the next step, give out_shardings: result 0 as params['up'], result 1 "
                        "as params['down']; this step costs the same without them\n"));
  const answers::SuggestAnswer answer = AnswerOf(DonatingStep(1).c_str(), flags);
  ASSERT_EQ(answer.out_shardings_size(), 2);
  EXPECT_EQ(answer.out_shardings(1).result(), 1);
  EXPECT_EQ(answer.out_shardings(1).argument(), "params['down']");
  EXPECT_THAT(answer.python(), HasSubstr("results = {\n    0: \"params['up']\",\n"
                                         "    1: \"params['down']\",\n}\n"));
}

// A step on a donated cache, which is cut; the result in its place is said to be whole on each device.
constexpr char kCache[] =
    R"(HloModule decode, num_partitions=8, input_output_alias={ {1}: (0, {}, may-alias) }, frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=8]>}"}
ENTRY main {
  cache = bf16[64,4096,1024] parameter(0), metadata={op_name="cache['k']"}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}, {}]>"}
  x = bf16[1024] parameter(1), metadata={op_name="x"}
  xs = bf16[64,4096,1024] broadcast(x), dimensions={2}
  sum = bf16[64,4096,1024] add(cache, xs)
  zero = bf16[] constant(0)
  r = bf16[64,4096,1024] custom-call(sum), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>"}
  ROOT out = (bf16[], bf16[64,4096,1024]) tuple(zero, r)
}
)";

TEST(SuggestVerbTest, ATieAloneIsTheGain) {
  const std::vector<std::string> flags = {"--target=tpu-v5e:2x4", "--tries=30"};
  const answers::SuggestAnswer answer = AnswerOf(kCache, flags);
  EXPECT_EQ(answer.annotations_size(), 0);
  EXPECT_LT(answer.tied().seconds(), 0.9 * answer.own().seconds());
  EXPECT_EQ(answer.tied().seconds(), answer.found().seconds());
  EXPECT_EQ(answer.untied().seconds(), answer.own().seconds());
  ASSERT_EQ(answer.out_shardings_size(), 1);
  const std::string out = SuggestFor(kCache, flags).out;
  constexpr char kTied[] =
      "  as the module says, donated results in the shardings of their arguments\n";
  EXPECT_THAT(out, HasSubstr(kTied));
  EXPECT_THAT(out,
              HasSubstr("The gain is in out_shardings: result 1 as cache['k']; without them "));
  EXPECT_THAT(out.substr(out.find("best trade-offs")), HasSubstr(kTied));
  EXPECT_THAT(out, ::testing::Not(HasSubstr("--annotate=")));
  EXPECT_THAT(answer.python(), HasSubstr("shardings = {\n}\n# out_shardings: "));
  const std::string applied = text::ApplyDiff(kCache, answer.diff());
  EXPECT_EQ(SecondsOf(applied, {}), answer.found().seconds());
}

// The cache is whole on each device, too: to cut it gains only if the result is cut.
TEST(SuggestVerbTest, AnAnnotationThatNeedsATie) {
  std::string step = kCache;
  const std::string cut = "[{\\\"data\\\"}, {}, {}]";
  step.replace(step.find(cut), cut.size(), "[{}, {}, {}]");
  const std::vector<std::string> flags = {"--mesh=data=8", "--target=tpu-v5e:2x4", "--tries=30"};
  const answers::SuggestAnswer answer = AnswerOf(step.c_str(), flags);
  ASSERT_EQ(answer.annotations_size(), 1);
  EXPECT_FALSE(answer.has_tied());
  EXPECT_GT(answer.untied().seconds(), answer.found().seconds());
  EXPECT_THAT(SuggestFor(step.c_str(), flags).out,
              HasSubstr("These figures need out_shardings: result 1 as cache['k']; without them "));
}

// To cut the table as well gains a nine-hundredth of the time, and less of the memory: both are printed alike.
TEST(SuggestVerbTest, WhatGainsNothingThatShowsIsDropped) {
  constexpr char kTable[] =
      "HloModule table, num_partitions=8\n"
      "sum {\n"
      "  a = bf16[] parameter(0)\n"
      "  b = bf16[] parameter(1)\n"
      "  ROOT c = bf16[] add(a, b)\n"
      "}\n"
      "ENTRY main {\n"
      "  x = bf16[2640896,1024] parameter(0), metadata={op_name=\"batch\"}\n"
      "  w = bf16[1024,4096] parameter(1), metadata={op_name=\"up\"}\n"
      "  table = bf16[1280,1024] parameter(2), metadata={op_name=\"table\"}\n"
      "  zero = bf16[] constant(0)\n"
      "  rows = bf16[1280] reduce(table, zero), dimensions={1}, to_apply=sum\n"
      "  y = bf16[2640896,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  ROOT out = (bf16[2640896,4096], bf16[1280]) tuple(y, rows)\n"
      "}\n";
  const answers::SuggestAnswer answer =
      AnswerOf(kTable, {"--mesh=data=8", "--target=tpu-v5e:2x4", "--tries=60"});
  ASSERT_EQ(answer.annotations_size(), 1);
  EXPECT_EQ(answer.annotations(0).annotate(), "^batch$=P('data',)");
}

// Parameters that are taken in whole and given back cut would be gathered by the next step: what is
// suggested must hold for the step run twice in a row, the result fed as the argument.
TEST(SuggestVerbTest, WhatIsSuggestedHoldsForTheNextStep) {
  const std::string step = DonatingStep(1), twice = DonatingStep(2);
  const auto answer =
      AnswerOf(step.c_str(), {"--mesh=data=8", "--target=tpu-v5e:2x4", "--tries=60"});
  EXPECT_EQ(answer.donated(), 2);
  std::vector<std::string> words;
  for (const auto& one : answer.annotations()) words.push_back("--annotate=" + one.annotate());
  ASSERT_FALSE(words.empty());
  const double own = SecondsOf(twice, {}), found = SecondsOf(twice, words);
  EXPECT_LT(found, own * 1.001);
  EXPECT_NEAR(found, 2 * answer.found().seconds(), 0.02 * found);
}

TEST(SuggestVerbTest, APlanListsTheMeshes) {
  const std::vector<std::string> flags = {"--target=tpu-v5e:2x4", "--devices=8", "--plan"};
  EXPECT_EQ(Suggest(flags).out, "data=8\ndata=4,model=2\ndata=2,model=4\n");
  std::vector<std::string> json = flags;
  json.push_back("--json");
  EXPECT_EQ(Suggest(json).out, "{\"meshes\":[\"data=8\",\"data=4,model=2\",\"data=2,model=4\"]}\n");
}

// As --mesh reads it: constraints may name an axis of size 1.
TEST(SuggestVerbTest, AMeshHasItsAxesOfSizeOne) {
  const std::vector<std::string> flags = {"--mesh=data=1,model=8", "--target=tpu-v5e:2x4",
                                          "--tries=10"};
  EXPECT_THAT(Suggest(flags).out, HasSubstr("mesh data=1,model=8 on tpu-v5e:2x4, "));
  EXPECT_THAT(Answer(flags).python(), HasSubstr("# mesh data=1,model=8\n"));
}

TEST(SuggestVerbTest, SpecsByArgumentPathInPython) {
  EXPECT_EQ(Suggest({"--mesh=data=4,model=2", "--target=tpu-v5e:2x4", "--format=python"}).out,
            "from jax.sharding import PartitionSpec as P\n\n"
            "# mesh data=4,model=2\n"
            "shardings = {\n"
            "    \"batch\": P(('data', 'model'),),\n"
            "    \"params['down']\": P(None, 'model'),\n"
            "}\n");
}

// The diff, applied to the file, is the suggestion: the step is priced as it was found, and asked again nothing
// changes.
TEST(SuggestVerbTest, AsADiffOfTheFile) {
  const std::vector<std::string> flags = {"--mesh=data=4,model=2", "--target=tpu-v5e:2x4",
                                          "--tries=60"};
  for (const std::string& step : {DonatingStep(1), std::string(kModule), std::string(kGathered)}) {
    const answers::SuggestAnswer answer = AnswerOf(step.c_str(), flags);
    ASSERT_GT(answer.annotations_size(), 0);
    const std::string applied = text::ApplyDiff(step, answer.diff());
    const answers::SuggestAnswer again =
        AnswerOf(applied.c_str(), {"--target=tpu-v5e:2x4", "--tries=1"});
    EXPECT_EQ(again.mesh(), "data=4,model=2");
    EXPECT_EQ(again.own().SerializeAsString(), answer.found().SerializeAsString());
  }
  std::vector<std::string> words = flags;
  words.push_back("--format=diff");
  EXPECT_EQ(Suggest(words).out, Answer(flags).diff());
  EXPECT_THAT(Suggest(words).out, HasSubstr("m.hlo\n@@ -1,"));
}

// testing/compiled asks a real one.
TEST(SuggestVerbTest, WithoutACompilerToConfirm) {
  const std::vector<std::string> flags = {"--mesh=data=8", "--target=tpu-v5e:2x4", "--tries=10",
                                          "--confirm=1", "--python=/no/such/python"};
  const Outcome run = Suggest(flags);
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("--python=/no/such/python: No such file or directory"));
  EXPECT_THAT(Suggest({"--mesh=data=8", "--target=a100-sxm:8", "--confirm=1"}).err,
              HasSubstr("--confirm needs --target=CHIP:TOPOLOGY"));
}

TEST(SuggestVerbTest, Mistakes) {
  EXPECT_THAT(Suggest({"--mesh=data=8"}).err, HasSubstr("--target=tpu-v5e:4x4"));
  EXPECT_THAT(Suggest({"--target=tpu-v5e:2x4"}).err, HasSubstr("names no mesh"));
  EXPECT_THAT(Suggest({"--target=tpu-v5e:2x4", "--mesh=data=4"}).err,
              HasSubstr("--target=tpu-v5e:2x4 has 8 devices, the mesh has 4; expected "));
  EXPECT_THAT(Suggest({"--target=tpu-v5e:2x4", "--devices=none"}).err,
              HasSubstr("--devices=none: expected a number"));
  EXPECT_THAT(Suggest({"--target=tpu-v5e:2x4", "--mesh=data=8", "--format=toml"}).err,
              HasSubstr("--format=toml: expected flags, python or diff"));
  EXPECT_THAT(Suggest({"--target=tpu-v5e:2x4", "--mesh=data=8", "--memory-limit=16x"}).err,
              HasSubstr("expected a unit"));
}

}  // namespace
}  // namespace tessera::pipeline
