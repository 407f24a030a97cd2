#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

// Six elements do not divide by four: what crosses the boundary of the module is replicated.
constexpr char kModule[] = R"(HloModule m, num_partitions=4

ENTRY e {
  p = f32[8] parameter(0)
  s = f32[6] slice(p), slice={[0:6]}
  ROOT t = (f32[6], f32[8]) tuple(s, p)
}
)";

Outcome RunOn(const std::string& module, std::vector<std::string> flags) {
  flags.insert(flags.begin(), {"shardings", TestFile("m.hlo", module), "--mesh=x=4"});
  return RunTessera({ShardingsVerb()}, flags);
}

std::string Shardings(std::vector<std::string> flags) {
  flags.push_back("--annotate=^p$=P('x')");
  const Outcome run = RunOn(kModule, flags);
  EXPECT_EQ(run.exit, 0) << run.err;
  return run.out;
}

TEST(ShardingsVerb, ResultsAreThoseOfTheCompiledProgram) {
  EXPECT_EQ(Shardings({}),
            "p: f32[8] P('x',)\n"
            "s: f32[6] P('x',)\n"
            "result{0}: f32[6] P()\n"
            "result{1}: f32[8] P('x',)\n");
}

TEST(ShardingsVerb, TheLargestOnTopWithTheirBytes) {
  EXPECT_EQ(Shardings({"--top=3"}),
            "      24 B  result{0}: f32[6] P()\n"
            "       8 B  p: f32[8] P('x',)\n"
            "       8 B  s: f32[6] P('x',)\n");
}

// A sharding that is gone is no P().
TEST(ShardingsVerb, NotOfAProgramOfOneDevice) {
  constexpr char kPartitioned[] =
      "HloModule m, num_partitions=4\nENTRY main.1_spmd {\n  ROOT p = f32[8] parameter(0)\n}\n";
  const Outcome run = RunTessera({ShardingsVerb()}, {"shardings", TestFile("m.hlo", kPartitioned)});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(
      run.err,
      HasSubstr("it is the program of one device, and no longer says how arrays are sharded"));
}

TEST(ShardingsVerb, TheTargetHasAsManyDevicesAsTheProgram) {
  // JAX writes no num_partitions for an abstract mesh.
  constexpr char kAbstract[] =
      "HloModule m\nENTRY e {\n  ROOT p = f32[8] parameter(0), "
      "sharding={devices=[4]<=[4]}\n}\n";
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"shardings", TestFile("m.hlo", kAbstract)});
    return RunTessera({ShardingsVerb()}, flags);
  };
  EXPECT_EQ(run({"--target=h100:8"}).err,
            "--target=h100:1x1x8 has 8 devices, the module runs on 4; expected h100:4\n");
  EXPECT_EQ(run({"--target=h100:8", "--mesh=x=4"}).err,
            "--target=h100:1x1x8 has 8 devices, --mesh=x=4 has 4; expected h100:4\n");
  EXPECT_EQ(run({"--target=h100:4"}).exit, 0);
  EXPECT_THAT(run({"--mesh=x=8"}).err,
              HasSubstr("--mesh has 8 devices, the shardings of this module are for 4"));
}

TEST(ShardingsVerb, ResultsHaveTheNamesThatTheProgramGivesThem) {
  const std::string names = TestFile("names.txt", "out['s']\nout['p']\n");
  EXPECT_EQ(Shardings({"--result-names=" + names, "--match=^out"}),
            "result{0}: f32[6] P(), out['s']\n"
            "result{1}: f32[8] P('x',), out['p']\n");
}

// The parameter of the body had the axis of its in_spec, and so a quarter of its real bytes.
TEST(ShardingsVerb, InsideAShardMapArraysHaveNoManualAxes) {
  constexpr char kShardMap[] = R"(HloModule m, num_partitions=4

xla.sdy.manual_computation_body {
  p = f32[2,8] parameter(0)
  ROOT n = f32[2,8] negate(p)
}

ENTRY e {
  x = f32[8,8] parameter(0)
  i = f32[2,8] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>"}
  c = f32[2,8] call(i), to_apply=xla.sdy.manual_computation_body
  ROOT l = f32[8,8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"}
}
)";
  const Outcome run = RunOn(kShardMap, {"--json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(R"x("name":"p","shape":"f32[2,8]","sharding":"P()")x"));
  EXPECT_THAT(run.out, HasSubstr(R"x("local_shape":[2,8],"bytes_per_device":64)x"));
}

TEST(ShardingsVerb, PropagatedIsTheStateBeforeTheBorder) {
  EXPECT_EQ(Shardings({"--propagated"}),
            "p: f32[8] P('x',)\n"
            "s: f32[6] P('x'?,)\n");
}

TEST(ShardingsVerb, FiltersSeeResultsToo) {
  EXPECT_EQ(Shardings({"--match=^result", "--axis=x"}), "result{1}: f32[8] P('x',)\n");
}

TEST(ShardingsVerb, AnOpNameThatSaysMoreIsShown) {
  const Outcome run = RunOn(R"(HloModule m, num_partitions=4

ENTRY e {
  Arg_0.1 = f32[8] parameter(0), metadata={op_name="params['w']"}
  ROOT tanh.2 = f32[8] tanh(Arg_0.1), metadata={op_name="tanh"}
}
)",
                            {});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "Arg_0.1: f32[8] P(), params['w']\n"
            "tanh.2: f32[8] P()\n"
            "result: f32[8] P()\n");
}

// A quarter of `p` takes 8 bytes.
TEST(ShardingsVerb, BytesAreThoseOfADevice) {
  EXPECT_THAT(Shardings({"--min-bytes=8", "--match=^p$"}), HasSubstr("p: f32[8]"));
  EXPECT_EQ(Shardings({"--min-bytes=9", "--match=^p$"}), "");
}

TEST(ShardingsVerb, AnAxisNeedsAMesh) {
  const Outcome run =
      RunTessera({ShardingsVerb()}, {"shardings", TestFile("m.hlo", kModule), "--axis=x"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.err, "--axis=x: the module has no mesh, and no --mesh gives it one\n");
  EXPECT_THAT(RunOn(kModule, {"--axis=y"}).err, HasSubstr("--axis=y: the axes are x\n"));
}

TEST(ShardingsVerb, APatternWithoutAMatchIsSaid) {
  const Outcome run = RunOn(kModule, {"--match=params", "--min-bytes=8"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("note: none of 2 tensors passes --match=params --min-bytes=8\n"));
}

// Shardings after the pass are those of the end: what has none is replicated, and manual axes stand for any rank.
TEST(ShardingsVerbTest, FinalShardingsAreReadAsTheyAre) {
  const std::string file =
      TestFile("final.hlo",
               "HloModule m, num_partitions=4\nENTRY e {\n"
               "  x = f32[8,4] parameter(0), sharding={mesh['x'=4], [{'x'}, {}]}\n"
               "  a = f32[8,4] tanh(x)\n"
               "  b = f32[8,4] sine(a), sharding={mesh['x'=4], manual}\n"
               "  ROOT s = f32[8,4] cosine(b), sharding={mesh['x'=4], [{}, {'x'}]}\n}\n");
  const Outcome run = RunTessera({ShardingsVerb()}, {"shardings", file});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out,
            "x: f32[8,4] P('x', None)\na: f32[8,4] P()\nb: f32[8,4] P()\n"
            "s: f32[8,4] P(None, 'x')\nresult: f32[8,4] P(None, 'x')\n");
}

// Inside, each device has an array of its own along the manual axes; a loop in the body is inside, too.
TEST(ShardingsVerbTest, ArraysOfAShardMapNameItsAxes) {
  const std::string file = TestFile(
      "manual.hlo",
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=4, "model"=2]>}}

xla.sdy.manual_computation_body.1 {
  p = f32[2,4] parameter(0)
  ROOT s = f32[2,4] sine(p)
}

ENTRY main {
  x = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {\"model\"}]>"}
  l = f32[2,4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {\"model\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>"}
  c = f32[2,4] call(l), to_apply=xla.sdy.manual_computation_body.1, frontend_attributes={inlineable="xla_late"}
  ROOT g = f32[8,4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {\"model\"}]>]>"}
}
)");
  EXPECT_THAT(RunTessera({ShardingsVerb()}, {"shardings", file}).out,
              HasSubstr("s: f32[2,4] P(None, 'model') manual={'data'}\n"));
  EXPECT_THAT(RunTessera({ShardingsVerb()}, {"shardings", file, "--json"}).out,
              HasSubstr("\"manual_axes\":[\"data\"],\"local_shape\":[2,2]"));
}

// As XLA compiles what JAX lowered: a constraint that is the only result closes it, and only what divides stays.
TEST(ShardingsVerbTest, AConstraintThatIsTheOnlyResultIsTheResults) {
  const std::string file = TestFile(
      "lowered.hlo",
      "HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=2, \"b\"=4]>}}\n"
      "ENTRY e {\n  x = f32[8,6] parameter(0)\n"
      "  ROOT c = f32[8,6] custom-call(x), custom_call_target=\"Sharding\", "
      "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}, "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{}, "
      "{\\\"b\\\"}]>]>\"}\n}\n");
  EXPECT_THAT(RunTessera({ShardingsVerb()}, {"shardings", file}).out,
              HasSubstr("result: f32[8,6] <@mesh, [{}, {\"b\":(1)2}]>\n"));
  EXPECT_THAT(RunTessera({ShardingsVerb()}, {"shardings", file, "--reference=0.10.2"}).out,
              HasSubstr("result: f32[8,6] P()\n"));
}

}  // namespace
}  // namespace tessera::pipeline
