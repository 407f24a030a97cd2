// `tessera report --format=text` and the like on a small module in which one operand is gathered and parts of a sum are added.

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] = R"(HloModule m, num_partitions=8
ENTRY main {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  w = f32[32,64] parameter(1), sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}
  h = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="jit(f)/layer/dot_general"}
  ROOT t = f32[16,64] tanh(h), metadata={op_name="jit(f)/say \"tanh\""}
}
)";

Outcome Graph(std::vector<std::string> words) {
  const bool has_format = absl::c_any_of(
      words, [](const std::string& word) { return absl::StartsWith(word, "--format"); });
  words.insert(words.begin(), {"report", TestFile("m.hlo", kModule)});
  if (!has_format) words.push_back("--format=text");
  return RunTessera({ReportVerb()}, words);
}

TEST(Graph, OfATerminalHasWhatIsReadAndWhatIsSent) {
  const Outcome result = Graph({"h"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("> h  f32[16,64]  P('data', None)\n"
                                    "      <- x\n"
                                    "      <- w  P('data', None) -> P()  all-gather 6 KiB\n"));
  EXPECT_THAT(result.out, HasSubstr("  t  f32[16,64]  P('data', None)\n      <- h\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("result")));  // two edges away
}

TEST(Graph, WithinSaysHowFar) {
  EXPECT_THAT(Graph({"w", "--within=0"}).out, "> w  f32[32,64]  P('data', None)\n");
  EXPECT_THAT(Graph({"h", "--within=2"}).out, HasSubstr("result"));
  EXPECT_THAT(Graph({}).out, HasSubstr("result"));
}

TEST(Graph, OfGraphvizShieldsQuotes) {
  const std::string dot = Graph({"--format=dot"}).out;
  EXPECT_THAT(dot, HasSubstr("n1 -> n2 [label=\"all-gather 6 KiB\\nbecomes P()\""));
  EXPECT_THAT(dot, HasSubstr("label=\"h\\nf32[16,64]\\nP('data', None)\""));
}

TEST(Graph, OfModelExplorerIsACollection) {
  const auto json = nlohmann::json::parse(Graph({"--format=model-explorer"}).out);
  const auto& nodes = json["graphs"][0]["nodes"];
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[2]["label"], "dot");
  EXPECT_EQ(nodes[2]["namespace"], "jit(f)/layer");
  EXPECT_EQ(nodes[2]["incomingEdges"][1]["sourceNodeId"], nodes[1]["id"]);
  EXPECT_EQ(nodes[2]["inputsMetadata"][1]["attrs"][0]["value"], "all-gather 6 KiB");
}

TEST(Graph, Refuses) {
  EXPECT_THAT(Graph({"nothing"}).err, HasSubstr("no tensor is named 'nothing'"));
  EXPECT_THAT(Graph({"--format=svg"}).err, HasSubstr("expected html, text, dot or model-explorer"));
  EXPECT_THAT(Graph({"--within=x"}).err, HasSubstr("expected a number of edges"));
  EXPECT_EQ(Graph({"nothing"}).exit, 2);
}

}  // namespace
}  // namespace tessera::pipeline
