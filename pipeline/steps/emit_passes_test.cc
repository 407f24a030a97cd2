// Each pass that brings the program into the form of HLO, by what it leaves: small modules, stopped
// after it, printed.

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAreArray;

constexpr char kSharded[] =
    ", frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"a\\\"}]>\"}\n";

// The lines of all instructions but parameters, without shardings.
std::vector<std::string> After(const std::string& pass, const std::string& computations) {
  const auto module = hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
                   "#sdy.mesh<[\"a\"=4]>}}\n\n",
                   computations));
  if (!module.ok()) return {std::string(module.status().message())};
  ShardOptions options;
  options.stage = Stage::kPass;
  options.stop_after = pass;
  const auto result = ShardModule(*module, options);
  if (!result.ok()) return {std::string(result.status().message())};
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(result->text, '\n')) {
    if (!absl::StartsWith(line, "  ") || absl::StrContains(line, " parameter(")) continue;
    lines.emplace_back(line.substr(2, line.find(", sharding=") - 2));
  }
  return lines;
}

struct Case {
  const char* name;
  std::string computations;
  std::vector<std::string> lowered;
  std::vector<std::string> simplified;  // empty: the same
};

// A loop carries what changes, then what it captures.
const Case kLoop = {
    "Loop",
    absl::StrCat("%body (p: (f32[8], f32[8])) -> (f32[8], f32[8]) {\n"
                 "  %p = (f32[8]{0}, f32[8]{0}) parameter(0)\n"
                 "  %w = f32[8]{0} get-tuple-element(%p), index=0\n"
                 "  %h = f32[8]{0} get-tuple-element(%p), index=1\n"
                 "  %m = f32[8]{0} multiply(%h, %w)\n"
                 "  ROOT %t = (f32[8]{0}, f32[8]{0}) tuple(%w, %m)\n}\n\n"
                 "%cond (q: (f32[8], f32[8])) -> pred[] {\n"
                 "  %q = (f32[8]{0}, f32[8]{0}) parameter(0)\n"
                 "  ROOT %true = pred[] constant(true)\n}\n\n"
                 "ENTRY %e (x: f32[8], y: f32[8]) -> f32[8] {\n"
                 "  %x = f32[8]{0} parameter(0)",
                 kSharded,
                 "  %y = f32[8]{0} parameter(1)\n"
                 "  %i = (f32[8]{0}, f32[8]{0}) tuple(%y, %x)\n"
                 "  %l = (f32[8]{0}, f32[8]{0}) while(%i), condition=%cond, body=%body\n"
                 "  ROOT %r = f32[8]{0} get-tuple-element(%l), index=1\n}\n"),
    {"%m = f32[8]{0} multiply(%p#0, %p#1)", "ROOT %tuple = (f32[8]{0}, f32[8]{0}) tuple(%m, %p#1)",
     "ROOT %true = pred[] constant(true)", "%tuple.1 = (f32[8]{0}, f32[8]{0}) tuple(%x, %y)",
     "%l = (f32[8]{0}, f32[8]{0}) while(%tuple.1), condition=%region.1, body=%region",
     "ROOT %get-tuple-element.4 = f32[8]{0} get-tuple-element(%l), index=0"},
    {"%m = f32[8]{0} multiply(%p#0, %p#1)", "ROOT %tuple = (f32[8]{0}, f32[8]{0}) tuple(%m, %p#1)",
     "ROOT %true = pred[] constant(true)", "%tuple.1 = (f32[8]{0}, f32[8]{0}) tuple(%x, %y)",
     "%l = (f32[8]{0}, f32[8]{0}) while(%tuple.1), condition=%region.1, body=%region",
     "ROOT %get-tuple-element.2 = f32[8]{0} get-tuple-element(%l), index=0"}};

// A branch has what it captures as its parameter; one value needs no tuple.
const Case kBranches = {
    "Branches",
    absl::StrCat(
        "%t (p: f32[8]) -> f32[8] {\n  %p = f32[8]{0} parameter(0)\n"
        "  ROOT %n = f32[8]{0} negate(%p)\n}\n\n"
        "%f (q: f32[8]) -> f32[8] {\n  %q = f32[8]{0} parameter(0)\n"
        "  ROOT %s = f32[8]{0} tanh(%q)\n}\n\n"
        "ENTRY %e (i: s32[], x: f32[8], y: f32[8]) -> f32[8] {\n"
        "  %i = s32[] parameter(0)\n  %x = f32[8]{0} parameter(1)",
        kSharded,
        "  %y = f32[8]{0} parameter(2)\n"
        "  ROOT %c = f32[8]{0} conditional(%i, %x, %y), branch_computations={%t, %f}\n}\n"),
    {"ROOT %n = f32[8]{0} negate(%parameter)", "ROOT %s = f32[8]{0} tanh(%parameter.1)",
     "ROOT %c = f32[8]{0} conditional(%i, %x, %y), branch_computations={%branch, %branch.1}"},
    {}};

// Several results are elements of a tuple; a constant of equal elements is a broadcast; a tuple of all
// elements of one value is that value.
const Case kTuples = {
    "Tuples",
    absl::StrCat("%less (a: f32[], b: f32[], c: s32[], d: s32[]) -> pred[] {\n"
                 "  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
                 "  %c = s32[] parameter(2)\n  %d = s32[] parameter(3)\n"
                 "  ROOT %l = pred[] compare(%a, %b), direction=LT\n}\n\n"
                 "ENTRY %e (x: f32[8], y: s32[8]) -> (s32[8], f32[8]) {\n"
                 "  %x = f32[8]{0} parameter(0)",
                 kSharded,
                 "  %y = s32[8]{0} parameter(1)\n"
                 "  %s = (f32[8]{0}, s32[8]{0}) sort(%x, %y), dimensions={0}, to_apply=%less\n"
                 "  %o = s32[8]{0} get-tuple-element(%s), index=1\n"
                 "  %k = f32[8]{0} constant({1, 1, 1, 1, 1, 1, 1, 1})\n"
                 "  %b = (s32[8]{0}, f32[8]{0}) tuple(%o, %k)\n"
                 "  ROOT %r = (s32[8]{0}, f32[8]{0}) opt-barrier(%b)\n}\n"),
    {"ROOT %l = pred[] compare(%a, %b), direction=LT",
     "%s = (f32[8]{0}, s32[8]{0}) sort(%x, %y), dimensions={0}, to_apply=%less",
     "%k = f32[] constant(1)", "%k.1 = f32[8]{0} broadcast(%k), dimensions={}",
     "%tuple = (s32[8]{0}, f32[8]{0}) tuple(%s#1, %k.1)",
     "%r = (s32[8]{0}, f32[8]{0}) opt-barrier(%tuple)",
     "ROOT %tuple.1 = (s32[8]{0}, f32[8]{0}) tuple(%r#0, %r#1)"},
    {"ROOT %l = pred[] compare(%a, %b), direction=LT",
     "%s = (f32[8]{0}, s32[8]{0}) sort(%x, %y), dimensions={0}, to_apply=%less",
     "%k = f32[] constant(1)", "%k.1 = f32[8]{0} broadcast(%k), dimensions={}",
     "%tuple = (s32[8]{0}, f32[8]{0}) tuple(%s#1, %k.1)",
     "ROOT %r = (s32[8]{0}, f32[8]{0}) opt-barrier(%tuple)"}};

class EmitPassesTest : public ::testing::TestWithParam<Case> {};

TEST_P(EmitPassesTest, LowersToHlo) {
  EXPECT_THAT(After("lower-to-hlo", GetParam().computations), ElementsAreArray(GetParam().lowered));
}

TEST_P(EmitPassesTest, SimplifiesTuples) {
  const Case& c = GetParam();
  EXPECT_THAT(After("tuple-simplifier", c.computations),
              ElementsAreArray(c.simplified.empty() ? c.lowered : c.simplified));
}

INSTANTIATE_TEST_SUITE_P(Cases, EmitPassesTest, ::testing::Values(kLoop, kBranches, kTuples),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera::pipeline
