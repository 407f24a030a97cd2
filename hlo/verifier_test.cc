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
    "yes { x = f32[2] parameter(0) ROOT t = pred[] constant(true) }\n"
    "other { ROOT x = f32[2] parameter(0) }, execution_thread=\"t\"\n"
    "two { x = f32[2] parameter(0) a = f32[2] negate(x) ROOT b = f32[2] negate(a) }\n";

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
constexpr Case kModuleCases[] = {
    {"AllReducesAgree",
     "p = f32[2] parameter(0)\n"
     "m = f32[2] all-reduce(p), replica_groups={}, constrain_layout=true, to_apply=add\n"
     "n = f32[2] all-reduce(m), replica_groups={}, to_apply=add",
     "all-reduce 'n': constrain_layout is false here and not in 'm'; all all-reduces must agree"},
    {"Thread", "p = f32[2] parameter(0)\nn = f32[2] call(p), to_apply=other",
     "call 'n': runs on thread 'main' but calls 'other', which runs on 't'"},
    {"AsyncBody",
     "p = f32[2] parameter(0)\ns = ((f32[2]), f32[2]) async-start(p), calls=two\n"
     "d = f32[2] async-done(s)",
     "async-start 's': calls 'two', which holds 'a' beside its parameters and root"},
};
INSTANTIATE_TEST_SUITE_P(Module, VerifierTest, ::testing::ValuesIn(kModuleCases),
                         [](const auto& c) { return std::string(c.param.name); });

INSTANTIATE_TEST_SUITE_P(All, VerifierTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(VerifierScheduleTest, WhatAnInstructionNeedsComesFirst) {
  auto module = ParseModule(
      "HloModule m, is_scheduled=true\n"
      "ENTRY e { p = f32[2] parameter(0) a = f32[2] negate(p) ROOT b = f32[2] negate(a) }");
  ASSERT_TRUE(module.ok());
  EXPECT_TRUE(VerifyModule(*module).ok());
  std::swap(module->mutable_computation(0).instructions[1],
            module->mutable_computation(0).instructions[2]);
  const text::Diagnostics found = VerifyModule(*module);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.all()[0].message, "negate 'b': is scheduled before 'a', which it needs");
}

struct LayoutCase {
  const char* name;
  const char* lines;
  const char* finding;
};

class StrictLayoutTest : public ::testing::TestWithParam<LayoutCase> {};

TEST_P(StrictLayoutTest, Finding) {
  const auto module = ParseModule(
      absl::StrCat("same { ROOT x = f32[2,3]{1,0} parameter(0) }\n"
                   "yes { x = f32[2,3]{1,0} parameter(0) ROOT t = pred[] constant(true) }\n"
                   "ENTRY e {\np = f32[2,3]{1,0} parameter(0)\nq = f32[2,3]{0,1} parameter(1)\n",
                   GetParam().lines, "\n}"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(*module).ok());
  const text::Diagnostics found = VerifyModule(*module, VerifierOptions{true});
  EXPECT_EQ(found.ok() ? "" : found.all()[0].message, GetParam().finding);
}

constexpr LayoutCase kLayoutCases[] = {
    {"FreeResult", "n = f32[2,3]{0,1} add(p, q)", ""},
    {"Tuple", "t = (f32[2,3]{1,0}, f32[2,3]{0,1}) tuple(p, q)", ""},
    {"TupleOther", "t = (f32[2,3]{1,0}, f32[2,3]{1,0}) tuple(p, q)",
     "tuple 't': layouts: element 1 is f32[2,3]{1,0} but should be f32[2,3]{0,1}"},
    {"Element", "t = (f32[2,3]{1,0}) tuple(p)\nn = f32[2,3]{0,1} get-tuple-element(t), index=0",
     "get-tuple-element 'n': layouts: the result is f32[2,3]{0,1} but should be f32[2,3]{1,0}"},
    {"Barrier", "n = f32[2,3]{0,1} opt-barrier(p)",
     "opt-barrier 'n': layouts: the result is f32[2,3]{0,1} but should be f32[2,3]{1,0}"},
    {"Call", "n = f32[2,3]{1,0} call(p), to_apply=same", ""},
    {"CallParameter", "n = f32[2,3]{1,0} call(q), to_apply=same",
     "call 'n': layouts: parameter 0 of 'same' is f32[2,3]{1,0} but should be f32[2,3]{0,1}"},
    {"While", "n = f32[2,3]{1,0} while(p), condition=yes, body=same", ""},
    {"WhileResult", "n = f32[2,3]{0,1} while(p), condition=yes, body=same",
     "while 'n': layouts: the result is f32[2,3]{0,1} but should be f32[2,3]{1,0}"},
};
INSTANTIATE_TEST_SUITE_P(All, StrictLayoutTest, ::testing::ValuesIn(kLayoutCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace tessera::hlo
