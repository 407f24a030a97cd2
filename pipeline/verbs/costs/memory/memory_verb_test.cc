#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// 6 KiB of arguments on each of four devices, 1 KiB of results, and 2 KiB between them.
constexpr char kModule[] =
    "HloModule m, num_partitions=4\n"
    "ENTRY e {\n"
    "  x = f32[64,32] parameter(0), sharding={devices=[4,1]<=[4]}, "
    "metadata={op_name=\"batch\" source_file=\"m.py\" source_line=3}\n"
    "  w = f32[32,32] parameter(1), sharding={replicated}\n"
    "  t = f32[64,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
    "sharding={devices=[4,1]<=[4]}, "
    "metadata={op_name=\"layer\" source_file=\"m.py\" source_line=4}\n"
    "  ROOT s = f32[64,16] slice(t), slice={[0:64],[0:16]}, sharding={devices=[4,1]<=[4]}\n"
    "}\n";

Outcome Memory(std::vector<std::string> words) {
  words.insert(words.begin(), {"memory", TestFile("m.hlo", kModule)});
  return RunTessera({MemoryVerb()}, words);
}

TEST(MemoryVerbTest, WhatADeviceNeeds) {
  const Outcome run = Memory({});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("       6 KiB  arguments\n"
                                 "       1 KiB  results\n"
                                 "       2 KiB  temporaries at their peak, an estimate\n"
                                 "       9 KiB  in all\n"));
  EXPECT_THAT(run.out,
              HasSubstr("       2 KiB  t f32[16,32] {devices=[4,1]<=[4]}, layer  # m.py:4\n"));
  EXPECT_THAT(run.out,
              HasSubstr("       2 KiB  x f32[16,32] {devices=[4,1]<=[4]}, batch  # m.py:3\n"));
}

// A constant is a constant, in the entry and in a loop, and no message.
TEST(MemoryVerbTest, ConstantsHaveARow) {
  const std::string text =
      "HloModule m\nbody {\n  s = (f32[4096]) parameter(0)\n  x = f32[4096] get-tuple-element(s), "
      "index=0\n  c = f32[4096] constant({...})\n  d = f32[4096] add(x, c)\n  ROOT t = (f32[4096]) "
      "tuple(d)\n}\ngo {\n  s = (f32[4096]) parameter(0)\n  ROOT p = pred[] constant(false)\n}\n"
      "ENTRY e {\n  x = f32[4096] parameter(0)\n  c = f32[4096] constant({...})\n  y = f32[4096] "
      "add(x, c)\n  t = (f32[4096]) tuple(y)\n  w = (f32[4096]) while(t), condition=go, body=body\n"
      "  v = f32[4096] get-tuple-element(w), index=0\n  ROOT r = f32[16] slice(v), slice={[0:16]}\n"
      "}\n";
  const std::string file = TestFile("constants.hlo", text);
  const Outcome run = RunTessera({MemoryVerb()}, {"memory", file, "--as-is"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("      32 KiB  constants\n"
                                 "      16 KiB  temporaries at their peak, an estimate\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("messages")));
  EXPECT_THAT(RunTessera({MemoryVerb()}, {"memory", file, "--as-is", "--json"}).out,
              HasSubstr("\"constants\":32768,\"temporaries\":16384,\"total\":65600"));
}

// The memory of a device, not of a chip, and the part of it that a program can have.
TEST(MemoryVerbTest, HardwareIsADevice) {
  EXPECT_THAT(Memory({"--hardware=tpu7x", "--json"}).out, HasSubstr("\"limit\":101726"));
  EXPECT_THAT(Memory({"--hardware=b200", "--json"}).out, HasSubstr("\"limit\":191514411008"));
}

TEST(MemoryVerbTest, ALimitIsAFinding) {
  const Outcome fits = Memory({"--memory-limit=9KiB"});
  EXPECT_EQ(fits.exit, 0);
  EXPECT_THAT(fits.out,
              HasSubstr("fits 9KiB: 0 B left, by an estimate for no machine in particular"));
  const Outcome over = Memory({"--memory-limit=8 kB"});
  EXPECT_EQ(over.exit, 1);
  EXPECT_THAT(over.out, HasSubstr("does not fit 8 kB: 1.19 KiB too much, "));
  EXPECT_EQ(Memory({"--hardware=tpu-v5e"}).exit, 0);
}

TEST(MemoryVerbTest, TheLineIsTheUsersOwn) {
  const std::string text =
      "HloModule m\n\nFileNames\n1 \"/opt/site-packages/flax/linear.py\"\n2 \"model.py\"\n\n"
      "FunctionNames\n1 \"call\"\n\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=287 end_line=287 column=1 end_column=9}\n"
      "2 {file_name_id=2 function_name_id=1 line=41 end_line=41 column=3 end_column=9}\n\n"
      "StackFrames\n1 {file_location_id=2 parent_frame_id=1}\n"
      "2 {file_location_id=1 parent_frame_id=2}\n\nENTRY e {\n  x = f32[32,32] parameter(0)\n"
      "  t = f32[32,32] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
      "metadata={stack_frame_id=2}\n  ROOT s = f32[8,32] slice(t), slice={[0:8],[0:32]}\n}\n";
  const std::string file = TestFile("frames.hlo", text);
  EXPECT_THAT(RunTessera({MemoryVerb()}, {"memory", file, "--as-is"}).out,
              HasSubstr("t f32[32,32]  # model.py:41\n"));
}

TEST(MemoryVerbTest, FiltersChooseBuffers) {
  const auto names = [](std::vector<std::string> words) {
    words.push_back("--json");
    const std::string out = Memory(std::move(words)).out;
    std::string found;
    for (const char* const name : {"t", "x", "w"}) {
      if (out.find(absl::StrCat("{\"name\":\"", name, "\"")) != std::string::npos) found += name;
    }
    return found;
  };
  EXPECT_EQ(names({}), "txw");
  EXPECT_EQ(names({"--match=m.py:4"}), "t");
  EXPECT_EQ(names({"--match=^batch$"}), "x");
  EXPECT_EQ(names({"--min-bytes=3KiB"}), "w");
  EXPECT_EQ(names({"--mesh=data=4", "--axis=data"}), "tx");
  EXPECT_EQ(names({"--top=1"}), "tw");  // of each list
  EXPECT_THAT(Memory({"--top=1"}).out, HasSubstr("and 1 more: --top=0\n"));
  EXPECT_THAT(Memory({"--match=batch"}).out, HasSubstr("       9 KiB  in all\n"));
  EXPECT_THAT(Memory({"--mesh=data=4", "--axis=model"}).err, HasSubstr("the axes are data"));
  EXPECT_THAT(Memory({"--match=no such"}).err,
              HasSubstr("note: none of 3 buffers passes --match=no such"));
}

TEST(MemoryVerbTest, FiltersChooseBuffersOnATarget) {
  const auto memory = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"--target=tpu-v5e:2x2", "--mesh=data=4"});
    return Memory(std::move(words));
  };
  const std::string all = memory({}).out;
  EXPECT_THAT(all, HasSubstr(", batch  # m.py:3"));
  EXPECT_THAT(all, HasSubstr("  w f32"));
  for (const char* const choice : {"--match=^batch$", "--axis=data"}) {
    const Outcome run = memory({choice});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(", batch  # m.py:3"));
    EXPECT_THAT(run.out, Not(HasSubstr("  w f32")));
  }
  EXPECT_THAT(memory({"--top=1"}).out, HasSubstr("and 1 more: --top=0\n"));
  EXPECT_THAT(memory({"--axis=model"}).err, HasSubstr("the axes are data"));
}

TEST(MemoryVerbTest, HardwareHasTiles) {
  const Outcome tpu = Memory({"--hardware=tpu-v5e"});
  EXPECT_THAT(tpu.out, HasSubstr("x f32[16,32]{1,0:T(8,128)} {devices=[4,1]<=[4]}, 6 KiB of it "
                                 "padding, batch  # m.py:3\n"));
  EXPECT_THAT(tpu.out, HasSubstr("in tiles of the hardware, "));
  EXPECT_THAT(Memory({"--hardware=tpu-v5e", "--json"}).out, HasSubstr("\"padding\":6144"));
  EXPECT_THAT(Memory({"--hardware=h100-sxm"}).out,
              HasSubstr("x f32[16,32] {devices=[4,1]<=[4]}, batch"));
}

TEST(MemoryVerbTest, APlainNumberIsBytes) {
  EXPECT_THAT(Memory({"--memory-limit=9216"}).out, HasSubstr("fits 9 KiB: 0 B left, "));
  EXPECT_EQ(Memory({"--memory-limit=9215"}).exit, 1);
}

// Rows of 32 elements take 128 on a TPU, or lie across; a GPU pads nothing.
TEST(MemoryVerbTest, OnATarget) {
  const Outcome tpu = Memory({"--target=tpu-v5e:2x2"});
  EXPECT_EQ(tpu.exit, 0) << tpu.err;
  EXPECT_THAT(tpu.out, HasSubstr("per device on tpu-v5e:2x2\n      24 KiB  arguments\n"));
  EXPECT_THAT(tpu.out, HasSubstr("fits: of 15.75 GiB of tpu-v5e, "));
  EXPECT_THAT(tpu.out, HasSubstr("x f32[16,32]{1,0:T(8,128)} {devices=[4,1]<=[4]}, 6 KiB of it"));
  const Outcome gpu = Memory({"--target=h100:4", "--json"});
  EXPECT_THAT(gpu.out, HasSubstr("{\"arguments\":6144,\"results\":1024,\"aliased\":0,"));
  EXPECT_THAT(gpu.out, HasSubstr("\"limit\":84942979072,\"verdict\":\"fits\","));
  EXPECT_THAT(gpu.out, HasSubstr("\"curve\":[{\"name\":\"t\","));
}

// The program that memory is predicted from, after passes that collectives do not have.
TEST(MemoryVerbTest, ThePassesOfATarget) {
  const std::string folder = ::testing::TempDir() + "/of_memory";
  EXPECT_EQ(Memory({"--target=tpu-v5e:2x2", "--dump-after=table-copies:" + folder}).exit, 0);
  std::string dumped;
  std::ifstream(folder + "/15.table-copies.txt") >> dumped;
  EXPECT_EQ(dumped, "HloModule");
  EXPECT_THAT(Memory({"--target=tpu-v5e:2x2", "--stop-after=15.table-copies"}).out,
              HasSubstr("%t = f32[16,32] dot(%x, %w)"));
  EXPECT_THAT(Memory({"--target=h100:4", "--stop-after=dce"}).out, HasSubstr("ENTRY %e"));
  EXPECT_THAT(Memory({"--target=tpu-v5e:2x2", "--stop-after=reduce-scatter-combiner"}).err,
              HasSubstr("'reduce-scatter-combiner'; it runs for `collectives`"));
  EXPECT_THAT(Memory({"--stop-after=dce"}).err,
              HasSubstr("--stop-after: needs the --target of a GPU or TPU"));
}

// The line of a stack that a loop fills is that of what each trip adds.
TEST(MemoryVerbTest, AStackHasTheLineOfWhatFillsIt) {
  constexpr char kStack[] = R"(HloModule m, num_partitions=4
c {
  p = (s32[], f32[4096], f32[4,4096]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  k = s32[] constant(4)
  ROOT l = pred[] compare(i, k), direction=LT
}
b {
  p = (s32[], f32[4096], f32[4,4096]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4096] get-tuple-element(p), index=1
  s = f32[4,4096] get-tuple-element(p), index=2
  t = f32[4096] tanh(x), metadata={op_name="tanh" source_file="m.py" source_line=7}
  r = f32[1,4096] reshape(t)
  z = s32[] constant(0)
  u = f32[4,4096] dynamic-update-slice(s, r, i, z)
  o = s32[] constant(1)
  n = s32[] add(i, o)
  ROOT q = (s32[], f32[4096], f32[4,4096]) tuple(n, t, u)
}
ENTRY e {
  x = f32[4096] parameter(0), sharding={devices=[4]<=[4]}
  z = s32[] constant(0)
  f = f32[] constant(0)
  s = f32[4,4096] broadcast(f), dimensions={}
  t = (s32[], f32[4096], f32[4,4096]) tuple(z, x, s)
  w = (s32[], f32[4096], f32[4,4096]) while(t), condition=c, body=b, metadata={op_name="while" source_file="m.py" source_line=9}
  g = f32[4,4096] get-tuple-element(w), index=2
  ROOT n = f32[1,4096] slice(g), slice={[0:1], [0:4096]}
}
)";
  const Outcome run =
      RunTessera({MemoryVerb()}, {"memory", TestFile("m.hlo", kStack), "--target=h100:4"});
  EXPECT_THAT(run.out, HasSubstr(" in w, all trips of t, tanh  # m.py:7\n"));
  EXPECT_THAT(RunTessera({MemoryVerb()},
                         {"memory", TestFile("m.hlo", kStack), "--target=h100:4", "--match=m.py:7"})
                  .out,
              HasSubstr("w{2} f32[4,4096]"));
}

TEST(MemoryVerbTest, ATargetHasALimit) {
  const Outcome over = Memory({"--target=h100:4", "--memory-limit=4KiB"});
  EXPECT_EQ(over.exit, 1);
  EXPECT_THAT(over.out, HasSubstr("does not fit: 5 KiB more than 4 KiB\n"));
  EXPECT_THAT(Memory({"--target=h100:4", "--hardware=tpu-v4"}).err, HasSubstr("--hardware: "));
  EXPECT_THAT(Memory({"--target=h100:8"}).err, HasSubstr("the module runs on 4"));
}

// Arguments and results are above the limit, the low end of the band is below it.
TEST(MemoryVerbTest, EachVerbHasTheVerdictOfMemory) {
  const std::string file = TestFile("large.hlo",
                                    "HloModule m, num_partitions=8\n"
                                    "ENTRY e {\n"
                                    "  x = f32[2281701376] parameter(0)\n"
                                    "  ROOT y = f32[2281701376] negate(x)\n"
                                    "}\n");
  const std::vector<Verb> verbs = {MemoryVerb(), CostVerb(), SweepVerb(), LintVerb(),
                                   SuggestVerb()};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {file, "--target=tpu-v5e:2x4"});
    return RunTessera(verbs, words);
  };
  const Outcome memory = run({"memory"});
  EXPECT_EQ(memory.exit, 1);
  EXPECT_THAT(memory.out, HasSubstr("does not fit: 1.25 GiB more than 15.75 GiB of tpu-v5e\n"));
  EXPECT_THAT(run({"cost"}).out, HasSubstr("17 GiB  memory of 15.75 GiB: does not fit\n"));
  EXPECT_THAT(run({"sweep", "--mesh=data=8"}).out, HasSubstr("#0 data=8, does not fit\n"));
  EXPECT_THAT(run({"lint", "--format=github"}).out,
              AllOf(HasSubstr("the program needs 17 GiB"), Not(HasSubstr("too close to say"))));
  EXPECT_THAT(run({"suggest", "--mesh=data=8", "--tries=20"}).out,
              HasSubstr("as the module says, does not fit\n"));
}

// A product reads what is gathered into VMEM.
TEST(MemoryVerbTest, ATargetListsWhatLiesInVmemIfThatIsMore) {
  const std::string file =
      TestFile("vmem.hlo",
               "HloModule m, num_partitions=8\n"
               "ENTRY e {\n"
               "  x = f32[8192,1024] parameter(0), sharding={devices=[8,1]<=[8]}\n"
               "  y = f32[8192,1024] exponential(x), sharding={devices=[8,1]<=[8]}\n"
               "  r = f32[1024,8192] transpose(y), dimensions={1,0}, "
               "sharding={devices=[1,8]<=[8]}\n"
               "  ROOT w = f32[8192,8192] dot(y, r), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}, sharding={devices=[8,1]<=[8]}\n"
               "}\n");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"memory", file, "--target=tpu-v5e:2x4"});
    return RunTessera({MemoryVerb()}, words).out;
  };
  EXPECT_THAT(run({}), HasSubstr("HBM has 0 B\n"));
  EXPECT_THAT(run({}), HasSubstr("\nin VMEM, at its peak\n"
                                 "      16 MiB  all-gather.0 bf16[1024,8192]"));
  EXPECT_THAT(run({"--match=^x$"}), HasSubstr("\nin VMEM, at its peak\n\narguments\n"));
  EXPECT_THAT(run({"--json"}), HasSubstr("\"in_vmem\":[{\"name\":\"all-gather.0\","));
}

// Each device has 256 KiB of `state` twice.
TEST(MemoryVerbTest, ATargetTriesDonation) {
  const std::string file =
      TestFile("step.hlo",
               "HloModule m, num_partitions=4\n"
               "ENTRY e {\n"
               "  w = f32[1024,256] parameter(0), sharding={devices=[4,1]<=[4]}, "
               "metadata={op_name=\"state['w']\"}\n"
               "  ROOT n = f32[1024,256] tanh(w), sharding={devices=[4,1]<=[4]}\n"
               "}\n");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"memory", file, "--target=tpu-v5e:2x2"});
    return RunTessera({MemoryVerb()}, words).out;
  };
  EXPECT_THAT(run({}), HasSubstr("\nwhat would lower the peak, without another sharding\n"
                                 "     256 KiB  donate state['w']\n"
                                 "              the peak 512 KiB -> 256 KiB\n"));
  EXPECT_THAT(run({"--memory-limit=300KiB"}),
              HasSubstr("the peak 512 KiB -> 256 KiB, below the limit of 300 KiB\n"));
  EXPECT_THAT(run({"--json"}),
              HasSubstr("\"findings\":[{\"kind\":\"donate\",\"arrays\":[{\"name\":\"w\","
                        "\"op_name\":\"state['w']\"}],\"shape\":\"f32[256,256]{1,0:T(8,128)}\","
                        "\"bytes\":262144,\"peak\":262144}]"));
  EXPECT_THAT(run({"--no-fixes"}), Not(HasSubstr("what would lower")));
}

TEST(MemoryVerbTest, DonatedArraysAreNamedByTheirArguments) {
  const std::string file =
      TestFile("step.hlo",
               "HloModule m, num_partitions=4\n"
               "ENTRY e {\n"
               "  w = f32[1024,256] parameter(0), sharding={devices=[4,1]<=[4]}, "
               "metadata={op_name=\"state['w']\"}\n"
               "  m = f32[1024,512] parameter(1), sharding={devices=[4,1]<=[4]}, "
               "metadata={op_name=\"mom['w']\"}\n"
               "  n = f32[1024,256] tanh(w), sharding={devices=[4,1]<=[4]}\n"
               "  k = f32[1024,512] tanh(m), sharding={devices=[4,1]<=[4]}\n"
               "  ROOT t = (f32[1024,256], f32[1024,512]) tuple(n, k), "
               "sharding={{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}\n"
               "}\n");
  EXPECT_THAT(RunTessera({MemoryVerb()}, {"memory", file, "--target=tpu-v5e:2x2"}).out,
              HasSubstr("     768 KiB  donate mom, state (donate_argnames): 2 arrays, such as "
                        "mom['w']\n"));
}

TEST(MemoryVerbTest, WhatIsNoLimit) {
  const Outcome run = Memory({"--memory-limit=16x"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("--memory-limit:1:3: error: expected a unit: B, kB"));
  EXPECT_THAT(Memory({"--memory-limit=lots"}).err,
              HasSubstr("--memory-limit:1:1: error: expected a number"));
  EXPECT_THAT(Memory({"--memory-limit=16"}).err, HasSubstr("write its unit, as in 16GiB, or 16B"));
  EXPECT_THAT(Memory({"--memory-limit=9e"}).err,
              HasSubstr("--memory-limit:1:2: error: expected a unit"));
  EXPECT_THAT(Memory({"--memory-limit=1B", "--hardware=tpu-v4"}).err, HasSubstr("give one"));
  EXPECT_THAT(Memory({"--hardware=abacus"}).err,
              HasSubstr("--hardware=abacus: expected one of tpu-v3, tpu-v4, "));
}

TEST(MemoryLimitTest, Units) {
  EXPECT_EQ(*ReadByteCount("16GiB"), int64_t{16} << 30);
  EXPECT_EQ(*ReadByteCount("1.5 kB"), 1500);
  EXPECT_EQ(*ReadByteCount("9007199254740993"), int64_t{9007199254740993});
  EXPECT_FALSE(ReadByteCount("1.5").ok());
  EXPECT_FALSE(ReadByteCount("-1").ok());
  EXPECT_FALSE(ReadByteCount("9999999999999999999").ok());
  EXPECT_FALSE(ReadByteCount("1e99GiB").ok());
  EXPECT_FALSE(ReadByteCount("99999999999TiB").ok());
}

// A finished program: its schedule and layouts count, and nothing is propagated.
constexpr char kFinal[] =
    "HloModule m, is_scheduled=true, num_partitions=2, input_output_alias={ {}: (0, {}, may-alias) "
    "}\n"
    "ENTRY e {\n"
    "  x = f32[8,8]{1,0:T(8,128)} parameter(0)\n"
    "  y = f32[16,8]{1,0:T(8,128)} concatenate(x, x), dimensions={0}\n"
    "  z = f32[8,8]{1,0:T(8,128)S(1)} slice(y), slice={[0:8], [0:8]}\n"
    "  ROOT r = f32[8,8]{1,0:T(8,128)} copy(z)\n"
    "}\n";

TEST(MemoryVerbTest, OfAFinalModule) {
  const std::string file = TestFile("final.hlo", kFinal);
  const Outcome text = RunTessera({MemoryVerb()}, {"memory", file});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_EQ(text.out,
            "per device\n"
            "       4 KiB  arguments\n"
            "       4 KiB  results\n"
            "      -4 KiB  results in the memory of arguments\n"
            "       8 KiB  temporaries at their peak, by schedule and live ranges\n"
            "      12 KiB  in all\n"
            "       4 KiB  in VMEM, an estimate\n"
            "\n"
            "temporaries at y\n"
            "       8 KiB  y f32[16,8]{1,0:T(8,128)}, 7.5 KiB of it padding\n"
            "\n"
            "arguments\n"
            "       4 KiB  x f32[8,8]{1,0:T(8,128)}, 3.75 KiB of it padding\n");
  EXPECT_THAT(
      RunTessera({MemoryVerb()}, {"memory", file, "--json"}).out,
      HasSubstr(
          R"("others":[{"space":1,"name":"VMEM","bytes":4096,"temporaries":4096,"peak_at":"z"}])"));
  const Outcome annotated = RunTessera({MemoryVerb()}, {"memory", file, "--annotate=x=P('a')"});
  EXPECT_EQ(annotated.exit, 2);
  EXPECT_THAT(annotated.err, HasSubstr("--annotate: the module is final "
                                       "(is_scheduled=true), nothing is propagated"));
}

// The compiler of CPUs has a table of pointers for the tuple of the loop, rounded up to 64 bytes.
TEST(MemoryVerbTest, OfAFinalModuleOfACpu) {
  const std::string file = TestFile(
      "cpu.hlo",
      "HloModule m, is_scheduled=true\n\n"
      "f {\n  p = (f32[16]) parameter(0)\n  ROOT c = pred[] constant(false)\n}\n\n"
      "g {\n  q = (f32[16]) parameter(0)\n  h = f32[16] get-tuple-element(q), index=0\n"
      "  k = f32[16] custom-call(h), custom_call_target=\"c\"\n  ROOT u = (f32[16]) tuple(k)\n}\n\n"
      "ENTRY e {\n"
      "  x = f32[16] parameter(0)\n"
      "  a = f32[7] custom-call(x), custom_call_target=\"c\"\n"
      "  b = f32[16] custom-call(a), custom_call_target=\"c\"\n"
      "  t = (f32[16]) tuple(b)\n"
      "  w = (f32[16]) while(t), condition=f, body=g\n"
      "  v = f32[16] get-tuple-element(w), index=0\n"
      "  ROOT r = pred[] custom-call(v, a), custom_call_target=\"c\"\n"
      "}\n");
  const Outcome run = RunTessera({MemoryVerb()}, {"memory", file});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("temporaries, with the holes between them\n"));
  EXPECT_THAT(run.out, HasSubstr("holes, and tables of pointers\n"));
}

// The target says what a device has, and the module what is needed.
TEST(MemoryVerbTest, AFinalModuleOnItsTarget) {
  const std::string file = TestFile("final.hlo", kFinal);
  const Outcome run = RunTessera({MemoryVerb()}, {"memory", file, "--target=tpu-v5e:1x2"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("      12 KiB  in all\nfits tpu-v5e: 15.75 GiB left\n"));
  EXPECT_EQ(
      RunTessera({MemoryVerb()}, {"memory", file, "--target=tpu-v5e:1x2", "--memory-limit=4KiB"})
          .exit,
      1);
  EXPECT_THAT(RunTessera({MemoryVerb()}, {"memory", file, "--target=tpu-v5e:2x2"}).err,
              HasSubstr("has 4 devices, the module was compiled for 2"));
  EXPECT_THAT(
      RunTessera({MemoryVerb()}, {"memory", file, "--target=tpu-v5e:1x2", "--dump-after=all"}).err,
      HasSubstr("note: the module is compiled already: --dump-after has no effect\n"));
}

TEST(MemoryVerbTest, APartitionedModuleNeedsATarget) {
  const std::string file = TestFile(
      "partitioned.hlo",
      "HloModule m, num_partitions=2\nENTRY e_spmd {\n  x = f32[8] parameter(0)\n  p = u32[] "
      "partition-id()\n  ROOT t = (f32[8], u32[]) tuple(x, p)\n}\n");
  const Outcome run = RunTessera({MemoryVerb()}, {"memory", file});
  EXPECT_EQ(run.exit, 2) << run.out;
  EXPECT_THAT(run.err, HasSubstr("the module is partitioned ("));
  EXPECT_THAT(run.err, HasSubstr("`memory` and `cost` with --target"));
}

// On a GPU the list of what frees most is taken before the order of the module, which needs as much: `b` of 32 KiB is
// made before the products that are ready, too. Before the module had one kind of order, this was 96 KiB.
TEST(MemoryVerbTest, OfEqualOrdersAGpuTakesTheListOfLeastMemory) {
  const auto dot = [](const std::string& name, const std::string& a, const std::string& b,
                      int columns = 32) {
    return absl::StrCat("  ", name, " = f32[32,", columns, "] dot(", a, ", ", b,
                        "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  };
  const std::string text = absl::StrCat(
      "HloModule m, num_partitions=8\ngo {\n  s = (s32[], f32[32,32]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(9)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[32,32]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[32,32] get-tuple-element(s), index=1\n  z = f32[] constant(0)\n",
      dot("p", "x", "x"), dot("q", "x", "p"), dot("r", "q", "x"), dot("h", "p", "x"),
      "  w = f32[32,256] broadcast(z), dimensions={}\n", dot("b", "p", "w", 256),
      "  v = f32[256,32] broadcast(z), dimensions={}\n", dot("c", "b", "v"), dot("d", "p", "q"),
      dot("e", "d", "r"), dot("f", "e", "h"), dot("g", "f", "c"),
      "  o = s32[] constant(1)\n  j = s32[] add(i, o)\n"
      "  ROOT t = (s32[], f32[32,32]) tuple(j, g)\n}\n"
      "ENTRY e {\n  x = f32[32,32] parameter(0)\n  k = s32[] constant(0)\n"
      "  u = (s32[], f32[32,32]) tuple(k, x)\n"
      "  l = (s32[], f32[32,32]) while(u), condition=go, body=body\n"
      "  ROOT y = f32[32,32] get-tuple-element(l), index=1\n}\n");
  const Outcome run =
      RunTessera({MemoryVerb()}, {"memory", TestFile("orders.hlo", text), "--target=h100:8"});
  EXPECT_THAT(run.out, HasSubstr("92 KiB  in all, the peak\n")) << run.err;
}

}  // namespace
}  // namespace tessera::pipeline
