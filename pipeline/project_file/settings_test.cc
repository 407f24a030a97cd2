// Through the verbs: what a project file says is as if flags had said it.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/command_line/run_in_test.h"
#include "tessera/pipeline/command_line/verbs.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModule[] = R"(HloModule m, num_partitions=8

ENTRY main {
  x = f32[16,32] parameter(0)
  w = f32[32,64] parameter(1)
  ROOT h = f32[16,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

constexpr char kProject[] = R"toml(
mesh = "pod"
annotate = ["^x$=P('data')", "^w$=P('model')"]
[meshes]
pod = { data = 4, model = 2 }
flat = "data=8,model=1"
[lint]
max-replicated = "1B"
)toml";

// A repository with a module in step/, and a project file on top.
class ProjectSettings : public ::testing::Test {
 protected:
  ProjectSettings()
      : root_(absl::StrCat(::testing::TempDir(), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(root_ + "/step");
    std::filesystem::create_directories(root_ + "/.git");
    std::ofstream(Module()) << kModule;
    Project(kProject);
  }

  std::string Module() const { return root_ + "/step/m.hlo"; }
  void Project(const std::string& text) { std::ofstream(root_ + "/tessera.toml") << text; }
  Outcome Tessera(std::vector<std::string> words) {
    words.insert(words.begin() + 1, Module());
    return RunTessera(AllVerbs(), words);
  }

  std::string root_;
};

TEST_F(ProjectSettings, AreThoseOfTheNearestFileAbove) {
  const Outcome run = Tessera({"shardings"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("x: f32[16,32] P('data', None)"));
  EXPECT_THAT(run.err, HasSubstr("tessera.toml sets --annotate, --mesh\n"));
}

TEST_F(ProjectSettings, FlagsWin) {
  EXPECT_THAT(Tessera({"shardings", "--annotate=^x$=P('model')"}).out,
              HasSubstr("x: f32[16,32] P('model', None)"));
  EXPECT_THAT(Tessera({"shardings", "--mesh=flat", "--json"}).out,
              HasSubstr("{\"name\":\"data\",\"size\":8}"));
  EXPECT_THAT(Tessera({"shardings", "--mesh=flet"}).err,
              HasSubstr("no mesh is named 'flet', did you mean 'flat'?; "));
  EXPECT_THAT(Tessera({"shardings", "--config=none", "--mesh=data=8"}).out,
              HasSubstr("x: f32[16,32] P()"));
}

TEST_F(ProjectSettings, ATableOfAVerbIsForThatVerb) {
  const Outcome lint = Tessera({"lint", "--annotate=^w$=P()"});
  EXPECT_EQ(lint.exit, 1);
  EXPECT_THAT(lint.out, HasSubstr("error: [replicated-array] w"));
  EXPECT_EQ(Tessera({"collectives"}).exit, 0);
}

TEST_F(ProjectSettings, AboveTheRepositoryNothingIsLookedFor) {
  std::filesystem::create_directories(root_ + "/step/.git");
  EXPECT_THAT(Tessera({"shardings"}).err, Not(HasSubstr("tessera.toml")));
}

TEST_F(ProjectSettings, AMistakeIsShownWhereItIs) {
  Project("mesh = \"data=4,modle\"\n");
  const Outcome run = Tessera({"shardings"});
  EXPECT_EQ(run.exit, 2);
  EXPECT_THAT(run.err, HasSubstr("/tessera.toml:1:8: error: mesh: mesh 'data=4,modle'"));
  EXPECT_THAT(run.err, HasSubstr("mesh = \"data=4,modle\"\n         ^"));
  Project("[lint]\nmax-replicatd = 3\n");
  EXPECT_THAT(Tessera({"memory"}).err,
              HasSubstr(":2:1: error: `tessera lint` has no flag --max-replicatd, did you mean "
                        "'--max-replicated'?; "));
  Project("strategy = \"basic\"\n");
  EXPECT_THAT(Tessera({"memory"}).err, HasSubstr("'strategy' is no setting of all verbs"));
  Project("[lnit]\n");
  EXPECT_THAT(Tessera({"memory"}).err,
              HasSubstr("error: 'lnit' is no verb with settings, did you mean 'lint'?; "));
  Project("anotate = []\n");
  EXPECT_THAT(Tessera({"memory"}).err,
              HasSubstr("'anotate' is no setting of all verbs, did you mean 'annotate'?; "));
  Project("mesh = \"pods\"\n[meshes]\nflat = \"data=8\"\npod = \"data=4,model=2\"\n");
  EXPECT_THAT(Tessera({"memory"}).err,
              HasSubstr("tessera.toml:1:8: error: mesh: no mesh is named 'pods', did you mean "
                        "'pod'?; "));
  Project("memory-limit = \"16Gib\"\n");
  EXPECT_THAT(Tessera({"memory"}).err, HasSubstr(":1:16: error: memory-limit: expected a unit"));
  EXPECT_EQ(Tessera({"memory", "--config=/nowhere.toml"}).exit, 2);
}

}  // namespace
}  // namespace tessera::pipeline
