#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/capturing_loop_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMlp[] =
    "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"data\\\"=4, "
    "\\\"model\\\"=2]>}\"}, num_partitions=8\n"
    "ENTRY e {\n"
    "  x.1 = f32[16,32] parameter(0), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"data\\\"}, {}]>\"}, "
    "metadata={op_name=\"x\"}\n"
    "  w.1 = f32[32,64] parameter(1), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, {\\\"model\\\"}]>\"}, "
    "metadata={op_name=\"w\"}\n"
    "  dot.7 = f32[16,64] dot(x.1, w.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "metadata={op_name=\"dot\" source_file=\"m.py\" source_line=5}\n"
    "  c.1 = f32[] constant(0)\n"
    "  b.1 = f32[16,64] broadcast(c.1), dimensions={}\n"
    "  ROOT max.2 = f32[16,64] maximum(dot.7, b.1), "
    "metadata={op_name=\"max\" source_file=\"m.py\" source_line=6}\n"
    "}\n";

// The same with other numbers, two lines lower, and with the operands of max exchanged.
constexpr char kRenumbered[] =
    "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"data\\\"=4, "
    "\\\"model\\\"=2]>}\"}, num_partitions=8\n"
    "ENTRY e {\n"
    "  c.7 = f32[] constant(0)\n"
    "  b.9 = f32[16,64] broadcast(c.7), dimensions={}\n"
    "  x.3 = f32[16,32] parameter(0), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"data\\\"}, {}]>\"}, "
    "metadata={op_name=\"x\"}\n"
    "  w.2 = f32[32,64] parameter(1), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, {\\\"model\\\"}]>\"}, "
    "metadata={op_name=\"w\"}\n"
    "  dot.1 = f32[16,64] dot(x.3, w.2), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "metadata={op_name=\"dot\" source_file=\"m.py\" source_line=7}\n"
    "  ROOT max.4 = f32[16,64] maximum(b.9, dot.1), "
    "metadata={op_name=\"max\" source_file=\"m.py\" source_line=8}\n"
    "}\n";

constexpr char kRecorded[] =
    "tessera golden 1\n"
    "reference 0.12.0.1\n"
    "mesh @mesh <[\"data\"=4, \"model\"=2]>\n"
    "\n# Arguments of the module.\n"
    "x.1: f32[16,32] P('data', None) = argument, op_name=\"x\"\n"
    "w.1: f32[32,64] P(None, 'model') = argument, op_name=\"w\"\n"
    "\n# What it computes.\n"
    "dot.7: f32[16,64] P('data', 'model') = dot(x.1, w.1), op_name=\"dot\", source=\"m.py:5\"\n"
    "b.1: f32[16,64] P('data', 'model') = broadcast\n"
    "max.2: f32[16,64] P('data', 'model') = maximum(dot.7, b.1), op_name=\"max\", "
    "source=\"m.py:6\"\n"
    "\n# Results of the module.\n"
    "result: f32[16,64] P('data', 'model') = result(max.2)\n";

Outcome Tessera(const std::vector<std::string>& words) {
  return RunTessera({ShardingsVerb(), CheckVerb(), DiffVerb()}, words);
}

Outcome Check(const std::string& module, const std::string& golden,
              std::vector<std::string> flags = {}) {
  flags.insert(flags.begin(), {"check", TestFile("m.hlo", module), TestFile("golden.txt", golden)});
  return Tessera(flags);
}

TEST(RecordTest, OneTensorALine) {
  const Outcome run = Tessera({"shardings", "--format=golden", TestFile("m.hlo", kMlp)});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, kRecorded);
}

TEST(CheckTest, NothingChanged) {
  const Outcome run = Check(kMlp, kRecorded);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("m.hlo: 6 tensors, all sharded as in "));
}

TEST(CheckTest, NumbersLinesAndOrderAreNoChange) {
  const Outcome run = Check(kRenumbered, kRecorded);
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
}

TEST(CheckTest, LostAxesInTheUsersWords) {
  const Outcome run = Check(kMlp, kRecorded, {"--annotate=^w$=P(None,None)"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("of 6 tensors 5 sharded differently, 0 new, 0 gone\n"));
  EXPECT_THAT(run.out, HasSubstr("where they first differ:\n"
                                 "  w.1 lost 'model' on dimension 1 (annotation): annotated "
                                 "P() on parameter 1 now; with it 4 other tensors\n\n"));
  EXPECT_THAT(run.out, HasSubstr("dot.7: f32[16,64]  # dot, m.py:5\n"
                                 "  - P('data', 'model'), 512 B per device\n"
                                 "  + P('data', None), 1 KiB per device\n"
                                 "  lost 'model' on dimension 1\n"));
  EXPECT_THAT(run.out, HasSubstr("arguments                   4.5 KiB        8.5 KiB\n"));
}

TEST(CheckTest, FiltersSayWhatCounts) {
  const std::string lost = "--annotate=^w$=P(None,None)";
  const Outcome others = Check(kMlp, kRecorded, {lost, "--match=^x"});
  EXPECT_EQ(others.exit, 0);
  EXPECT_THAT(others.out, HasSubstr(": 1 of 6 tensors, all sharded as in "));
  const Outcome misspelled = Check(kMlp, kRecorded, {lost, "--match=^nothing"});
  EXPECT_EQ(misspelled.exit, 2);
  EXPECT_THAT(misspelled.err, HasSubstr("none of 6 tensors passes --match=^nothing"));
  EXPECT_EQ(Check(kMlp, kRecorded, {lost, "--axis=data"}).exit, 0);
  EXPECT_EQ(Check(kMlp, kRecorded, {lost, "--min-bytes=1MiB"}).exit, 0);
  const Outcome one = Check(kMlp, kRecorded, {lost, "--axis=model", "--top=1"});
  EXPECT_EQ(one.exit, 1);
  EXPECT_THAT(one.out, HasSubstr("of 6 tensors 5 sharded differently, 0 new, 0 gone\n"));
  EXPECT_THAT(one.out, HasSubstr("now; with it 4 other tensors\n"));
  EXPECT_THAT(one.out, HasSubstr("w.1: f32[32,64]"));  // the largest
  EXPECT_THAT(one.out, HasSubstr("and 4 more: --top=0\n"));
  EXPECT_THAT(Check(kMlp, kRecorded, {"--axis=rows"}).err, HasSubstr("the axes are data, model"));
}

TEST(CheckTest, UpdateWritesTheFile) {
  const std::string golden = TestFile("updated.txt", "nothing yet");
  const Outcome run = Tessera({"check", TestFile("m.hlo", kMlp), golden, "--update"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out, "wrote " + golden + ": 6 tensors\n");
  EXPECT_EQ(Tessera({"check", TestFile("m.hlo", kMlp), golden}).exit, 0);
}

TEST(CheckTest, AMissingFileSaysHowItIsMade) {
  const Outcome run = Tessera({"check", TestFile("m.hlo", kMlp), ::testing::TempDir() + "/none"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("/none: No such file or directory; --update writes the file"));
}

TEST(CheckTest, WhereTheTwoPart) {
  const Outcome moved = Check(kMlp, kRecorded, {"--annotate=^w$=P('model',None)"});
  EXPECT_THAT(moved.out,
              HasSubstr("  w.1 'model' moved from dimension 1 to dimension 0 (annotation): "
                        "from P('model', None) on parameter 1; with it 4 other "
                        "tensors\n"));
  const Outcome gained =
      Check(kMlp, kRecorded, {"--annotate=^x$=P('model',None)", "--annotate=^w$=P(None,'model')"});
  EXPECT_EQ(gained.exit, 1) << gained.err;
  EXPECT_THAT(gained.out, HasSubstr("(annotation): from P('model', None) on parameter 0"));
  EXPECT_THAT(gained.out, HasSubstr("  x.1 lost 'data' on dimension 0 (annotation): annotated "));
  const Outcome json = Check(kMlp, kRecorded, {"--json", "--annotate=^w$=P(None,None)"});
  EXPECT_THAT(json.out,
              HasSubstr(R"("causes":[{"tensor":"w.1","axis":{"kind":"lost","axis":"'model'")"));
}

// A callback on one device: jaxlib gives its array no dimensions.
std::string OnDevice(int device) {
  return absl::StrCat(
      "HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes=\"{mesh = "
      "#sdy.mesh<[\\\"data\\\"=8]>, one = #sdy.mesh<[], device_ids=[",
      device,
      "]>}\"}\n"
      "ENTRY e {\n"
      "  x = f32[8] parameter(0)\n"
      "  c = f32[8] custom-call(x), custom_call_target=\"xla_ffi_python_cpu_callback\", "
      "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="
      "\"#sdy.sharding_per_value<[<@one, []>]>\"}\n"
      "  ROOT t = (f32[8], f32[8]) tuple(x, c)\n"
      "}\n");
}

// An unreduced axis stands on no dimension that could have lost it.
TEST(CheckTest, AnAxisThatWasUnreducedIsNoLoss) {
  const std::string golden = absl::StrReplaceAll(
      kRecorded,
      {{"x.1: f32[16,32] P('data', None)", "x.1: f32[16,32] P(None, None, unreduced={'model'})"}});
  const Outcome run =
      Check(kMlp, golden, {"--annotate=^x$=P(None,'model')", "--annotate=^w$=P(None,None)"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("'model' moved from the unreduced axes to dimension 1"));
  EXPECT_THAT(run.out, HasSubstr("  dot.7 lost 'model' on dimension 1 (no_shared_factor): "));
}

TEST(CheckTest, AnArrayOnOneDevice) {
  const std::string golden =
      Tessera({"shardings", "--format=golden", TestFile("one.hlo", OnDevice(0))}).out;
  EXPECT_THAT(golden, HasSubstr("c: f32[8] device 0 = custom-call(x)\n"));
  EXPECT_EQ(Check(OnDevice(0), golden).exit, 0);
  const Outcome moved = Check(OnDevice(3), golden);
  EXPECT_EQ(moved.exit, 1) << moved.err;
  EXPECT_THAT(moved.out, HasSubstr("  moved from device 0 to device 3\n"));
}

// A fault of the hostile hunt: an entry of a module without a mesh.
TEST(CheckTest, WhatIsGoneHasNoMesh) {
  const std::string module =
      "HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] tanh(x)\n}\n";
  const std::string golden =
      Tessera({"shardings", "--format=golden", TestFile("none.hlo", module)}).out;
  const Outcome gone = Check(absl::StrReplaceAll(module, {{"tanh(x)", "copy(x)"}}),
                             absl::StrCat(golden, "z: f32[8] P() = exponential(y)\n"));
  EXPECT_EQ(gone.exit, 1) << gone.err;
  EXPECT_THAT(gone.out, HasSubstr("z: f32[8]"));
}

TEST(CheckTest, AnotherMeshOrReferenceIsBadInput) {
  const Outcome mesh = Check(kMlp, kRecorded, {"--mesh=data=2,model=4"});
  EXPECT_EQ(mesh.exit, 2);
  EXPECT_THAT(mesh.err, HasSubstr("golden.txt:3:1: error: recorded for mesh [\"data\"=4, "
                                  "\"model\"=2], the module has [\"data\"=2, \"model\"=4]"));
  EXPECT_THAT(mesh.err, HasSubstr("\n  ^\n"));
  const Outcome reference = Check(kMlp, kRecorded, {"--reference=0.10.2"});
  EXPECT_EQ(reference.exit, 2);
  EXPECT_THAT(reference.err, HasSubstr("golden.txt:2:1: error: recorded with reference 0.12.0.1"));
}

TEST(CheckTest, BadFilesAreBadInput) {
  const Outcome broken = Check(kMlp, std::string(kRecorded) + "y: f32[2] P('rows',) = iota\n");
  EXPECT_EQ(broken.exit, 2);
  EXPECT_THAT(broken.err, HasSubstr("golden.txt:16:11: error: the mesh has no axis 'rows'"));
  EXPECT_EQ(Tessera({"check", TestFile("m.hlo", kMlp)}).exit, 2);
  EXPECT_EQ(Tessera({"check", TestFile("m.hlo", kMlp), "/nowhere"}).exit, 2);
  EXPECT_EQ(Check(kMlp, kMlp).exit, 2);
}

TEST(DiffTest, TwoModules) {
  const std::string a = TestFile("a.hlo", kMlp), b = TestFile("b.hlo", kRenumbered);
  EXPECT_EQ(Tessera({"diff", a, b}).exit, 0);
  const Outcome run = Tessera({"diff", a, b, "--b-annotate=^x$=P('data','model')"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("x.3: f32[16,32], was x.1  # x\n"));
  EXPECT_THAT(run.out, HasSubstr("gained 'model' on dimension 1"));
}

// Of final shardings no operation refused an axis.
TEST(DiffTest, FinalShardingsHaveNoCause) {
  const auto file = [](const std::string& name, const std::string& of_sine) {
    return TestFile(name,
                    "HloModule m, num_partitions=4\nENTRY e {\n"
                    "  x = f32[16,8] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                    "  s = f32[16,8] sine(x)" +
                        of_sine +
                        "\n  ROOT y = f32[16,8] cosine(s), sharding={devices=[4,1]<=[4]}\n}\n");
  };
  const Outcome run =
      Tessera({"diff", file("a.hlo", ", sharding={devices=[4,1]<=[4]}"), file("b.hlo", "")});
  EXPECT_THAT(run.out, HasSubstr("\ns: f32[16,8]\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("where they first differ")));
}

TEST(DiffTest, BHasAStrategyOfItsOwn) {
  const std::string file = TestFile("mlp.hlo", kMlp);
  const Outcome run = Tessera({"diff", file, "--b-strategy=basic", "--b-schedule=flat"});
  EXPECT_NE(run.exit, 2) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("B is A")));
  EXPECT_THAT(Tessera({"diff", file, "--b-strategy=best"}).err, HasSubstr("--strategy=best"));
}

// The results of negating and multiplying w lost 'b' since w is closed.
TEST(DiffTest, OnATargetTheAnswerHasTheCostsOfBoth) {
  const std::string file = TestFile("mlp.hlo", kMlp);
  const Outcome run = Tessera({"diff", file, "--b-annotate=^w$=P()", "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("w.1 lost 'model' on dimension 1 (annotation)"));
  EXPECT_THAT(run.out, ContainsRegex("\non tpu-v5e:2x4 +before +after\na step takes +[0-9]"));
  EXPECT_THAT(run.out, ContainsRegex("\nmemory peaks at +[0-9].*\na device sends +[0-9]"));
  EXPECT_THAT(run.out, Not(HasSubstr("error of predicted times")));
  EXPECT_THAT(run.err,
              ::testing::StartsWith(
                  "note: times follow the estimates of the TPU compiler: from a lowered "));
  const Outcome json =
      Tessera({"diff", file, "--b-annotate=^w$=P()", "--target=tpu-v5e:2x4", "--json"});
  EXPECT_THAT(json.out, ContainsRegex("\"costs_before\":\\{\"memory\":[0-9]+,.*\"seconds\":"));
  EXPECT_THAT(json.out, ContainsRegex("\"costs_after\":\\{\"memory\":[0-9]+,"));
}

// Of B the operand is gathered, too.
TEST(DiffTest, ACustomCallHasTheCostThatTheUserSays) {
  const std::string file = TestFile("call.hlo",
                                    "HloModule m, num_partitions=8\n"
                                    "ENTRY e {\n"
                                    "  w = f32[65536,1024] parameter(0)\n"
                                    "  ROOT c = f32[65536,1024] custom-call(w), "
                                    "custom_call_target=\"fast\"\n"
                                    "}\n");
  const std::vector<std::string> words = {
      "diff", file, "--mesh=data=8", "--b-annotate=^w$=P('data')", "--kernel-cost=fast=197e11,1"};
  EXPECT_THAT(Tessera(words).err, HasSubstr("--kernel-cost: needs a target"));
  std::vector<std::string> on_target = words;
  on_target.push_back("--target=tpu-v5e:2x4");
  const Outcome run = Tessera(on_target);
  EXPECT_THAT(run.out, ContainsRegex("\na step takes +100 ms +1[0-9]+ ms\n"
                                     "  less apart than the error of predicted times, 15 %\n"));
  on_target.push_back("--kernel-cost=other=1,1");
  EXPECT_THAT(Tessera(on_target).err, HasSubstr("--kernel-cost=other=..: no custom call"));
}

// The weight is gathered in bf16 there. An array below 1 MiB has a wide band of its peak.
TEST(DiffTest, OnATargetTheAnswerHasItsFinalCollectives) {
  const std::string file = TestFile("mlp.hlo", kMlp);
  const Outcome run = Tessera({"diff", file, "--b-annotate=^w$=P('data')", "--target=tpu-v5e:2x4"});
  EXPECT_THAT(run.out,
              ContainsRegex("\n  less apart than the error of a prediction: [^\n]* before, "
                            "[^\n]* after\na device sends "));
  EXPECT_THAT(run.out, ContainsRegex("in collectives +0 +1\n  all-gather: 0 B -> 3 KiB, w  # "
                                     "m.py:5\n$"));
}

// Flags of XLA change no sharding, but what is made of it: the costs come all the same.
TEST(DiffTest, BHasFlagsOfXlaOfItsOwn) {
  const std::string file = TestFile("mlp.hlo", kMlp);
  const std::string flag = "--b-xla-flags=--xla_gpu_all_reduce_combine_threshold_bytes=0";
  const Outcome run = Tessera({"diff", file, "--target=h100:8", flag});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("B is A")));
  EXPECT_THAT(run.out, ContainsRegex("\non h100:1x1x8 +before +after\na step takes "));
  EXPECT_THAT(run.out, HasSubstr("\nin collectives "));
  EXPECT_THAT(Tessera({"diff", file, flag}).err, HasSubstr("--xla-flags: needs --target"));
}

TEST(DiffTest, AGoldenFileHasNoTarget) {
  const Outcome run = Tessera(
      {"diff", TestFile("g.txt", kRecorded), TestFile("mlp.hlo", kMlp), "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("--target: a golden file has no target"));
}

TEST(DiffTest, ACompiledModuleHasNoSettings) {
  const std::string compiled =
      TestFile("compiled.hlo",
               "HloModule m, is_scheduled=true\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n");
  const Outcome run = Tessera(
      {"diff", TestFile("mlp.hlo", kMlp), compiled, "--target=tpu-v5e:2x4", "--b-mesh=a=8"});
  EXPECT_EQ(run.exit, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("--b-mesh: B is compiled"));
}

TEST(DiffTest, AnnotatedParametersAreWhereTheRunsPart) {
  const std::string file = TestFile(
      "closed.hlo",
      R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}

ENTRY e {
  x = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  w = f32[4,16] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"b\"}]>"}
  n = f32[4,16] negate(w)
  y = f32[8,16] dot(x, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[8,16] sine(y)
}
)");
  const Outcome run = Tessera({"diff", file, "--b-annotate=^w$=P()"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("where they first differ:\n  w lost 'b' on dimension 1 "
                                 "(annotation): annotated P() on parameter 1 now; with it "));
  EXPECT_THAT(run.out, Not(HasSubstr("  n lost 'b'")));
  EXPECT_THAT(run.out, ContainsRegex("\nin a step +before +after\na device sends +0 B +0 B\n"
                                     "in collectives +0 +0\nbytes are of the partitioner's "));
  EXPECT_EQ(run.err, "");
}

// The batch of w is needed whole where x has its axis elsewhere.
TEST(DiffTest, WithoutATargetTheAnswerHasWhatIsSent) {
  const std::string file = TestFile("mlp.hlo", kMlp);
  const std::string changed = "--b-annotate=^w$=P('data')";
  const Outcome run = Tessera({"diff", file, changed});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("\na device sends +0 B +6 KiB\nin collectives +0 +1\n"
                                     "  all-gather: 0 B -> 6 KiB, dot  # m.py:5\n"
                                     "bytes are of the partitioner's collectives, before later "
                                     "passes of a compiler; --target has the final ones\n$"));
  EXPECT_EQ(run.err, "");
  const Outcome json = Tessera({"diff", file, changed, "--json"});
  EXPECT_THAT(json.out, HasSubstr(R"("costs_before":{"sent":0,"collectives":0})"));
  EXPECT_THAT(
      json.out,
      HasSubstr(
          R"("sent_changes":[{"op":"all-gather","op_name":"dot","source":"m.py:5","before":0,"after":6144}])"));
}

// g0 is P() before and after: what its loop reads for it follows x0.
TEST(DiffTest, StateOfALoopIsNotWhatItCaptures) {
  const std::string file = TestFile("loop.hlo", kCapturingLoop);
  const Outcome run = Tessera({"diff", file, "--b-annotate=^x0$=P()"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("x0 lost 'b' on dimension 1 (annotation)"));
  EXPECT_THAT(run.out, Not(HasSubstr("on parameter 1")));
}

// The spec replaces that of the constraint, and its operand has it, too.
TEST(DiffTest, AnnotationOfAConstraint) {
  const std::string file = TestFile(
      "constraint.hlo",
      R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}

ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] negate(x)
  c = f32[8] custom-call(y), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>"}
  ROOT z = f32[8] negate(c)
}
)");
  const Outcome run = Tessera({"diff", file, "--b-annotate=^c$=P('b')"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("c gained 'b' on dimension 0 (annotation)"));
  EXPECT_THAT(run.out, HasSubstr("\ny: f32[8]\n"));
  EXPECT_THAT(run.out, HasSubstr("  + P('b',)"));
}

TEST(DiffTest, GoldenFilesOnEitherSide) {
  const std::string golden = TestFile("golden.txt", kRecorded), module = TestFile("m.hlo", kMlp);
  EXPECT_EQ(Tessera({"diff", golden, module}).exit, 0);
  EXPECT_EQ(Tessera({"diff", module, golden}).exit, 0);
  const std::string lost = "--annotate=^w$=P(None,None)";
  const Outcome forward = Tessera({"diff", golden, module, lost});
  EXPECT_EQ(forward.exit, 1);
  EXPECT_THAT(forward.out, HasSubstr("where they first differ:\n  w.1 lost 'model'"));
  const Outcome backward = Tessera({"diff", module, golden, lost});
  EXPECT_EQ(backward.exit, 1);
  EXPECT_THAT(backward.out, HasSubstr("gained 'model' on dimension 1"));
  const std::string other =
      TestFile("other.txt", Tessera({"shardings", "--format=golden", module, lost}).out);
  EXPECT_EQ(Tessera({"diff", golden, other}).exit, 1);
  EXPECT_EQ(Tessera({"diff", "/nowhere", golden}).exit, 2);
}

TEST(DiffTest, AGoldenFileTwice) {
  const std::string golden = TestFile("golden.txt", kRecorded);
  const Outcome twice = Tessera({"diff", golden, golden});
  EXPECT_EQ(twice.exit, 0) << twice.err;
  EXPECT_THAT(twice.out, HasSubstr("all sharded as in"));
  EXPECT_THAT(Tessera({"diff", golden}).err, HasSubstr("note: B is A; "));
}

TEST(DiffTest, StandardInputIsReadOnce) {
  const auto diff = [](std::vector<std::string> words) {
    EXPECT_NE(std::freopen(TestFile("a.hlo", kMlp).c_str(), "r", stdin), nullptr);
    words.insert(words.begin(), "diff");
    return Tessera(words);
  };
  const Outcome run = diff({"-", "--b-annotate=^x$=P('data','model')"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("B against A: of "));
  EXPECT_EQ(diff({"-", "-"}).exit, 0);
  EXPECT_EQ(diff({TestFile("b.hlo", kMlp), "-", "--target=tpu-v5e:2x4"}).exit, 0);
}

TEST(DiffTest, TwoSettingsOfOne) {
  const std::string a = TestFile("a.hlo", kMlp);
  const Outcome same = Tessera({"diff", a});
  EXPECT_EQ(same.exit, 0);
  EXPECT_THAT(same.err, HasSubstr("note: B is A; "));
  EXPECT_EQ(Tessera({"diff", a, "--annotate=^w$=P()"}).exit, 0);
  const Outcome run = Tessera({"diff", a, "--b-mesh=data=2,model=4"});
  EXPECT_THAT(run.err, Not(HasSubstr("note: B is A")));
  EXPECT_THAT(run.out,
              HasSubstr("mesh [\"data\"=4, \"model\"=2] became [\"data\"=2, \"model\"=4]"));
  EXPECT_EQ(run.exit, 1);
  EXPECT_THAT(run.out, HasSubstr("all sharded as in A, on another mesh\n"));
  EXPECT_THAT(run.out, HasSubstr("sums of shard sizes"));
}

}  // namespace
}  // namespace tessera::pipeline
