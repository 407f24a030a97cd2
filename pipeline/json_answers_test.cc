// The output of each verb with --json has the form of its .proto: no member that the schema does
// not know, none of another type.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/pipeline/schema/collectives_answer.pb.h"
#include "tessera/pipeline/schema/comm_answer.pb.h"
#include "tessera/pipeline/schema/convert_answer.pb.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/schema/explain_answer.pb.h"
#include "tessera/pipeline/schema/golden_answer.pb.h"
#include "tessera/pipeline/schema/memory_answer.pb.h"
#include "tessera/pipeline/schema/partition_answer.pb.h"
#include "tessera/pipeline/schema/passes_answer.pb.h"
#include "tessera/pipeline/schema/project_answer.pb.h"
#include "tessera/pipeline/schema/rules_answer.pb.h"
#include "tessera/pipeline/schema/shardings_answer.pb.h"
#include "tessera/pipeline/schema/stats_answer.pb.h"
#include "tessera/pipeline/schema/suggest_answer.pb.h"
#include "tessera/pipeline/schema/sweep_answer.pb.h"

namespace tessera::pipeline {
namespace {

constexpr char kModule[] =
    "HloModule m, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=2]>}\"}, "
    "num_partitions=2\n"
    "ENTRY e {\n"
    "  a = f32[4,6] parameter(0), "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}, "
    "metadata={op_name=\"args[0]\" source_file=\"m.py\" source_line=3}\n"
    "  b = f32[6,8] parameter(1)\n"
    "  d = f32[4,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    "  ROOT f = f32[4,8] custom-call(d), custom_call_target=\"own\"\n"
    "}\n";

template <typename Answer>
Answer AnswerTo(std::vector<std::string> words, int exit = 0) {
  words.push_back("--json");
  const Outcome run = RunTessera(AllVerbs(), words);
  EXPECT_EQ(run.exit, exit) << run.err;
  Answer answer;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &answer);
  EXPECT_TRUE(status.ok()) << status << "\n" << run.out;
  return answer;
}

std::string ModuleFile() { return TestFile("m.hlo", kModule); }

// Two elements in a byte: all that count them say the same.
TEST(JsonAnswersTest, PackedElements) {
  const std::string shape = "s4[8,16]{1,0:E(4)}";
  const std::string file =
      TestFile("s4.hlo", "HloModule m, num_partitions=4\nENTRY e {\np = " + shape +
                             " parameter(0), sharding={devices=[4,1]<=[4]}\nq = " + shape +
                             " copy(p), sharding={devices=[1,4]<=[4]}\nROOT r = " + shape +
                             " copy(q), sharding={devices=[4,1]<=[4]}\n}\n");
  const auto shardings = AnswerTo<answers::ShardingsAnswer>({"shardings", file, "--import=hlo"});
  ASSERT_GT(shardings.tensors_size(), 0);
  EXPECT_EQ(shardings.tensors(0).bytes_per_device(), 16);
  const auto project =
      AnswerTo<answers::ProjectAnswer>({"project", file, "q", "--device=1", "--import=hlo"});
  ASSERT_EQ(project.blocks_size(), 1);
  EXPECT_EQ(project.blocks(0).operands(0).missing_bytes(), 12);
  EXPECT_EQ(project.traffic().missing_bytes(), 48);
  const auto collectives = AnswerTo<answers::CollectivesAnswer>({"collectives", file, "--as-is"});
  ASSERT_GT(collectives.collectives_size(), 0);
  EXPECT_EQ(collectives.collectives(0).sent(), 24);  // what is partitioned has no layouts yet
}

TEST(JsonAnswersTest, Collectives) {
  const auto answer =
      AnswerTo<answers::CollectivesAnswer>({"collectives", ModuleFile(), "--by=op"});
  ASSERT_EQ(answer.collectives_size(), 1);
  EXPECT_EQ(answer.collectives(0).axes(0), "x");
  EXPECT_EQ(answer.sums(0).count(), 1);
}

TEST(JsonAnswersTest, Partition) {
  const auto answer = AnswerTo<answers::PartitionAnswer>({"partition", ModuleFile()});
  EXPECT_EQ(answer.num_partitions(), 2);
  ASSERT_GT(answer.tensors_size(), 0);
  EXPECT_EQ(answer.tensors(0).shape(), "f32[2,6]");
  EXPECT_EQ(answer.tensors(0).value_of(0), "a");
}

TEST(JsonAnswersTest, Passes) {
  const auto list = AnswerTo<answers::PassesAnswer>({"passes", "--stage=pass"});
  EXPECT_EQ(list.passes(0).name(), "match-annotations");
  EXPECT_EQ(list.passes(1).phase(), "import");
  EXPECT_FALSE(list.passes(1).has_milliseconds());
  const auto run = AnswerTo<answers::PassesAnswer>({"passes", ModuleFile(), "--stage=pass"});
  ASSERT_EQ(run.passes_size(), list.passes_size());
  EXPECT_EQ(run.passes(1).program_size(), 3);  // parameters are no ops, the return is one
  EXPECT_TRUE(run.passes(1).has_milliseconds());
}

TEST(JsonAnswersTest, Comm) {
  const auto answer = AnswerTo<answers::CommAnswer>({"comm", ModuleFile(), "--target=h100-sxm:2"});
  EXPECT_EQ(answer.machine(), "h100-sxm");
  ASSERT_EQ(answer.collectives_size(), 1);
  EXPECT_EQ(answer.by_axis(0).name(), "x");
  EXPECT_GT(answer.total().seconds(), 0);
  EXPECT_EQ(answer.collectives(0).sent(), answer.total().sent());
}

TEST(JsonAnswersTest, Cost) {
  const auto answer = AnswerTo<answers::CostAnswer>({"cost", ModuleFile(), "--target=tpu-v5e:1x2"});
  EXPECT_EQ(answer.target(), "tpu-v5e:1x2");
  EXPECT_GT(answer.device_s(), 0);
  EXPECT_EQ(answer.total_s(), answer.device_s() + answer.exposed_s());
  ASSERT_EQ(answer.collectives_size(), 1);
  EXPECT_EQ(answer.by_axis(0).name(), "x");
  EXPECT_EQ(answer.collectives(0).sent(), answer.sent());
  EXPECT_GT(answer.kernels_size(), 0);
}

TEST(JsonAnswersTest, Memory) {
  const auto answer =
      AnswerTo<answers::MemoryAnswer>({"memory", ModuleFile(), "--memory-limit=1B"}, 1);
  EXPECT_EQ(answer.arguments(), 48 + 192);
  EXPECT_EQ(answer.argument_list(0).name(), "b");
  EXPECT_FALSE(answer.fits());
}

TEST(JsonAnswersTest, Convert) {
  const auto answer =
      AnswerTo<answers::ConvertAnswer>({"convert", "{devices=[2]<=[2]}", "--shape=5"});
  EXPECT_EQ(answer.forms_size(), 5);
  EXPECT_EQ(answer.devices(1).end(0), 5);
}

TEST(JsonAnswersTest, Diff) {
  const auto answer = AnswerTo<answers::ComparisonAnswer>(
      {"diff", ModuleFile(), "--b-annotate=^a$=P(None,'x')"}, /*exit=*/1);
  ASSERT_GE(answer.changes_size(), 1);
  EXPECT_EQ(answer.changes(0).axes(0).kind(), "moved");
  EXPECT_EQ(answer.changes(0).before().bytes_per_device(), 48);
  EXPECT_EQ(answer.sums(0).what(), "arguments");
}

TEST(JsonAnswersTest, Explain) {
  const auto answer = AnswerTo<answers::Explanation>({"explain", ModuleFile(), "d:0"});
  ASSERT_EQ(answer.why_size(), 1);
  const answers::Chain& chain = answer.why(0);
  EXPECT_EQ(chain.axis().name(), "x");
  EXPECT_EQ(chain.events(0).cause(), "flow");
  EXPECT_EQ(chain.events(0).from(0).role(), "operand-0");
  EXPECT_EQ(chain.origin().at().arg_path(), "args[0]");
  EXPECT_EQ(chain.origin().at().place().line(), 3);
  EXPECT_EQ(chain.sdy_origin(), "input: 0");
}

TEST(JsonAnswersTest, ExplainWhyNot) {
  const auto answer = AnswerTo<answers::Explanation>({"explain", ModuleFile(), "d:1", "--axis=x"});
  ASSERT_EQ(answer.why_not_size(), 1);
  EXPECT_EQ(answer.why_not(0).axis().name(), "x");
  EXPECT_EQ(answer.why_not(0).kind(), answer.why_not(0).headline().kind());
  EXPECT_FALSE(answer.why_not(0).headline().message().empty());
  for (const answers::Fix& fix : answer.why_not(0).fixes()) EXPECT_TRUE(fix.verified());
}

TEST(JsonAnswersTest, ExplainWithoutAName) {
  const auto answer = AnswerTo<answers::Surprises>({"explain", ModuleFile()});
  ASSERT_EQ(answer.surprises_size(), 2);
  const answers::Surprise& b = answer.surprises(0);
  EXPECT_EQ(b.kind(), "replicated");
  EXPECT_EQ(b.value().instruction(), "b");
  EXPECT_EQ(b.bytes(), 96);
  EXPECT_EQ(b.verdict().kind(), "unreachable");
  const answers::Surprise& f = answer.surprises(1);
  EXPECT_EQ(f.value().instruction(), "f");
  EXPECT_EQ(f.bytes(), 64);
  EXPECT_EQ(f.verdict().kind(), "no_rule");
}

TEST(JsonAnswersTest, Levels) {
  const auto answer = AnswerTo<answers::LevelsAnswer>({"explain", "--trace", ModuleFile()});
  EXPECT_EQ(answer.levels(0).name(), "annotations");
  EXPECT_EQ(answer.levels(0).changed(0).sharding(), "P('x', None)");
}

TEST(JsonAnswersTest, Project) {
  const auto answer =
      AnswerTo<answers::ProjectAnswer>({"project", ModuleFile(), "d", "--block=0:2,0:4"});
  EXPECT_EQ(answer.blocks(0).operands(0).cells(), 12);
}

TEST(JsonAnswersTest, ProjectOfADevice) {
  const auto answer =
      AnswerTo<answers::ProjectAnswer>({"project", ModuleFile(), "d", "--device=1"});
  EXPECT_EQ(answer.blocks(0).block().start(0), 2);
}

TEST(JsonAnswersTest, Rules) {
  const auto answer = AnswerTo<answers::RulesAnswer>({"rules", ModuleFile()});
  ASSERT_EQ(answer.instructions_size(), 2);
  EXPECT_TRUE(answer.instructions(0).has_rule());
  EXPECT_TRUE(answer.instructions(1).has_why_none());
}

// The columns have what the objects have.
TEST(JsonAnswersTest, ShardingsInColumns) {
  const auto want = AnswerTo<answers::ShardingsAnswer>({"shardings", ModuleFile()});
  const Outcome run = RunTessera(AllVerbs(), {"shardings", ModuleFile(), "--columns"});
  answers::ShardingColumns columns;
  const auto status = google::protobuf::util::JsonStringToMessage(run.out, &columns);
  ASSERT_TRUE(status.ok()) << status << "\n" << run.out;
  answers::ShardingsAnswer got;
  for (int row = 0; row < columns.names_size(); ++row) {
    answers::TensorSharding* tensor = got.add_tensors();
    *tensor = columns.placements(columns.placement(row));
    tensor->set_name(columns.names(row));
    const auto text = [&](int index) { return columns.texts(index); };
    if (!text(columns.op_name(row)).empty()) tensor->set_op_name(text(columns.op_name(row)));
    if (!text(columns.location(row)).empty()) tensor->set_location(text(columns.location(row)));
    if (row >= columns.names_size() - columns.results()) tensor->set_is_result(true);
  }
  for (int k = 0; k < columns.arguments_size(); ++k) {
    got.mutable_tensors(columns.argument_rows(k))->set_parameter(columns.arguments(k));
  }
  *got.mutable_meshes() = columns.meshes();
  got.set_reference(columns.reference());
  EXPECT_EQ(got.DebugString(), want.DebugString());
}

TEST(JsonAnswersTest, Shardings) {
  const auto answer = AnswerTo<answers::ShardingsAnswer>({"shardings", ModuleFile()});
  ASSERT_GE(answer.tensors_size(), 3);
  const answers::TensorSharding& a = answer.tensors(0);
  EXPECT_EQ(a.location(), "m.py:3");
  EXPECT_EQ(a.parameter(), 0);
  EXPECT_THAT(a.local_shape(), testing::ElementsAre(2, 6));
  EXPECT_EQ(a.bytes_per_device(), 48);
  ASSERT_EQ(a.dimensions_size(), 2);
  EXPECT_THAT(a.dimensions(0).axes(), testing::ElementsAre("x"));
  EXPECT_EQ(a.mesh(), 0);
  ASSERT_EQ(answer.meshes_size(), 1);
  EXPECT_EQ(answer.meshes(0).name(), "mesh");
  EXPECT_EQ(answer.meshes(0).axes(0).size(), 2);
  EXPECT_TRUE(answer.tensors(answer.tensors_size() - 1).is_result());
  EXPECT_EQ(answer.reference(), "0.12.0.1");
  const auto older =
      AnswerTo<answers::ShardingsAnswer>({"shardings", ModuleFile(), "--reference=0.10"});
  EXPECT_EQ(older.reference(), "0.10.2");
}

TEST(JsonAnswersTest, Suggest) {
  const auto answer =
      AnswerTo<answers::SuggestAnswer>({"suggest", ModuleFile(), "--target=tpu-v5e:2x1"});
  EXPECT_EQ(answer.mesh(), "x=2");
  EXPECT_GE(answer.front_size(), 1);
  EXPECT_LE(answer.found().seconds(), answer.own().seconds());
}

TEST(JsonAnswersTest, Sweep) {
  const auto answer = AnswerTo<answers::SweepAnswer>({"sweep", ModuleFile()});
  EXPECT_TRUE(answer.has_variant());
  EXPECT_EQ(answer.collectives(), 1);
  EXPECT_FALSE(answer.has_seconds());
}

TEST(JsonAnswersTest, Stats) {
  const auto answer = AnswerTo<answers::StatsAnswer>({"stats", ModuleFile()});
  EXPECT_EQ(answer.instructions(), 4);
  EXPECT_EQ(answer.without_rule(0).count(), 1);
}

}  // namespace
}  // namespace tessera::pipeline
