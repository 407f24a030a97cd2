#include "tessera/hlo/verifier.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::hlo {
namespace {

struct Case {
  const char* name;
  const char* lines;
  const char* finding;  // empty: none
};

constexpr char kCallees[] =
    "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
    "id { ROOT x = f32[2] parameter(0) }\n"
    "shard_id { ROOT q = f32[2] parameter(0), sharding={manual} }\n"
    "yes { x = f32[2] parameter(0) ROOT t = pred[] constant(true) }\n";

class VerifierTest : public ::testing::TestWithParam<Case> {};

TEST_P(VerifierTest, Finding) {
  const auto module = ParseModule(absl::StrCat(kCallees, "ENTRY e {\n", GetParam().lines, "\n}"));
  ASSERT_TRUE(module.ok()) << module.status();
  const text::Diagnostics found = VerifyModule(*module);
  if (*GetParam().finding == '\0') {
    EXPECT_TRUE(found.ok()) << found.Render(*module->text());
  } else {
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.all()[0].message, GetParam().finding);
  }
}

constexpr Case kCases[] = {
    {"Good",
     "p = f32[2,3] parameter(0)\n"
     "b = f32[2,3,4] broadcast(p), dimensions={0,1}\n"
     "z = f32[] constant(0)\n"
     "r = f32[2,3] reduce(b, z), dimensions={2}, to_apply=add",
     ""},
    {"ResultShape", "p = f32[2] parameter(0)\nn = f32[3] negate(p)",
     "negate 'n': the shape is f32[3]{0} but should be f32[2]{0}"},
    {"OperandSizes", "p = f32[2] parameter(0)\nq = f32[3] parameter(1)\nn = f32[2] add(p, q)",
     "add 'n': f32[2] and f32[3] differ in sizes"},
    {"LayoutNoPermutation", "p = f32[2,3]{1,1} parameter(0)",
     "parameter 'p': the order {1,1} of f32[2,3] names dimension 1 twice"},
    {"TupleIndex", "p = (f32[2]) parameter(0)\nn = f32[2] get-tuple-element(p), index=3",
     "get-tuple-element 'n': there is no element 3 in (f32[2]{0})"},
    {"Broadcast", "p = f32[2] parameter(0)\nn = f32[3,4] broadcast(p), dimensions={0}",
     "broadcast 'n': dimension 0 of f32[2] does not fit dimension 0 of f32[3,4]"},
    {"Slice", "p = f32[4] parameter(0)\nn = f32[3] slice(p), slice={[1:5]}",
     "slice 'n': range 0 leaves f32[4]"},
    {"CallArity", "p = f32[2] parameter(0)\nn = f32[2] call(p, p), to_apply=id",
     "call 'n': computation 'id' has 1 parameters but should have 2"},
    {"WhileBody", "p = f32[3] parameter(0)\nn = f32[3] while(p), condition=yes, body=id",
     "while 'n': parameter 0 of 'id' is f32[2]{0} but should be f32[3]{0}"},
    {"CopyPair",
     "p = f32[2] parameter(0)\ns = (f32[2], f32[2], u32[]) copy-start(p)\n"
     "d = f32[2] copy-done(s)",
     ""},
    {"StartAlone", "p = f32[2] parameter(0)\ns = (f32[2], f32[2], u32[]) copy-start(p)",
     "copy-start 's': no copy-done ends it"},
    {"StartTwice",
     "p = f32[2] parameter(0)\ns = (f32[2], f32[2], u32[]) copy-start(p)\n"
     "d = f32[2] copy-done(s)\ne = f32[2] copy-done(s)",
     "copy-start 's': has 2 users but should have one, copy-done"},
    {"StartForAnother",
     "p = f32[2] parameter(0)\ns = (f32[2], f32[2], u32[]) copy-start(p)\n"
     "d = f32[2] get-tuple-element(s), index=0",
     "copy-start 's': its user should be copy-done, not get-tuple-element 'd'"},
    {"WhileShardings",
     "p = f32[2] parameter(0)\n"
     "n = f32[2] while(p), condition=yes, body=shard_id, sharding={replicated}",
     "while 'n': its sharding is {replicated}, that of 'q' is {manual}"},
    {"While", "p = f32[2] parameter(0)\nn = f32[2] while(p), condition=yes, body=id", ""},
    {"GroupsTwice",
     "p = f32[2] parameter(0)\n"
     "n = f32[2] all-reduce(p), replica_groups={{0,1},{1,2}}, to_apply=add",
     "all-reduce 'n': an id is in two replica groups"},
    {"AllGatherSize",
     "p = f32[2] parameter(0)\nn = f32[5] all-gather(p), replica_groups={{0,1}}, dimensions={0}",
     "all-gather 'n': dimension 0 is 5 but should be 4"},
    {"PermuteTwice",
     "p = f32[2] parameter(0)\n"
     "n = f32[2] collective-permute(p), source_target_pairs={{0,1},{2,1}}",
     "collective-permute 'n': id 1 receives twice"},
};
INSTANTIATE_TEST_SUITE_P(All, VerifierTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tessera::hlo
