// `tessera layout FILE`.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/program_layouts_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A narrow argument, its copy in the other order, and a fusion that transposes.
constexpr char kProgram[] =
    "HloModule m, is_scheduled=true\n"
    "f {\n"
    "  p = f32[1024,8]{0,1:T(8,128)} parameter(0)\n"
    "  ROOT t = f32[8,1024]{0,1:T(8,128)} transpose(p), dimensions={1,0}\n"
    "}\n"
    "ENTRY e {\n"
    "  x = f32[1024,8]{1,0:T(8,128)} parameter(0)\n"
    "  c = f32[1024,8]{0,1:T(8,128)} copy(x), metadata={op_name=\"jit(f)/dot\"}\n"
    "  u = f32[8,1024]{0,1:T(8,128)} fusion(c), kind=kLoop, calls=f\n"
    "  v = f32[1024,8]{0,1:T(8,128)S(1)} copy(c)\n"
    "  ROOT r = (f32[8,1024]{0,1:T(8,128)}, f32[1024,8]{0,1:T(8,128)S(1)}) tuple(u, v)\n"
    "}\n";

Outcome RunOn(std::vector<std::string> words) {
  words.insert(words.begin(), {"layout", TestFile("m.hlo", kProgram)});
  return RunTessera({LayoutVerb()}, words);
}

TEST(ProgramLayoutsTest, WhatNoCompilerHasLaidOutIsNoted) {
  const std::string file =
      TestFile("lowered.hlo", "HloModule m\nENTRY e {\n  ROOT x = f32[1024,8] parameter(0)\n}\n");
  EXPECT_THAT(RunTessera({LayoutVerb()}, {"layout", file}).err,
              HasSubstr("note: no compiler has laid out this module"));
  EXPECT_EQ(RunOn({}).err, "");
}

TEST(ProgramLayoutsTest, PaddingAndChanges) {
  const Outcome run = RunOn({});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "4 arrays, each piece of memory once: 1.06 MiB, 960 KiB of it padding, 88.2 %\n"
      "\n"
      "padding by tiles and memory space\n"
      "     960 KiB of     1.03 MiB  90.9 %  T(8,128), 3 arrays\n"
      "         0 B of       32 KiB   0.0 %  T(8,128) S(1), 1 array\n"
      "\n"
      "padding by array\n"
      "     480 KiB of      512 KiB  93.8 %  argument x f32[1024,8]{1,0:T(8,128)}\n"
      "                            as f32[1024,8]{0,1:T(8,128)} 32 KiB: "
      "Layout(major_to_minor=(1, 0))\n"
      "     480 KiB of      512 KiB  93.8 %  result u f32[8,1024]{0,1:T(8,128)}\n"
      "                            as f32[8,1024]{1,0:T(8,128)} 32 KiB: "
      "Layout(major_to_minor=(0, 1))\n"
      "         0 B of       32 KiB   0.0 %  temporary c f32[1024,8]{0,1:T(8,128)}, "
      "jit(f)/dot\n"
      "         0 B of       32 KiB   0.0 %  result v f32[1024,8]{0,1:T(8,128)S(1)}\n"
      "\n"
      "changes of layout, bytes read and written\n"
      "     544 KiB  copy c f32[1024,8]{1,0:T(8,128)} -> f32[1024,8]{0,1:T(8,128)}, for u and "
      "1 more, jit(f)/dot\n"
      "              the argument as f32[1024,8]{0,1:T(8,128)}, 32 KiB, needs no copy: "
      "Layout(major_to_minor=(1, 0))\n"
      "     544 KiB  fusion u f32[1024,8]{0,1:T(8,128)} -> f32[8,1024]{0,1:T(8,128)}, for r\n");
}

// {1,0} of the source is {0,1} of the result: no byte moves.
TEST(ProgramLayoutsTest, ATransposeMayBeOnlyAName) {
  const std::string file =
      TestFile("t.hlo",
               "HloModule m, is_scheduled=true\nENTRY e {\n"
               "  x = f32[64,32]{1,0} parameter(0)\n"
               "  t = f32[32,64]{0,1} transpose(x), dimensions={1,0}\n"
               "  ROOT u = f32[32,64]{1,0} transpose(x), dimensions={1,0}\n}\n");
  const std::string out = RunTessera({LayoutVerb()}, {"layout", file}).out;
  EXPECT_THAT(out, HasSubstr("transpose u f32[64,32]{1,0} -> f32[32,64]{1,0}"));
  EXPECT_THAT(out, Not(HasSubstr("transpose t")));
}

TEST(ProgramLayoutsTest, FewerRows) {
  EXPECT_THAT(RunOn({"--top=1"}).out,
              HasSubstr("Layout(major_to_minor=(1, 0))\nand 3 more: --top=0\n"));
  EXPECT_THAT(RunOn({"--match=jit"}).out, HasSubstr("1 array"));
  EXPECT_THAT(RunOn({"--min-bytes=100KiB"}).out, Not(HasSubstr("temporary c")));
  EXPECT_THAT(RunOn({"--top=0"}).out, Not(HasSubstr("--top=0")));
}

// Before a compilation: a shard of x, the result in its memory, and what the product computes.
TEST(ProgramLayoutsTest, PredictedForATarget) {
  const std::string file = TestFile(
      "step.hlo",
      "HloModule m, num_partitions=8, buffer_donor={ (0, {}) }\n"
      "ENTRY main {\n"
      "  x = bf16[1024,64,3] parameter(0), sharding={devices=[8,1,1]<=[8]}\n"
      "  w = bf16[3,4] parameter(1), sharding={replicated}\n"
      "  d = bf16[1024,64,4] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}, "
      "sharding={devices=[8,1,1]<=[8]}\n"
      "  y = bf16[1024,64,3] negate(x), sharding={devices=[8,1,1]<=[8]}\n"
      "  ROOT r = (bf16[1024,64,3], bf16[1024,64,4]) tuple(y, d), "
      "sharding={{devices=[8,1,1]<=[8]}, {devices=[8,1,1]<=[8]}}\n"
      "}\n");
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", file, "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("arrays, by the rule of tpu-v5e:2x4: "));
  EXPECT_THAT(run.out, HasSubstr("bf16[128,64,3]{0,1,2:T(8,128)(2,1)}"));
  EXPECT_THAT(run.out, Not(HasSubstr("result r{0}")));
  EXPECT_THAT(run.out, HasSubstr("bf16[128,64,4]{0,2,1:T(4,128)(2,1)}"));
  EXPECT_THAT(run.out, Not(HasSubstr("changes of layout")));
  EXPECT_THAT(RunOn({"--target=tpu-v5e:2x4"}).err, HasSubstr("the module is final"));
  EXPECT_EQ(RunTessera({LayoutVerb()}, {"layout", "f32[2]", "--target=cpu"}).exit, 2);
  EXPECT_EQ(RunTessera({LayoutVerb()}, {"layout", "bf16[20,300]", "--target=tpu-v5e"}).out,
            RunTessera({LayoutVerb()}, {"layout", "bf16[20,300]", "--target=tpu-v5e:4x4"}).out);
}

TEST(ProgramLayoutsTest, QuestionsOfOneArrayAndOfAProgramDoNotMix) {
  EXPECT_EQ(RunOn({"--ops"}).exit, 2);
  EXPECT_THAT(RunOn({"--ops"}).err, HasSubstr("--ops: the answer is about a program"));
  const Outcome shape = RunTessera({LayoutVerb()}, {"layout", "f32[2]", "--top=3"});
  EXPECT_THAT(shape.err, HasSubstr("--top: the answer is about one array"));
}

TEST(ProgramLayoutsTest, MistakesHaveAPlace) {
  const std::string file =
      TestFile("bad.hlo", "HloModule m\nENTRY e {\n  ROOT x = f32[2] negat(y)\n}\n");
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", file});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("bad.hlo:3:19: error:"));
}

TEST(ProgramLayoutsTest, MissingFileIsNoShape) {
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", "folder/none.hlo"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("folder/none.hlo: No such file or directory"));
}

TEST(ProgramLayoutsTest, JsonIsOfThePublishedForm) {
  answers::ProgramLayoutsAnswer answer;
  const Outcome run = RunOn({"--json"});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &answer).ok()) << run.out;
  EXPECT_EQ(answer.arrays_size(), 4);
  EXPECT_EQ(answer.arrays(0).padding(), 480 << 10);
  EXPECT_EQ(answer.arrays(0).better().bytes(), 32 << 10);
  EXPECT_EQ(answer.groups(0).count(), 3);
  EXPECT_EQ(answer.changes(1).users(0), "r");
}

// The argument is copied for a product after a bitcast.
TEST(ProgramLayoutsTest, AChangeHasItsChainAndTheLayoutThatAvoidsIt) {
  const std::string file =
      TestFile("copied.hlo",
               "HloModule m, is_scheduled=true\n"
               "ENTRY e {\n"
               "  w = f32[256,128]{0,1:T(8,128)} parameter(0), metadata={op_name=\"w\"}\n"
               "  c = f32[256,128]{1,0:T(8,128)} copy(w), "
               "backend_config={\"window_config\":{\"estimated_cycles\":\"4608\"}}\n"
               "  b = f32[256,128]{1,0:T(8,128)} bitcast(c)\n"
               "  ROOT d = f32[256,256]{1,0:T(8,128)} dot(b, b), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={1}\n"
               "}\n");
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", file});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("copy c f32[256,128]{0,1:T(8,128)} -> "
                                 "f32[256,128]{1,0:T(8,128)}, 4608 cycles, for b > d"));
  EXPECT_THAT(run.out, HasSubstr("the argument as f32[256,128]{1,0:T(8,128)}, 128 KiB, needs no "
                                 "copy: Layout(major_to_minor=(0, 1))\n"));
  answers::ProgramLayoutsAnswer answer;
  const Outcome json = RunTessera({LayoutVerb()}, {"layout", file, "--json"});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json.out, &answer).ok()) << json.out;
  EXPECT_EQ(answer.changes(0).chain(1), "d");
  EXPECT_EQ(answer.changes(0).cycles(), 4608);
  EXPECT_EQ(answer.changes(0).better().python(), "Layout(major_to_minor=(0, 1))");
}

TEST(ProgramLayoutsTest, PicturesOfTheWorst) {
  const std::string file = TestFile("padded.hlo",
                                    "HloModule m, is_scheduled=true\n"
                                    "ENTRY e {\n"
                                    "  x = f32[1000,3]{1,0:T(8,128)} parameter(0)\n"
                                    "  w = f32[8,128]{1,0:T(8,128)} parameter(1)\n"
                                    "  ROOT y = f32[1000,3]{1,0:T(8,128)} negate(x)\n"
                                    "}\n");
  const std::string picture = TestFile("worst.svg", "");
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", file, "--svg=" + picture});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("padding by array"));
  std::stringstream text;
  text << std::ifstream(picture).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("1. argument x: 488.28 KiB of 500 KiB are padding"));
  EXPECT_THAT(text.str(), HasSubstr("2. result y"));
  // Below each other: each head, and its picture 12 below it.
  EXPECT_THAT(text.str(), HasSubstr("y=\"32\" class=\"row\">1. argument x"));
  EXPECT_THAT(text.str(), HasSubstr("<svg x=\"0\" y=\"44\" width="));
  EXPECT_THAT(text.str(), HasSubstr(">f32[1000,3]{1,0:T(8,128)}</text>"));
  EXPECT_THAT(text.str(), Not(HasSubstr("argument w")));
  EXPECT_EQ(RunTessera({LayoutVerb()}, {"layout", file, "--svg=" + picture, "--match=^w$"}).exit,
            0);
  EXPECT_THAT((std::stringstream() << std::ifstream(picture).rdbuf()).str(),
              HasSubstr("no array has padding"));
}

// Nothing is guessed: bytes follow the text, and a note says what is not known.
TEST(ProgramLayoutsTest, UnknownTilesAndMemories) {
  const std::string file = TestFile("unknown.hlo",
                                    "HloModule m, is_scheduled=true\n"
                                    "ENTRY e {\n"
                                    "  x = f32[14,100]{1,0:T(7,100)S(9)} parameter(0)\n"
                                    "  ROOT y = f32[14,100]{1,0:T(8,128)} negate(x)\n"
                                    "}\n");
  const Outcome run = RunTessera({LayoutVerb()}, {"layout", file});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err,
            "note: T(7,100), as of x f32[14,100]{1,0:T(7,100)S(9)}, are no tiles of a TPU that "
            "tessera knows; bytes follow the text\n");
  EXPECT_THAT(run.out, HasSubstr("T(7,100) S(9), 1 array\n"));
  EXPECT_EQ(
      RunTessera({LayoutVerb()}, {"layout", TestFile("bad.hlo",
                                                     "HloModule m, is_scheduled=true\n"
                                                     "ENTRY e {\n"
                                                     "  ROOT x = f32[8]{0:T(0)} parameter(0)\n"
                                                     "}\n")})
          .exit,
      2);
}

}  // namespace
}  // namespace tessera::pipeline
