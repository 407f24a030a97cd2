#include "tessera/pipeline/passes/passes.h"

#include <functional>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/sharding/passes/context.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline::passes {
namespace {

using ::testing::HasSubstr;

std::string Print(const hlo::Module& module) {
  hlo::PrintOptions options = hlo::PrintOptions::ShortParsable();
  options.load_like_xla = false;
  options.large_constants = true;
  options.metadata = true;
  return hlo::PrintModule(module, options);
}

// The module after the pass; "unchanged" if it says so.
std::string After(const std::function<bool(hlo::Builder*)>& pass, const std::string& text) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  if (!module.ok()) return std::string(module.status().message());
  hlo::Builder builder(&*module);
  return pass(&builder) ? Print(*module) : "unchanged";
}

// Marks of memory spaces go; their sharding stays.
TEST(PassesTest, PlacementMarks) {
  const std::string after = After(RemovePlacementMarks, R"(HloModule m

ENTRY e {
  x = f32[2] parameter(0)
  ROOT h = f32[2] custom-call(x), custom_call_target="MoveToHost", sharding={replicated}
}
)");
  EXPECT_EQ(after, R"(HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

ENTRY e {
  ROOT x = f32[2]{0} parameter(0), sharding={replicated}
}

)");
  EXPECT_EQ(After(RemovePlacementMarks, after), "unchanged");
}

// Each call gets a computation of its own, down to the last.
TEST(PassesTest, FlattenCalls) {
  const std::string after = After(FlattenCalls, R"(HloModule m

g {
  a = f32[2] parameter(0)
  ROOT n = f32[2] negate(a)
}
f {
  a = f32[2] parameter(0)
  ROOT r = f32[2] call(a), to_apply=g
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f
  ROOT z = f32[2] call(y), to_apply=f
}
)");
  EXPECT_EQ(after, R"(HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

g {
  a = f32[2]{0} parameter(0)
  ROOT n = f32[2]{0} negate(a)
}

f {
  a = f32[2]{0} parameter(0)
  ROOT r = f32[2]{0} call(a), to_apply=g
}

g.clone {
  a.3 = f32[2]{0} parameter(0)
  ROOT n.1 = f32[2]{0} negate(a.3)
}

f.clone {
  a.2 = f32[2]{0} parameter(0)
  ROOT r.1 = f32[2]{0} call(a.2), to_apply=g.clone
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  y = f32[2]{0} call(x), to_apply=f
  ROOT z = f32[2]{0} call(y), to_apply=f.clone
}

)");
  EXPECT_EQ(After(FlattenCalls, after), "unchanged");
}

// Calls go, but for those that say no.
TEST(PassesTest, InlineCalls) {
  const std::string after = After(InlineCalls, R"(HloModule m

f {
  a = f32[2] parameter(0)
  n = f32[2] negate(a), metadata={op_name="neg"}
  ROOT s = f32[2] sine(n)
}
stays {
  a = f32[2] parameter(0)
  ROOT c = f32[2] cosine(a)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f, metadata={op_name="outer"}
  ROOT z = f32[2] call(y), to_apply=stays, frontend_attributes={inlineable="false"}
}
)");
  EXPECT_EQ(after, R"(HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

stays {
  a = f32[2]{0} parameter(0)
  ROOT c = f32[2]{0} cosine(a)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  n.1 = f32[2]{0} negate(x), metadata={op_name="outer/neg"}
  s.1 = f32[2]{0} sine(n.1), metadata={op_name="outer"}
  ROOT z = f32[2]{0} call(s.1), to_apply=stays, frontend_attributes={inlineable="false"}
}

)");
  EXPECT_EQ(After(InlineCalls, after), "unchanged");
}

// `shared` has three instructions after inlining and two callers; `small` two, `once` one caller.
TEST(PassesTest, KeepSharedCallees) {
  const auto keep = [](hlo::Builder* b) { return KeepSharedCallees(b, 3) && InlineCalls(b); };
  const std::string after = After(keep, R"(HloModule m

once {
  a = f32[2] parameter(0)
  n = f32[2] negate(a)
  ROOT s = f32[2] sine(n)
}
small {
  a = f32[2] parameter(0)
  ROOT c = f32[2] cosine(a)
}
shared {
  a = f32[2] parameter(0)
  ROOT c = f32[2] call(a), to_apply=once
}
ENTRY e {
  x = f32[2] parameter(0)
  a = f32[2] call(x), to_apply=shared
  b = f32[2] call(a), to_apply=small
  c = f32[2] call(b), to_apply=small
  ROOT d = f32[2] call(c), to_apply=shared, frontend_attributes={k="v"}
}
)");
  EXPECT_EQ(after, R"(HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

shared {
  a = f32[2]{0} parameter(0)
  n.1 = f32[2]{0} negate(a)
  ROOT s.1 = f32[2]{0} sine(n.1)
}

ENTRY e {
  x = f32[2]{0} parameter(0)
  a = f32[2]{0} call(x), to_apply=shared, frontend_attributes={inlineable="false"}
  c.3 = f32[2]{0} cosine(a)
  c.4 = f32[2]{0} cosine(c.3)
  ROOT d = f32[2]{0} call(c.4), to_apply=shared, frontend_attributes={inlineable="false",k="v"}
}

)");
  EXPECT_EQ(After(keep, after), "unchanged");
}

// JAX lowers the body of `jnp.where` once, without a line; its copies have that of their call.
TEST(PassesTest, AnInlinedInstructionHasAPlace) {
  const std::string after = After(InlineCalls, R"(HloModule m

f {
  a = f32[2] parameter(0)
  n = f32[2] negate(a), metadata={op_name="neg" stack_frame_id=5}
  s = f32[2] sine(n), metadata={op_name="outer/sin"}
  ROOT c = f32[2] cosine(s)
}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=f, metadata={op_name="outer" stack_frame_id=3}
  g = f32[2] call(y), to_apply=f, metadata={source_file="a.py" source_line=7}
  ROOT t = (f32[2], f32[2]) tuple(y, g)
}
)");
  EXPECT_THAT(after, HasSubstr("negate(x), metadata={op_name=\"outer/neg\" stack_frame_id=5}"));
  EXPECT_THAT(after, HasSubstr("sine(n.1), metadata={op_name=\"outer/sin\" stack_frame_id=3}"));
  EXPECT_THAT(after, HasSubstr("cosine(s.1), metadata={op_name=\"outer\" stack_frame_id=3}"));
  EXPECT_THAT(after, HasSubstr("cosine(s.2), metadata={source_file=\"a.py\" source_line=7}"));
}

// An array without elements is a constant.
TEST(PassesTest, ZeroSized) {
  const std::string after = After(RemoveZeroSized, R"(HloModule m

ENTRY e {
  x = f32[2,0] parameter(0)
  n = f32[2,0] negate(x)
  y = f32[2,3] parameter(1)
  ROOT c = f32[2,3] concatenate(n, y), dimensions={1}
}
)");
  EXPECT_EQ(after,
            R"(HloModule m, entry_computation_layout={(f32[2,0]{1,0}, f32[2,3]{1,0})->f32[2,3]{1,0}}

ENTRY e {
  x = f32[2,0]{1,0} parameter(0)
  n.1 = f32[2,0]{1,0} constant({ {}, {} })
  y = f32[2,3]{1,0} parameter(1)
  ROOT c = f32[2,3]{1,0} concatenate(n.1, y), dimensions={1}
}

)");
  EXPECT_EQ(After(RemoveZeroSized, after), "unchanged");
}

// Branches take and give tuples.
TEST(PassesTest, Conditionals) {
  const std::string after = After(CanonicalizeConditionals, R"(HloModule m

f {
  a = f32[2] parameter(0)
  ROOT n = f32[2] negate(a)
}
g {
  a = f32[2] parameter(0)
  ROOT s = f32[2] sine(a)
}
ENTRY e {
  p = pred[] parameter(0)
  x = f32[2] parameter(1)
  ROOT c = f32[2] conditional(p, x, x), true_computation=f, false_computation=g
}
)");
  EXPECT_EQ(after, R"(HloModule m, entry_computation_layout={(pred[], f32[2]{0})->f32[2]{0}}

f {
  a = (f32[2]{0}) parameter(0)
  a.2 = f32[2]{0} get-tuple-element(a), index=0
  n = f32[2]{0} negate(a.2)
  ROOT tuple = (f32[2]{0}) tuple(n)
}

g {
  a = (f32[2]{0}) parameter(0)
  a.3 = f32[2]{0} get-tuple-element(a), index=0
  s = f32[2]{0} sine(a.3)
  ROOT tuple.1 = (f32[2]{0}) tuple(s)
}

ENTRY e {
  p = pred[] parameter(0)
  x = f32[2]{0} parameter(1)
  tuple.2 = (f32[2]{0}) tuple(x)
  tuple.3 = (f32[2]{0}) tuple(x)
  c.clone = (f32[2]{0}) conditional(p, tuple.2, tuple.3), true_computation=f, false_computation=g
  ROOT c.1 = f32[2]{0} get-tuple-element(c.clone), index=0
}

)");
  EXPECT_EQ(After(CanonicalizeConditionals, after), "unchanged");
}

// The order of what is read stays: an element that no line has is where the post-order began.
TEST(PassesTest, UnreadElementsKeepTheirPlace) {
  const auto module = hlo::ParseModule(R"(HloModule m

b {
  s = (s32[], f32[2]) parameter(0)
  y = f32[2] negate(s#1)
  ROOT t = (s32[], f32[2]) tuple(s#0, y)
}
c {
  s = (s32[], f32[2]) parameter(0)
  ROOT less = pred[] compare(s#0, s#0), direction=LT
}
f {
  a = f32[2] parameter(0)
  ROOT n = f32[2] negate(a)
}
g {
  a = f32[2] parameter(0)
  ROOT r = f32[2] sine(a)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[2] parameter(1)
  n = f32[2] negate(x)
  start = (s32[], f32[2]) tuple(i, n)
  loop = (s32[], f32[2]) while(start), condition=c, body=b
  m = f32[2] exponential(n)
  branch = f32[2] conditional(i, x, x), branch_computations={f, g}
  ROOT t = (f32[2], f32[2], f32[2]) tuple(m, loop#1, branch)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto cleaned = CleanUp(*module);
  ASSERT_TRUE(cleaned.ok() && cleaned->has_value()) << cleaned.status();
  const std::string text((*cleaned)->source_text());
  EXPECT_LT(text.find(" loop = "), text.find(" m = ")) << text;
  EXPECT_LT(text.find(" m = "), text.find(" branch.clone = ")) << text;
  EXPECT_EQ(text.find("get-tuple-element"), std::string::npos) << text;
}

// A module that XLA has cleaned is left alone; the text stays the user's own.
TEST(PassesTest, CleanModulesStay) {
  const auto module = hlo::ParseModule(
      "ENTRY e { x = f32[2] parameter(0) ROOT c = f32[2] custom-call(x), "
      "custom_call_target=\"opaque\" }");
  ASSERT_TRUE(module.ok());
  const auto cleaned = CleanUp(*module);
  ASSERT_TRUE(cleaned.ok());
  EXPECT_FALSE(cleaned->has_value());
}

// What looked as if there were something to do is as it was read: no elements without lines were
// added, and the order of the lines counts as before.
TEST(PassesTest, NothingToDoAfterAll) {
  const auto module = hlo::ParseModule(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  n = f32[2] negate(x)
  pair = (f32[2], f32[2]) custom-call(x), custom_call_target="two"
  none = f32[0] custom-call(), custom_call_target="effect", custom_call_has_side_effect=true
  m = f32[2] exponential(n)
  ROOT t = (f32[2], f32[2]) tuple(m, pair#1)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  sharding::passes::Context context;
  context.module = *module;
  ASSERT_TRUE(sharding::passes::RunPasses(CleanUpPasses(), &context).ok());
  EXPECT_FALSE(context.original.has_value());
  EXPECT_EQ(context.module.text(), module->text());
  EXPECT_EQ(context.module.num_instructions(), module->num_instructions());
  EXPECT_TRUE(context.module.entry().names_elements);
}

// Forty functions that each refer to the one before twice, by an operation such as `call(x)`.
std::string ErrorOfDoubled(const std::string& op) {
  std::string text = "HloModule m\n\nfn0 {\n  ROOT x = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string callee = "to_apply=fn" + std::to_string(i - 1) + "\n";
    text += (i == 40 ? "ENTRY e {\n" : "fn" + std::to_string(i) + " {\n");
    text += "  x = f32[] parameter(0)\n  y = f32[] " + op + "(x), " + callee;
    text += "  ROOT z = f32[] " + op + "(y), " + callee + "}\n";
  }
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return std::string(CleanUp(*module).status().message());
}

// The pass follows calls, too, so that its stage helps only where others refer.
TEST(PassesTest, RefusesMoreClonesThanMemoryHolds) {
  const std::string hint = "--stage=pass takes the module as it is";
  EXPECT_NE(ErrorOfDoubled("map").find(hint), std::string::npos) << ErrorOfDoubled("map");
  const std::string of_calls = ErrorOfDoubled("call");
  EXPECT_NE(of_calls.find("more than 10000000 instructions"), std::string::npos) << of_calls;
  EXPECT_EQ(of_calls.find(hint), std::string::npos) << of_calls;
}

}  // namespace
}  // namespace tessera::pipeline::passes
