#include "tessera/pipeline/lint/forms/forms.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tessera/pipeline/lint/forms/source_place.h"

namespace tessera::pipeline::lint {
namespace {

using nlohmann::json;

// A repository with model/net.py.
std::string Root() {
  const std::string root = absl::StrCat(::testing::TempDir(), "/root");
  std::filesystem::create_directories(root + "/model");
  std::ofstream(root + "/model/net.py") << "h = h @ w\n";
  return root;
}

LintReport Report() {
  Finding far{"w",
              "/home/other/project/model/net.py:41",
              "w is large: 100%",
              "shard it",
              8,
              "replicated-array",
              Severity::kError};
  Finding nowhere{"dot.1", "", "all-gather", "", 4, "large-collective", Severity::kWarning};
  return {"step 1.hlo", Root(), {far, nowhere}};
}

TEST(LintForms, Text) {
  EXPECT_EQ(LintText(Report()),
            "model/net.py:41: error: [replicated-array] w is large: 100%\n"
            "    fix: shard it\n"
            "step 1.hlo: warning: [large-collective] all-gather\n"
            "1 error, 1 warning\n");
}

TEST(LintForms, TheSameFixIsSaidOnce) {
  LintReport report = Report();
  report.findings[1].fix = report.findings[0].fix;
  EXPECT_THAT(LintText(report), ::testing::HasSubstr("all-gather\n    fix: as above\n"));
}

TEST(LintForms, AnnotationsOfGithubAreEscaped) {
  EXPECT_EQ(LintGithub(Report()),
            "::error file=model/net.py,line=41,title=tessera replicated-array::w is large: "
            "100%25%0Afix: shard it\n"
            "::warning title=tessera large-collective::all-gather\n");
}

TEST(LintForms, Json) {
  const json answer = json::parse(LintJson(Report()));
  EXPECT_EQ(answer["errors"], 1);
  EXPECT_EQ(answer["warnings"], 1);
  EXPECT_EQ(answer["findings"][0]["file"], "model/net.py");
  EXPECT_EQ(answer["findings"][0]["line"], 41);
  EXPECT_FALSE(answer["findings"][1].contains("file"));
}

// The members that sarif-schema-2.1.0.json requires of each object, and those that code scanning
// reads.
TEST(LintForms, SarifHasWhatTheSchemaRequires) {
  const json log = json::parse(LintSarif(Report()));
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1u);
  const json& run = log["runs"][0];
  const json& rules = run["tool"]["driver"]["rules"];
  EXPECT_EQ(run["tool"]["driver"]["name"], "tessera");
  ASSERT_EQ(rules.size(), Rules().size());
  ASSERT_EQ(run["results"].size(), 2u);
  for (const json& result : run["results"]) {
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
    EXPECT_GE(result["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
  }
  const auto uri_of = [&](size_t k) {
    return run["results"][k]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
  };
  EXPECT_EQ(uri_of(0), "model/net.py");
  EXPECT_EQ(uri_of(1), "step%201.hlo");
  EXPECT_EQ(run["results"][0]["level"], "error");
}

TEST(LintForms, SarifKnowsAFindingAgainByItsName) {
  LintReport report = Report();
  report.findings[0].name = "dot.2";
  report.findings[0].rule = report.findings[1].rule;
  const json log = json::parse(LintSarif(report));
  const auto print_of = [&](size_t k) {
    return log["runs"][0]["results"][k]["partialFingerprints"]["tesseraFinding/v1"];
  };
  EXPECT_EQ(print_of(0), "large-collective:dot");
  EXPECT_EQ(print_of(1), "large-collective:dot#2");
}

TEST(PlaceBelow, TakesTheLongestEndThatIsAFile) {
  const std::string root = Root();
  EXPECT_EQ(PlaceBelow(root, root + "/model/net.py:3").file, "model/net.py");
  EXPECT_EQ(PlaceBelow(root, "model/net.py:3").line, 3);
  EXPECT_TRUE(PlaceBelow(root, "/elsewhere/model/net.py:3").is_relative);
  EXPECT_EQ(PlaceBelow(root, "/elsewhere/other.py:3").file, "/elsewhere/other.py");
  EXPECT_FALSE(PlaceBelow(root, "../root/../../etc/passwd:3").is_relative);
  EXPECT_EQ(PlaceBelow(root, "").file, "");
  EXPECT_EQ(PlaceBelow(root, "net.py").file, "");
}

}  // namespace
}  // namespace tessera::pipeline::lint
