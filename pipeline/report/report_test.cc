// The data of the page against its schema, and the page as text. What a browser makes of it:
// testing/page.

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/report/pack.h"
#include "tessera/pipeline/report/page.h"
#include "tessera/pipeline/schema/report_answer.pb.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHeader[] =
    "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=2]>}\"}, "
    "num_partitions=2\n";
constexpr char kByX[] =
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}";

// A product whose contracted dimension is split: all-reduced for what reads it.
std::string Product() {
  return absl::StrCat(
      kHeader, "ENTRY e {\n  w = f32[8,4] parameter(0), ", kByX,
      "\n  v = f32[4,8] parameter(1)\n"
      "  d = f32[4,4] dot(v, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  s = f32[4,4] sine(d)\n"
      "  ROOT t = (f32[4,4], f32[4,8]) tuple(s, v)\n}\n");
}

std::string Loop() {
  return absl::StrCat(
      kHeader,
      "body {\n  p = (s32[], f32[8,4]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  a = f32[8,4] get-tuple-element(p), index=1\n  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n  b = f32[8,4] sine(a)\n  ROOT r = (s32[], f32[8,4]) tuple(j, "
      "b)\n}\n"
      "condition {\n  q = (s32[], f32[8,4]) parameter(0)\n  k = s32[] get-tuple-element(q), "
      "index=0\n"
      "  ten = s32[] constant(10)\n  ROOT c = pred[] compare(k, ten), direction=LT\n}\n"
      "ENTRY e {\n  x = f32[8,4] parameter(0), ",
      kByX,
      "\n  zero = s32[] constant(0)\n  start = (s32[], f32[8,4]) tuple(zero, x)\n"
      "  loop = (s32[], f32[8,4]) while(start), condition=condition, body=body\n"
      "  ROOT y = f32[8,4] get-tuple-element(loop), index=1\n}\n");
}

Outcome Report(const std::string& text, std::vector<std::string> words) {
  words.insert(words.begin(), {"report", TestFile("m.hlo", text), "-o", "-"});
  return RunTessera({ReportVerb()}, words);
}

answers::ReportData DataOf(const std::string& text, std::vector<std::string> words = {}) {
  words.push_back("--json");
  const Outcome run = Report(text, words);
  EXPECT_EQ(run.exit, 0) << run.err;
  answers::ReportData data;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &data);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return data;
}

int RowOf(const answers::ReportData& data, const std::string& name) {
  for (int row = 0; row < data.tensors().name_size(); ++row) {
    if (data.tensors().name(row) == name) return row;
  }
  ADD_FAILURE() << "no row " << name;
  return -1;
}

// "from>to" of every edge.
std::vector<std::string> EdgesOf(const answers::ReportData& data) {
  std::vector<std::string> edges;
  for (int k = 0; k < data.edges().from_size(); ++k) {
    edges.push_back(absl::StrCat(data.tensors().name(data.edges().from(k)), ">",
                                 data.tensors().name(data.edges().to(k))));
  }
  return edges;
}

TEST(ReportTest, TensorsWithTheirShardings) {
  const auto data = DataOf(Product());
  const int row = RowOf(data, "w");
  EXPECT_EQ(data.texts(data.tensors().shape(row)), "f32[8,4]");
  EXPECT_EQ(data.texts(data.tensors().local_shape(row)), "[4,4]");
  EXPECT_EQ(data.texts(data.tensors().opcode(row)), "parameter");
  EXPECT_EQ(data.shardings(data.tensors().sharding(row)).sharding(), "P('x', None)");
  EXPECT_EQ(data.tensors().bytes(row), 64);
  EXPECT_EQ(data.texts(data.tensors().opcode(RowOf(data, "result{1}"))), "result");
}

TEST(ReportTest, CollectivesNameTheirRows) {
  const auto data = DataOf(Product());
  ASSERT_EQ(data.collectives_size(), 1);
  EXPECT_EQ(data.collectives(0).op(), "all-reduce");
  EXPECT_EQ(data.collectives(0).axes(0), "x");
  EXPECT_EQ(data.collectives(0).to(), RowOf(data, "d"));
}

// "opcode shape" of every entry of the device, after what it is.
std::vector<std::string> DeviceOf(const answers::ReportData& data, const std::string& name) {
  const auto& device = data.device();
  const auto has = [](const auto& numbers, int k) {
    return std::find(numbers.begin(), numbers.end(), k) != numbers.end();
  };
  std::vector<std::string> entries;
  for (int k = 0; k < device.row_size(); ++k) {
    if (data.tensors().name(device.row(k)) != name) continue;
    entries.push_back(absl::StrCat(has(device.values(), k) ? "its shards " : "",
                                   has(device.collectives(), k) ? "collective " : "",
                                   data.texts(device.opcode(k)), " ", data.texts(device.shape(k))));
  }
  return entries;
}

TEST(ReportTest, WhatADeviceRunsForATensor) {
  const auto data = DataOf(Product());
  EXPECT_THAT(DeviceOf(data, "w"), ElementsAre("its shards parameter f32[4,4]"));
  EXPECT_THAT(DeviceOf(data, "d"),
              ElementsAre("dot f32[4,4]", "its shards collective all-reduce f32[4,4]"));
  EXPECT_EQ(data.device().left_off_size(), 0);
  EXPECT_EQ(DeviceOf(DataOf(Loop()), "loop{1}"),
            std::vector<std::string>{"its shards while f32[4,4]"});
}

// Many parts of one concatenation are each moved for it.
TEST(ReportTest, WhatADeviceRunsIsBounded) {
  constexpr int kParts = 40;
  std::string text = "HloModule m, num_partitions=2\nENTRY e {\n";
  std::vector<std::string> names;
  for (int k = 0; k < kParts; ++k) {
    names.push_back(absl::StrCat("x", k));
    absl::StrAppend(&text, "  x", k, " = f32[8] parameter(", k, "), sharding={devices=[2]<=[2]}\n");
  }
  absl::StrAppend(&text, "  ROOT c = f32[", 8 * kParts, "] concatenate(",
                  absl::StrJoin(names, ", "),
                  "), dimensions={0}, sharding={devices=[2]<=[2]}\n}\n");
  const auto data = DataOf(text, {"--as-is"});
  ASSERT_EQ(data.device().left_off_size(), 1);
  EXPECT_EQ(data.device().left_off(0).row(), RowOf(data, "c"));
  EXPECT_GE(data.device().left_off(0).count(), kParts - 30);
  EXPECT_EQ(DeviceOf(data, "c").size(), 30u);
}

TEST(ReportTest, EdgesLookThroughTuples) {
  const auto edges = EdgesOf(DataOf(Product()));
  for (const char* edge : {"w>d", "v>d", "d>s", "s>result{0}", "v>result{1}"}) {
    EXPECT_THAT(edges, Contains(edge));
  }
}

// Final shardings, as an older XLA writes them after propagation.
constexpr char kFinal[] =
    "HloModule m, num_partitions=2\nENTRY e {\n"
    "  w = f32[8,4] parameter(0), sharding={devices=[2,1]<=[2]}\n"
    "  s = f32[8,4] sine(w), sharding={devices=[2,1]<=[2]}\n"
    "  ROOT c = f32[8,4] cosine(s), sharding={replicated}\n}\n";

// Review: front D6. Every tensor had P() beside the list of what gathers it.
TEST(ReportTest, FinalShardingsAreThoseOfTheCollectives) {
  const auto data = DataOf(kFinal);
  ASSERT_EQ(data.collectives_size(), 1);
  EXPECT_EQ(data.collectives(0).op(), "all-gather");
  const auto sharding = [&](const char* name) {
    return data.shardings(data.tensors().sharding(RowOf(data, name))).sharding();
  };
  EXPECT_EQ(sharding("s"), sharding("w"));
  EXPECT_THAT(sharding("s"), ::testing::StartsWith("P('"));
  EXPECT_EQ(sharding("c"), "P()");
  EXPECT_THAT(data.notes(), Contains(HasSubstr("not propagated again")));
  EXPECT_THAT(data.notes(), Not(Contains(HasSubstr("drops such shardings"))));
}

// An array of a shard_map is not replicated: the page's filters look for the axes in this text.
TEST(ReportTest, ArraysOfAShardMapNameItsAxes) {
  const auto data = DataOf(
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=4]>}}

xla.sdy.manual_computation_body.1 {
  p = f32[2,4] parameter(0)
  ROOT s = f32[2,4] sine(p)
}

ENTRY main {
  x = f32[8,4] parameter(0)
  l = f32[2,4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>"}
  c = f32[2,4] call(l), to_apply=xla.sdy.manual_computation_body.1, frontend_attributes={inlineable="xla_late"}
  ROOT g = f32[8,4] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>]>"}
}
)");
  EXPECT_EQ(data.shardings(data.tensors().sharding(RowOf(data, "s"))).sharding(),
            "P() manual={'data'}");
}

// Review: front D6. Rows were those of a module in which clean-ups had inlined the call.
TEST(ReportTest, CollectivesOfFinalModulesNameTheirRows) {
  const auto data = DataOf(
      "HloModule m, num_partitions=2\n"
      "f {\n  a = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  ROOT b = f32[8] sine(a), sharding={devices=[2]<=[2]}\n}\n"
      "ENTRY e {\n"
      "  w = f32[8] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  k = f32[8] call(w), to_apply=f, sharding={devices=[2]<=[2]}\n"
      "  s = f32[8] sine(k), sharding={devices=[2]<=[2]}\n"
      "  ROOT c = f32[8] cosine(s), sharding={replicated}\n}\n");
  ASSERT_EQ(data.collectives_size(), 1);
  EXPECT_EQ(data.collectives(0).from(), RowOf(data, "s"));
  EXPECT_EQ(data.collectives(0).to(), RowOf(data, "c"));
}

TEST(ReportTest, FindingsOfLintAreThere) {
  const std::string large =
      "HloModule m\nENTRY e {\n  x = f32[8192,8192] parameter(0)\n"
      "  ROOT y = f32[8192,8192] sine(x)\n}\n";
  const auto data = DataOf(large, {"--mesh=x=2", "--annotate=^x$=P()"});
  ASSERT_GT(data.lint().findings_size(), 0);
  EXPECT_EQ(data.lint().findings(0).rule(), "replicated-array");
  EXPECT_FALSE(data.has_cost()) << "no target";
}

TEST(ReportTest, ATargetAddsTimeAndMemory) {
  const auto data = DataOf(Product(), {"--target=h100:1x1x2"});
  EXPECT_EQ(data.target(), "h100:1x1x2");
  EXPECT_GT(data.cost().total_s(), 0) << data.no_cost();
  EXPECT_GT(data.cost().collectives_size(), 0);
  EXPECT_GT(data.target_memory().peak(), 0) << data.no_target_memory();
  EXPECT_FALSE(DataOf(Product()).has_target());
}

TEST(ReportTest, WhyATargetHasNoAnswer) {
  const auto data = DataOf(Product(), {"--target=tpu-v4:2x1x1"});
  EXPECT_THAT(data.no_cost(), HasSubstr("is not modelled"));
  EXPECT_FALSE(data.has_cost());
  const Outcome other = Report(Product(), {"--target=h100:1x1x8"});
  EXPECT_EQ(other.exit, 2);
  EXPECT_THAT(other.err, HasSubstr("the module runs on 2"));
  EXPECT_EQ(Report(Product(), {"--target=h1000:1x1x2"}).exit, 2);
  EXPECT_EQ(Report(Product(), {"--target=h100:1x1x2", "--format=text"}).exit, 2) << "no page";
}

// A finished program: collectives and memory stand in it.
TEST(ReportTest, AModuleOfACompiler) {
  const auto data = DataOf(
      "HloModule m, is_scheduled=true, num_partitions=2\n"
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e_spmd {\n  x = f32[64]{0} parameter(0)\n  y = f32[64]{0} negate(x)\n"
      "  ROOT r = f32[64]{0} all-reduce(y), to_apply=sum, channel_id=1, "
      "replica_groups={{0,1}}\n}\n");
  ASSERT_EQ(data.collectives_size(), 1);
  EXPECT_EQ(data.memory().arguments(), 256);
  EXPECT_EQ(data.memory().temporaries(), 256);
}

TEST(ReportTest, EdgesOfALoop) {
  const auto edges = EdgesOf(DataOf(Loop()));
  for (const char* edge : {"x>p{1}", "x>loop{1}", "p{1}>b", "b>loop{1}", "loop{1}>result"}) {
    EXPECT_THAT(edges, Contains(edge));
  }
  EXPECT_THAT(edges, Not(Contains("zero>loop{1}")));
}

TEST(ReportTest, MemoryOverTime) {
  const auto data = DataOf(Product());
  EXPECT_EQ(data.memory().arguments(), 64 + 64) << "half of w, and half of v";
  double peak = 0;
  for (const double bytes : data.memory().steps()) peak = std::max(peak, bytes);
  EXPECT_EQ(peak, data.memory().temporaries());
}

TEST(ReportTest, RefusalsOfTheLargestOnly) {
  EXPECT_FALSE(DataOf(Product()).explanations().has_refused());
  EXPECT_EQ(DataOf(Product(), {"--why-not=2"}).explanations().refused(), 2);
}

// Shardings without collectives and memory, and why.
TEST(ReportTest, WhatThePartitionerRefusesIsSaid) {
  const std::string on_all =
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, []>]>\"}\n";
  const auto data = DataOf(absl::StrCat(
      kHeader, "ENTRY e {\n  x = f32[8,4] parameter(0), ", kByX,
      "\n  t = token[] after-all()\n  s = (f32[8,4], u32[], token[]) send(x, t), channel_id=1, "
      "is_host_transfer=true, ",
      on_all, "  d = token[] send-done(s), channel_id=1, is_host_transfer=true, ", on_all,
      "  ROOT y = f32[8,4] sine(x)\n}\n"));
  constexpr char kWhy[] = "m.hlo:5:3: error: an operation with a side effect cannot be replicated";
  EXPECT_THAT(data.no_collectives(), HasSubstr(kWhy));
  EXPECT_THAT(data.no_memory(), HasSubstr(kWhy));
  EXPECT_EQ(data.collectives_size(), 0);
  EXPECT_FALSE(data.has_memory());
  EXPECT_THAT(data.tensors().name(), Contains("y"));
  ASSERT_EQ(data.shardings_size(), 2);
  EXPECT_EQ(data.shardings(1).sharding(), "P('x', None)");
}

TEST(ReportTest, CallsThatACallbackDecidesMoveNothing) {
  const auto data = DataOf(absl::StrCat(
      kHeader, "ENTRY e {\n  x = f32[8,4] parameter(0), ", kByX,
      "\n  ROOT y = f32[8,4] custom-call(x), custom_call_target=\"CustomSPMDPartitioning\"\n}\n"));
  EXPECT_FALSE(data.has_no_collectives()) << data.no_collectives();
  EXPECT_EQ(data.memory().arguments(), 64);
  EXPECT_THAT(data.notes(), Contains(HasSubstr("how 1 call is partitioned")));
}

// Standard output is a terminal as long as it lives.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)), before_(dup(STDOUT_FILENO)) {
    if (grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    const int end = open(ptsname(master_), O_RDWR | O_NOCTTY);
    is_there_ = end >= 0 && dup2(end, STDOUT_FILENO) >= 0;
    close(end);
  }
  ~Terminal() {
    dup2(before_, STDOUT_FILENO);
    close(before_);
    close(master_);
  }
  bool is_there() const { return is_there_; }

 private:
  int master_, before_;
  bool is_there_ = false;
};

TEST(ReportTest, ATerminalGetsNoPage) {
  const std::string file = TestFile("m.hlo", Product());
  Outcome run, printed, data;
  {
    const Terminal terminal;
    if (!terminal.is_there()) GTEST_SKIP() << "no pseudo terminals here";
    run = RunTessera({ReportVerb()}, {"report", file});
    printed = RunTessera({ReportVerb()}, {"report", file, "-o", "-"});
    data = RunTessera({ReportVerb()}, {"report", file, "--json"});
  }
  EXPECT_EQ(run.exit, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("-o step.html"));
  EXPECT_THAT(printed.out, HasSubstr("<!doctype html>"));
  EXPECT_EQ(data.exit, 0) << data.err;
}

TEST(ReportTest, NamesDoNotBreakOutOfTheScript) {
  std::string text = Product();
  text.insert(text.find("f32[4,4] sine"), "");
  const std::string bad = "</script><script>alert(1)</script><!--";
  text.replace(text.find("s = f32[4,4] sine(d)"), 20,
               absl::StrCat("s = f32[4,4] sine(d), metadata={op_name=\"", bad, "\"}"));
  const Outcome run = Report(text, {});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(run.out, HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert(1)"));
}

TEST(ReportTest, LinesOfTheProgramOnlyBelowTheFolderNamed) {
  const std::string file = TestFile("model.py", "first\nd = v @ w\n");
  const std::string folder = file.substr(0, file.rfind('/'));
  std::string text = Product();
  text.insert(text.find("\n  s = "),
              absl::StrCat(", metadata={source_file=\"", file, "\" source_line=2}"));
  const auto explanations = [&](const std::vector<std::string>& words) {
    return DataOf(text, words).explanations().SerializeAsString();
  };
  const std::string shown = explanations({absl::StrCat("--source-root=", folder)});
  const std::string hidden = explanations({});
  EXPECT_NE(shown, hidden);
  TestFile("model.py", "");
  EXPECT_EQ(explanations({}), hidden) << "the file was not looked at";
  EXPECT_EQ(explanations({absl::StrCat("--source-root=", folder)}), hidden);
  EXPECT_EQ(Report(text, {"--source-root=/no/such/folder"}).exit, 2);
}

TEST(ReportTest, AWrongNumberIsRefused) {
  EXPECT_EQ(Report(Product(), {"--why-not=many"}).exit, 2);
}

TEST(PageTest, AllPartsArePutIn) {
  const std::string page = ReportPage("a<b>.hlo", "{\"x\":\"<\"}");
  EXPECT_THAT(page, Not(HasSubstr("<!--tessera:")));
  EXPECT_THAT(page, HasSubstr("<title>a&lt;b&gt;.hlo"));
  EXPECT_THAT(page, HasSubstr("{\"x\":\"\\u003c\"}"));
  for (const char* part : {"dagre", "d3"}) {
    EXPECT_TRUE(absl::StrContains(page, part)) << part;
  }
}

TEST(PackTest, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(EscapedForScript("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(EscapedForScript("\xE2\x80\xA8"), "\\u2028");
  EXPECT_EQ(EscapedForHtml("é<"), "é&lt;");
}

}  // namespace
}  // namespace tessera::pipeline
