#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/schema/sweep_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_part.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] =
    "HloModule mlp, num_partitions=8\n"
    "ENTRY main {\n"
    "  x = bf16[512,1024] parameter(0), metadata={op_name=\"batch\"}\n"
    "  w1 = bf16[1024,4096] parameter(1)\n"
    "  w2 = bf16[4096,1024] parameter(2)\n"
    "  h = bf16[512,4096] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  t = bf16[512,4096] tanh(h)\n"
    "  ROOT y = bf16[512,1024] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "}\n";

Outcome Sweep(std::vector<std::string> words) {
  words.insert(words.begin(), {"sweep", TestFile("m.hlo", kModule)});
  return RunTessera({SweepVerb()}, words);
}

std::vector<answers::SweepAnswer> Lines(const Outcome& run) {
  std::vector<answers::SweepAnswer> answers;
  for (absl::string_view line : absl::StrSplit(run.out, '\n', absl::SkipEmpty())) {
    answers.emplace_back();
    const auto status =
        google::protobuf::util::JsonStringToMessage(std::string(line), &answers.back());
    EXPECT_TRUE(status.ok()) << status << "\n" << line;
  }
  return answers;
}

const std::vector<std::string> kGrid = {"--mesh=data=8,model=1", "--mesh=data=4,model=2",
                                        "--annotate=^x$=P('data')",
                                        "--try=^w1$=P(None,'model')|P('model')|none"};

std::vector<std::string> With(std::vector<std::string> words) {
  words.insert(words.begin(), kGrid.begin(), kGrid.end());
  return words;
}

TEST(SweepVerbTest, VariantsThatAreOneProgramShareARow) {
  const Outcome run = Sweep({"--mesh=data=8", "--try=^x$=P('data')|P('data',None)"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("#0 data=8 ^x$=P('data',), as #1\n"));
}

TEST(SweepVerbTest, RanksEveryCombination) {
  const Outcome run = Sweep(kGrid);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("6 variants, by memory\n"));
  EXPECT_THAT(run.out, HasSubstr("#3 data=4,model=2 ^x$=P('data',) ^w1$=P(None, 'model')\n"));
}

TEST(SweepVerbTest, ATopOfZeroIsAll) {
  EXPECT_THAT(Sweep(With({"--top=1"})).out, HasSubstr(" more: --top=0\n"));
  const Outcome all = Sweep(With({"--top=0"}));
  EXPECT_EQ(all.out, Sweep(With({"--top=6"})).out);
  EXPECT_THAT(all.out, Not(HasSubstr("more\n")));
}

TEST(SweepVerbTest, TimesOnAMachine) {
  const auto lines = Lines(Sweep(With({"--target=tpu-v5e:2x4", "--by=time", "--json"})));
  ASSERT_EQ(lines.size(), 6);
  for (size_t k = 1; k < lines.size(); ++k) EXPECT_LE(lines[k - 1].seconds(), lines[k].seconds());
  EXPECT_GT(lines[0].device_seconds(), 0);
  EXPECT_EQ(lines[0].annotate(0), "^x$=P('data',)");
}

// As `tessera cost` and `tessera memory --target` say it: no tensor of a device is smaller than a
// tile, and a sum of 1 MiB takes its launch and its hops.
TEST(SweepVerbTest, TimesOfATarget) {
  const Outcome run = Sweep(With({"--target=tpu-v5e:2x4", "--by=time"}));
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("6 variants, by time on tpu-v5e:2x4"));
  for (const answers::SweepAnswer& line :
       Lines(Sweep(With({"--target=tpu-v5e:2x4", "--by=time", "--json"})))) {
    EXPECT_GT(line.device_seconds(), 2e-6);
    EXPECT_GT(line.memory(), 0);
    if (line.sent() > 0) {
      EXPECT_GT(line.network_seconds(), 5e-6);
    }
  }
}

// Without a target the sum of memory counts, as in `tessera memory`.
TEST(SweepVerbTest, TheUserMaySayWhatADeviceHas) {
  EXPECT_THAT(Sweep(With({"--memory-limit=1MiB"})).out,
              HasSubstr("P(None, 'model'), does not fit\n"));
  EXPECT_THAT(Sweep(With({"--memory-limit=1GiB"})).out, Not(HasSubstr("fit")));
  EXPECT_THAT(Sweep(With({"--memory-limit=16"})).err, HasSubstr("write its unit"));
  EXPECT_THAT(Sweep(With({"--target=tpu-v5e:2x4", "--memory-limit=1MiB"})).out,
              HasSubstr(", does not fit\n"));
}

// A second on each device, at the peak of the chip.
TEST(SweepVerbTest, ACustomCallHasTheCostThatTheUserSays) {
  std::string module = kModule;
  module.replace(module.find("tanh(h)"), 7, "custom-call(h), custom_call_target=\"fast\"");
  const auto sweep = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"sweep", TestFile("call.hlo", module), "--mesh=data=8"};
    all.insert(all.end(), words.begin(), words.end());
    return RunTessera({SweepVerb()}, all);
  };
  const Outcome run = sweep({"--target=tpu-v5e:2x4", "--kernel-cost=fast=197e12,1", "--json"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_NEAR(Lines(run)[0].device_seconds(), 1, 0.1);
  EXPECT_NE(Lines(run)[0].key(), Lines(sweep({"--target=tpu-v5e:2x4", "--json"}))[0].key());
  EXPECT_THAT(sweep({"--kernel-cost=fast=1,1"}).err,
              HasSubstr("--kernel-cost: needs a target whose kernels have times"));
}

TEST(SweepVerbTest, PartsAreTheWhole) {
  std::set<int64_t> numbers;
  for (const char* part : {"--part=1/3", "--part=2/3", "--part=3/3"}) {
    for (const auto& line : Lines(Sweep(With({part, "--json"})))) {
      EXPECT_TRUE(numbers.insert(line.variant()).second) << line.variant();
    }
  }
  EXPECT_THAT(numbers, ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

// On data=8,model=1 three alternatives of w1 say two things: P() and nothing.
TEST(SweepVerbTest, EqualVariantsHaveOneKeyAndOnePart) {
  const Outcome plan = Sweep(With({"--plan", "--json"}));
  const auto lines = Lines(plan);
  ASSERT_EQ(lines.size(), 6) << plan.err;
  EXPECT_EQ(lines[0].key(), lines[1].key());
  EXPECT_FALSE(lines[0].has_memory() || lines[0].has_refused());
  EXPECT_THAT(Sweep(With({"--plan"})).out, ::testing::StartsWith("6 variants, 5 distinct\n"));
  std::set<std::string> seen;
  for (const char* part : {"--part=1/2", "--part=2/2"}) {
    std::set<std::string> keys;
    for (const auto& line : Lines(Sweep(With({part, "--json"})))) keys.insert(line.key());
    for (const std::string& key : keys) EXPECT_TRUE(seen.insert(key).second) << key;
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(SweepVerbTest, AKeyIsOfTheWholeQuestion) {
  const auto key = [](const std::vector<std::string>& words) {
    return Lines(Sweep(With(words)))[0].key();
  };
  const std::string plain = key({"--plan", "--json"});
  EXPECT_EQ(key({"--plan", "--json", "--by=bytes", "--top=3"}), plain);
  EXPECT_NE(key({"--plan", "--json", "--target=tpu-v5e:2x4"}), plain);
  EXPECT_NE(key({"--plan", "--json", "--schedule=op"}), plain);
}

std::string FileOfLines(const std::string& name, const std::vector<std::string>& words) {
  return TestFile(name, Sweep(words).out);
}

Outcome Merge(std::vector<std::string> words) {
  words.insert(words.begin(), "sweep");
  words.push_back("--merge");
  return RunTessera({SweepVerb()}, words);
}

TEST(SweepVerbTest, MergedPartsAreTheWhole) {
  const std::vector<std::string> flags =
      With({"--mesh=rows=8", "--target=tpu-v5e:2x4", "--by=time", "--json"});
  const auto part = [&](const std::string& k) {
    std::vector<std::string> words = flags;
    words.push_back("--part=" + k + "/2");
    return FileOfLines("part" + k + ".jsonl", words);
  };
  const std::string one = part("1"), two = part("2");
  const Outcome whole = Sweep(flags);
  ASSERT_EQ(Lines(whole).size(), 9u) << whole.err;
  EXPECT_EQ(Merge({one, two, one, "--by=time", "--json"}).out, whole.out);
  EXPECT_THAT(Merge({one, two, "--by=time"}).out, HasSubstr("9 variants, 3 refused, by time\n"));
}

TEST(SweepVerbTest, ACutLineIsLeftOutAndOthersAreErrors) {
  const std::string lines = Sweep(With({"--json"})).out;
  const Outcome cut = Merge({TestFile("cut.jsonl", lines.substr(0, lines.size() - 9)), "--json"});
  EXPECT_EQ(Lines(cut).size(), 5u);
  EXPECT_THAT(cut.err, HasSubstr("the last line is cut and left out"));
  const Outcome bad = Merge({TestFile("bad.jsonl", "{\"variant\":1}\n" + lines)});
  EXPECT_EQ(bad.exit, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.jsonl:1:1: error: expected a line of tessera sweep --json"));
  const std::string other = FileOfLines("other.jsonl", With({"--schedule=op", "--json"}));
  EXPECT_THAT(Merge({TestFile("first.jsonl", lines), other}).err,
              HasSubstr("the files are of different sweeps"));
  EXPECT_THAT(Merge({TestFile("first.jsonl", lines), "--by=time"}).err,
              HasSubstr("--by=time needs a machine"));
  EXPECT_THAT(RunTessera({SweepVerb()}, {"sweep", "a.hlo", "b.hlo"}).err,
              HasSubstr("join with --merge"));
}

TEST(SweepVerbTest, WhatIsRefusedIsARow) {
  const Outcome run =
      Sweep({"--mesh=data=4,model=2", "--mesh=rows=8", "--annotate=^x$=P('data')", "--json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  const auto lines = Lines(run);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_FALSE(lines[0].has_refused());
  EXPECT_EQ(lines[1].variant(), 1);
  EXPECT_THAT(lines[1].refused(), HasSubstr("'data'"));
  EXPECT_THAT(lines[1].refused(), Not(HasSubstr("error: ")));
  EXPECT_THAT(Sweep({"--mesh=rows=8", "--mesh=rows=4,columns=2", "--annotate=^x$=P('data')"}).out,
              HasSubstr("\nrefused\n"));
}

TEST(SweepVerbTest, AFileIsAGrid) {
  const std::string grid = TestFile("grid.textproto",
                                    "mesh: \"data=8\"\n"
                                    "mesh: \"data=2,model=4\"\n"
                                    "annotate: \"^x$=P('data')\"\n"
                                    "alternatives { pattern: \"^w1$\" spec: \"P('data')\" "
                                    "spec: \"none\" }\n");
  const Outcome run = Sweep({"--grid=" + grid, "--mesh=data=4,model=2"});
  EXPECT_THAT(run.out, HasSubstr("6 variants")) << run.err;
}

TEST(SweepVerbTest, MistakesHaveAPlace) {
  const auto error_of = [](const std::string& grid, std::vector<std::string> words = {}) {
    words.push_back("--grid=" + TestFile("bad.textproto", grid));
    const Outcome run = Sweep(words);
    EXPECT_EQ(run.exit, 2);
    return run.err;
  };
  EXPECT_THAT(error_of("mesh: \"data=8\"\nmash: \"data=8\"\n"),
              HasSubstr("bad.textproto:2:5: error: "));
  EXPECT_THAT(error_of("\n  mesh: \"data\"\n"),
              HasSubstr("bad.textproto:2:3: error: mesh 'data', as in data=4,model=2: expected '=' "
                        "and the size"));
  EXPECT_THAT(error_of("mesh: \"data:2,model:4\"\n"),
              HasSubstr("error: mesh 'data:2,model:4': write data=2,model=4"));
  EXPECT_THAT(error_of("annotate: \"^nowhere$=P('data')\"\n"),
              HasSubstr("bad.textproto:1:1: error: annotation '^nowhere$=P('data',)' matches no"));
  EXPECT_THAT(error_of("\nmesh: \"data=4\"\nmesh: \"data=2\"\n", {"--target=tpu-v5e:2x4"}),
              HasSubstr("bad.textproto:2:1: error: the mesh has 4 devices, --target=tpu-v5e:2x4 "
                        "has 8"));
  EXPECT_THAT(Sweep({"--mesh=data=4", "--target=tpu-v5e:2x4"}).err,
              HasSubstr("--mesh=data=4: the mesh has 4 devices, --target=tpu-v5e:2x4 has 8"));
  EXPECT_THAT(Sweep({"--target=tpu-v9:2x4"}).err,
              HasSubstr("--target=tpu-v9:2x4: no chip is named 'tpu-v9'"));
  EXPECT_THAT(Sweep({"--mesh=data=8", "--target=./missing.textproto"}).err,
              ::testing::StartsWith("./missing.textproto: No such file"));
  const std::string machine = TestFile("x.textproto", "axis { nam: 1 }");
  EXPECT_THAT(Sweep({"--mesh=data=8", "--target=" + machine}).err,
              HasSubstr("x.textproto:1:11: error: "));
  const std::string own_mesh =
      TestFile("own.hlo",
               "HloModule m, num_partitions=8\nENTRY e {\n"
               "  ROOT x = f32[8] parameter(0), sharding={mesh['data'=8], [{'data'}]}\n}\n");
  const Outcome on_own = RunTessera(
      {SweepVerb()}, {"sweep", own_mesh, "--try=^x$=P('data')|P()", "--target=" + machine});
  EXPECT_EQ(on_own.exit, 2) << on_own.out;
  EXPECT_THAT(on_own.err, ::testing::StartsWith(machine + ":1:11: error: "));
  EXPECT_THAT(Sweep({"--part=3/2"}).err, HasSubstr("--part=3/2: expected K/N"));
  EXPECT_THAT(Sweep({"--only=0,1"}).err,
              HasSubstr("--only=0,1: the sweep has 1 variant; expected 0: --plan lists"));
  EXPECT_THAT(
      Sweep(With({"--only=99"})).err,
      HasSubstr("--only=99: the sweep has 6 variants; expected numbers from 0 to 5: --plan"));
  EXPECT_THAT(Sweep({"--by=luck"}).err, HasSubstr("expected memory, bytes or time"));
  EXPECT_THAT(Sweep({"--by=time"}).err, HasSubstr("needs a machine"));
  EXPECT_THAT(Sweep({"--confirm=1"}).err, HasSubstr("--confirm needs --target=CHIP:TOPOLOGY"));
  EXPECT_THAT(Sweep({"--mesh=data=8", "--target=tpu-v5e:2x4", "--confirm=1", "--python=false"}).err,
              HasSubstr("--python=false does not run"));
  EXPECT_THAT(Sweep({"--try=w1"}).err, HasSubstr("--try=w1: expected REGEX=P(..)|P(..)|none"));
}

// Where no mesh fits, it is a mistake.
TEST(SweepVerbTest, AMeshThatDoesNotFitTheMachineIsRefused) {
  const Outcome run = Sweep({"--mesh=data=5,model=3", "--mesh=data=8", "--target=tpu-v5e:2x4"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, ::testing::StartsWith("2 variants, 1 refused, by time on tpu-v5e:2x4\n"));
  EXPECT_THAT(run.out, HasSubstr("  #1 data=8\n"));
  EXPECT_THAT(run.out, HasSubstr("refused\n  1: #0 data=5,model=3: --target=tpu-v5e:2x4 has 8 "
                                 "devices, the mesh has 15\n"));
  const std::string machine = TestFile("links.textproto",
                                       "name: \"lab\"\n"
                                       "axis { name: \"X\" size: 8 link_bytes_per_s: 1e9 }\n");
  const Outcome on_file = Sweep({"--mesh=data=4", "--mesh=data=8", "--target=" + machine});
  EXPECT_THAT(on_file.out, HasSubstr("2 variants, 1 refused")) << on_file.err;
}

// Three devices do not divide the batch of 512. JAX refuses to lower it.
TEST(SweepVerbTest, UnevenArgumentsAndOtherNumbersOfDevicesAreMarked) {
  const std::vector<std::string> words = {"--mesh=data=3", "--mesh=data=4,model=2",
                                          "--annotate=^x$=P('data')"};
  const Outcome run = Sweep(words);
  EXPECT_THAT(run.out, HasSubstr("#0 data=3 ^x$=P('data',), 3 devices, 1 argument does not "
                                 "divide\n"));
  EXPECT_THAT(run.out, HasSubstr("#1 data=4,model=2 ^x$=P('data',), 8 devices\n"));
  EXPECT_THAT(run.out, HasSubstr("\nnot divide: the pass trims these shardings, JAX refuses such "
                                 "arguments\n"));
  std::vector<std::string> json = words;
  json.push_back("--json");
  const Outcome lines = Sweep(json);
  const std::string file = TestFile("lines.jsonl", lines.out);
  EXPECT_EQ(RunTessera({SweepVerb()}, {"sweep", file, "--merge"}).out, run.out) << lines.out;
  EXPECT_THAT(Sweep({"--mesh=data=8", "--mesh=data=4,model=2"}).out, Not(HasSubstr(" devices")));
}

// Many at a time, of which most say the same, and each alone.
TEST(SweepVerbTest, EqualVariantsCostWhatTheyCostAlone) {
  const std::vector<std::string> flags = {"--mesh=data=8,model=1",
                                          "--mesh=data=4,model=2",
                                          "--try=^w1$=none|P()|P('model')|P('data')",
                                          "--try=batch=none|P('data')|P(('data','model'))",
                                          "--target=h100-sxm:8",
                                          "--json"};
  const std::vector<answers::SweepAnswer> all = Lines(Sweep(flags));
  ASSERT_EQ(all.size(), 24u);
  for (const answers::SweepAnswer& one : all) {
    std::vector<std::string> alone = flags;
    alone.push_back("--only=" + std::to_string(one.variant()));
    const auto lines = Lines(Sweep(alone));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].DebugString(), one.DebugString());
  }
}

TEST(SweepKeysTest, OneJobIsThisThread) {
  auto module = hlo::ParseModule("ENTRY main {\n  ROOT x = f32[8] parameter(0)\n}");
  ASSERT_TRUE(module.ok()) << module.status();
  const hlo::Module read = *module;
  ShardOptions options;
  options.jobs = 1;
  const auto costs = VariantCosts::Create(*std::move(module), options, "");
  ASSERT_TRUE(costs.ok()) << costs.status();
  std::set<std::thread::id> threads;
  const SweepKeys keys(Arguments(), {}, read, *costs);
  const auto all = keys.OfAll(64, [&](size_t) {
    threads.insert(std::this_thread::get_id());
    return Variant();
  });
  EXPECT_EQ(threads, std::set<std::thread::id>({std::this_thread::get_id()}));
  EXPECT_EQ(all[0], all[63]);
}

}  // namespace
}  // namespace tessera::pipeline
