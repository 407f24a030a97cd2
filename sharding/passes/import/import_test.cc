// Small modules, and the program on which propagation would run.

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/text/program_text.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::passes {
namespace {

constexpr char kHead[] =
    "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
    "#sdy.mesh<[\"a\"=2, \"b\"=2]>}}\n\n";

using ImportResult = absl::StatusOr<std::unique_ptr<Context>>;

ImportResult ImportModule(const hlo::Module& module, const ImportOptions& options = {}) {
  auto context = std::make_unique<Context>();
  context->module = module;
  context->import = options;
  PassOptions pass_options;
  pass_options.behaviors = options.behaviors;
  const absl::Status status =
      RunPasses(Concatenate({ImportPasses(), PreparePasses(pass_options)}), context.get());
  if (!status.ok()) return status;
  return context;
}

std::string Import(const std::string& body, const ImportOptions& options = {}) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(absl::StrCat(kHead, body));
  if (!module.ok()) return std::string(module.status().message());
  const ImportResult result = ImportModule(*module, options);
  return result.ok() ? ProgramOutline(*(*result)->program) : std::string(result.status().message());
}

// An invariant of a loop becomes a capture, opened where it has a sharding.
TEST(ImportTest, Loop) {
  EXPECT_EQ(Import(R"(cond {
  q = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  n = s32[] constant(5)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  q = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(q), index=0
  x = f32[8] get-tuple-element(q), index=1
  w = f32[8] get-tuple-element(q), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8] add(x, w)
  ROOT t = (s32[], f32[8], f32[8]) tuple(j, y, w)
}
ENTRY e {
  x0 = f32[8] parameter(0)
  w0 = f32[8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  zero = s32[] constant(0)
  init = (s32[], f32[8], f32[8]) tuple(zero, x0, w0)
  r = (s32[], f32[8], f32[8]) while(init), condition=cond, body=body
  ROOT out = f32[8] get-tuple-element(r), index=1
}
)"),
            R"(entry e(%arg0, %arg1 [{"a"}]) {
  %zero = constant()
  %constraint [{?}] = constraint(%arg1)
  %r#0, %r#1 = while(%zero, %arg0)
  block 0(%arg0', %arg1') {
    %n = constant()
    %lt = compare(%arg0', %n)
    return(%lt)
  }
  block 1(%arg0'2, %arg1'2) {
    %one = constant()
    %j = add(%arg0'2, %one)
    %y = add(%arg1'2, %constraint)
    return(%j, %y)
  }
  %edge = edge(%r#0)
  %edge' = edge(%r#1)
  return(%edge') -> none
}
)");
}

// The parameter of a branch is its operand.
TEST(ImportTest, Branches) {
  EXPECT_EQ(Import(R"(f {
  q = (f32[8]) parameter(0)
  x = f32[8] get-tuple-element(q), index=0
  n = f32[8] negate(x)
  ROOT t = (f32[8]) tuple(n)
}
g {
  q = (f32[8]) parameter(0)
  x = f32[8] get-tuple-element(q), index=0
  ROOT t = (f32[8]) tuple(x)
}
ENTRY e {
  x = f32[8] parameter(0)
  k = s32[] parameter(1)
  a = (f32[8]) tuple(x)
  r = (f32[8]) conditional(k, a, a), branch_computations={f, g}
  ROOT y = f32[8] get-tuple-element(r), index=0
}
)"),
            R"(entry e(%arg0, %arg1) {
  %r = case(%arg1)
  block 0() {
    %n = negate(%arg0)
    return(%n)
  }
  block 1() {
    return(%arg0)
  }
  %edge = edge(%r)
  return(%edge) -> none
}
)");
}

// A function that is called twice is copied; its parameter sharding is that of the region.
TEST(ImportTest, Calls) {
  EXPECT_EQ(Import(R"(f {
  x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  ROOT n = f32[8] negate(x)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] call(x), to_apply=f, frontend_attributes={inlineable="false"}
  ROOT z = f32[8] call(y), to_apply=f, frontend_attributes={inlineable="false"}
}
)"),
            R"(entry e(%arg0) {
  %y = named(%arg0, f)
  block 0(%arg0' [{"a"}]) {
    %edge [{"a"}] = edge(%arg0')
    %n = negate(%edge)
    return(%n)
  }
  %edge' = edge(%y)
  %z = named(%edge', f)
  block 0(%arg0'2 [{"a"}]) {
    %edge'2 [{"a"}] = edge(%arg0'2)
    %n' = negate(%edge'2)
    return(%n')
  }
  %edge'3 = edge(%z)
  return(%edge'3) -> none
}
)");
}

// Three calls make one manual computation; the body sees its argument without manual axes.
TEST(ImportTest, Manual) {
  EXPECT_EQ(Import(R"(xla.sdy.manual_computation_body {
  x = f32[4] parameter(0)
  ROOT n = f32[4] negate(x)
}
ENTRY e {
  x = f32[8] parameter(0)
  g = f32[4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\", ?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
  c = f32[4] call(g), to_apply=xla.sdy.manual_computation_body
  ROOT l = f32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\", ?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
}
)"),
            R"(entry e(%arg0) {
  %c [{"a", ?}] = manual(%arg0, axes=a)
  block 0(%arg0' [{"a", ?}]) {
    %edge [{?}] = edge(%arg0')
    %n = negate(%edge)
    return(%n)
  }
  %edge' [{"a", ?}] = edge(%c)
  return(%edge') -> none
}
)");
}

// The same where shardings name axes: Sharding calls say the in-shardings, the call its manual
// axes.
TEST(ImportTest, ManualInNamedForm) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(R"(HloModule m, num_partitions=4

xla.sdy.manual_computation_body {
  x = f32[4] parameter(0)
  s = f32[] parameter(1)
  n = f32[4] negate(x)
  ROOT t = (f32[4], f32[]) tuple(n, s)
}
ENTRY e {
  x = f32[8] parameter(0)
  s = f32[] parameter(1)
  xs = f32[8] custom-call(x), custom_call_target="Sharding", custom_call_has_side_effect=true, sharding={mesh['a'=2,'b'=2], [{'a', ?}]}
  ss = f32[] custom-call(s), custom_call_target="Sharding", custom_call_has_side_effect=true, sharding={mesh['a'=2,'b'=2], replicated}
  g = (f32[4], f32[]) custom-call(xs, ss), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, sharding={{mesh['a'=2,'b'=2], [{?}], manual={'a'}}, {mesh['a'=2,'b'=2], [], manual={'a'}}}
  c = (f32[4], f32[]) call(g#0, g#1), to_apply=xla.sdy.manual_computation_body, sharding={{mesh['a'=2,'b'=2], [{?}], manual={'a'}}, {mesh['a'=2,'b'=2], [], manual={'a'}}}, frontend_attributes={inlineable="xla_late"}
  l = (f32[8], f32[]) custom-call(c#0, c#1), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, sharding={{mesh['a'=2,'b'=2], [{'a', ?}]}, {mesh['a'=2,'b'=2], replicated}}
  ROOT r = f32[8] get-tuple-element(l), index=0
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const ImportResult result = ImportModule(*module);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ProgramOutline(*(*result)->program), R"(entry e(%arg0, %arg1 [] replicated="a") {
  %c#0 [{"a", ?}], %c#1 [] replicated="a" = manual(%arg0, %arg1, axes=a)
  block 0(%arg0' [{"a", ?}], %arg1' [] replicated="a") {
    %edge [{?}] = edge(%arg0')
    %edge' [] = edge(%arg1')
    %n = negate(%edge)
    return(%n, %edge')
  }
  %edge'2 [{"a", ?}] = edge(%c#0)
  %edge'3 [] replicated="a" = edge(%c#1)
  return(%edge'2) -> none
}
)");
}

TEST(ImportTest, ManualInNamedFormNeedsItsConstraints) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(R"(HloModule m, num_partitions=4

xla.sdy.manual_computation_body { ROOT x = f32[4] parameter(0) }
ENTRY e {
  x = f32[8] parameter(0), sharding={mesh['a'=2,'b'=2], [{'a'}]}
  g = f32[4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", sharding={mesh['a'=2,'b'=2], [{?}], manual={'a'}}
  c = f32[4] call(g), to_apply=xla.sdy.manual_computation_body, sharding={mesh['a'=2,'b'=2], [{?}], manual={'a'}}
  ROOT l = f32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", sharding={mesh['a'=2,'b'=2], [{'a', ?}]}
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(ImportModule(*module).status().message(),
            "%c: operand 0 of xla.sdy.GlobalToLocalShape must come from a custom call Sharding "
            "with its in-sharding");
}

// Marks of the user; a closed constraint binds its operand.
TEST(ImportTest, Marks) {
  EXPECT_EQ(Import(R"(ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] negate(x)
  c = f32[8] custom-call(y), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>"}
  b = f32[8] custom-call(c), custom_call_target="xla.sdy.PropagationBarrier", frontend_attributes={xla.sdy.allowed_direction="1 : i32"}
  g = () custom-call(y), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="7 : i64"}
  h = () custom-call(x), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="7 : i64"}
  r = f32[8] custom-call(b), custom_call_target="xla.sdy.FuncResultSharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"b\", ?}]>]>"}
  ROOT t = (f32[8]) tuple(r)
}
)"),
            R"(entry e(%arg0) {
  %y [{"a"}] = negate(%arg0)
  group(%y, id=0)
  group(%arg0, id=0)
  %c [{"a"}] = constraint(%y)
  %b = barrier(%c, direction=forward)
  return(%b) -> [{"b", ?}]
}
)");
}

// Users after a chain of constraints read its end.
TEST(ImportTest, Chain) {
  EXPECT_EQ(Import(R"(ENTRY e {
  x = f32[8] parameter(0)
  c = f32[8] custom-call(x), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>"}
  d = f32[8] custom-call(c), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"b\"}]>]>"}
  n = f32[8] negate(x)
  ROOT t = (f32[8], f32[8]) tuple(d, n)
}
)"),
            R"(entry e(%arg0 [{"a"}]) {
  %c [{"a"}] = constraint(%arg0)
  %d [{"b"}] = constraint(%c)
  %n = negate(%d)
  return(%d, %n) -> none -> none
}
)");
}

// A closed constraint binds a value whose sharding says nothing; not so before 0.12.
TEST(ImportTest, ConstraintOnASilentSharding) {
  constexpr char kModule[] = R"(ENTRY e {
  x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}]>"}
  y = f32[8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{?}], replicated={\"a\"}>"}
  c = f32[8] custom-call(x), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"b\"}]>]>"}
  d = f32[8] custom-call(y), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"b\"}]>]>"}
  ROOT t = (f32[8], f32[8]) tuple(c, d)
}
)";
  constexpr char kRest[] = R"( {
  %c [{"b"}] = constraint(%arg0)
  %d [{"b"}] = constraint(%arg1)
  return(%c, %d) -> none -> none
}
)";
  const std::string second = R"(, %arg1 [{?}] replicated="a"))";
  EXPECT_EQ(Import(kModule), absl::StrCat("entry e(%arg0 [{\"b\"}]", second, kRest));
  ImportOptions before;
  before.behaviors.empty_open_shardings_take_constraints = false;
  EXPECT_EQ(Import(kModule, before), absl::StrCat("entry e(%arg0 [{?}]", second, kRest));
}

// A conditional on a PRED has edges like any other; before 0.12 it stopped propagation.
TEST(ImportTest, ConditionalOnAPred) {
  constexpr char kModule[] = R"(f {
  x = f32[8] parameter(0)
  ROOT n = f32[8] negate(x)
}
g {
  ROOT x = f32[8] parameter(0)
}
ENTRY e {
  x = f32[8] parameter(0)
  p = pred[] parameter(1)
  ROOT r = f32[8] conditional(p, x, x), true_computation=f, false_computation=g
}
)";
  constexpr char kBlocks[] = R"((%arg1)
  block 0() {
    %n = negate(%arg0)
    return(%n)
  }
  block 1() {
    return(%arg0)
  }
)";
  EXPECT_EQ(Import(kModule), absl::StrCat("entry e(%arg0, %arg1) {\n  %r = case", kBlocks,
                                          "  %edge = edge(%r)\n  return(%edge) -> none\n}\n"));
  ImportOptions before;
  before.behaviors.pred_conditionals_propagate = false;
  EXPECT_EQ(Import(kModule, before), absl::StrCat("entry e(%arg0, %arg1) {\n  %r = if", kBlocks,
                                                  "  return(%r) -> none\n}\n"));
}

// Constraints bind before calls are inlined: what they know of unreduced axes is then written on
// the call, and its other results become open.
TEST(ImportTest, ConstraintOnTheResultOfACall) {
  constexpr char kModule[] = R"(f {
  x = f32[8] parameter(0)
  ROOT t = (f32[8], f32[8]) tuple(x, x)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = (f32[8], f32[8]) call(x), to_apply=f, frontend_attributes={inlineable="false"}
  y0 = f32[8] get-tuple-element(y), index=0
  y1 = f32[8] get-tuple-element(y), index=1
  c = f32[8] custom-call(y0), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"b\"}], unreduced={\"a\"}>]>"}
  ROOT t = (f32[8], f32[8]) tuple(c, y1)
}
)";
  constexpr char kBlock[] = R"(
  block 0(%arg0') {
    %edge = edge(%arg0')
    return(%edge, %edge)
  }
)";
  EXPECT_EQ(Import(kModule),
            absl::StrCat("entry e(%arg0) {\n  %y#0 [{?}] unreduced=\"a\", %y#1 [{?}] = "
                         "named(%arg0, f)",
                         kBlock, R"(  %edge' [{?}] unreduced="a" = edge(%y#0)
  %edge'2 [{?}] = edge(%y#1)
  %c [{"b"}] unreduced="a" = constraint(%edge')
  return(%c, %edge'2) -> none -> none
}
)"));
  ImportOptions before;
  before.behaviors.constraints_bind_before_inlining = false;
  EXPECT_EQ(Import(kModule, before),
            absl::StrCat("entry e(%arg0) {\n  %y#0, %y#1 = named(%arg0, f)", kBlock,
                         R"(  %edge' [{?}] unreduced="a" = edge(%y#0)
  %c [{"b"}] unreduced="a" = constraint(%edge')
  %edge'2 = edge(%y#1)
  return(%c, %edge'2) -> none -> none
}
)"));
}

// One private copy of a constant expression for each consumer, the return included.
TEST(ImportTest, Constants) {
  EXPECT_EQ(Import(R"(ENTRY e {
  c = f32[] constant(1)
  b = f32[8] broadcast(c), dimensions={}
  n = f32[8] add(b, b)
  x = f32[8] parameter(0)
  u = f32[8] multiply(x, n)
  v = f32[8] divide(u, n)
  ROOT t = (f32[8], f32[8]) tuple(v, b)
}
)"),
            R"(entry e(%arg0) {
  %c = constant()
  %b = broadcast(%c)
  %b' = broadcast(%c)
  %b'2 = broadcast(%c)
  %n = add(%b, %b)
  %n' = add(%b', %b')
  %u = multiply(%arg0, %n)
  %v = divide(%u, %n')
  return(%v, %b'2) -> none -> none
}
)");
}

// Large splats, conversions to PRED, unsorted broadcasts, reshapes that change nothing, dead code.
TEST(ImportTest, Splat) {
  EXPECT_EQ(Import(R"(ENTRY e {
  p = f32[64] parameter(0)
  c = f32[64] constant({1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1})
  s = f32[4] constant({2,2,2,2})
  m = f32[64] multiply(p, c)
  k = pred[64] convert(m)
  q = f32[2,3] parameter(1)
  w = f32[3,5,2] broadcast(q), dimensions={2,0}
  r = f32[64] reshape(m)
  dead = f32[64] negate(r)
  ROOT t = (f32[64], pred[64], f32[3,5,2], f32[4]) tuple(r, k, w, s)
}
)"),
            R"(entry e(%arg0, %arg1) {
  %c = constant()
  %c' = broadcast(%c)
  %m = multiply(%arg0, %c')
  %k = constant()
  %k' = broadcast(%k)
  %k'2 = compare(%m, %k')
  %w = transpose(%arg1)
  %w' = broadcast(%w)
  %s = constant()
  return(%m, %k'2, %w', %s) -> none -> none -> none -> none
}
)");
}

// Annotations that contradict themselves are refused, at their place.
TEST(ImportTest, Refuses) {
  const auto expect = [](const std::string& body, const std::string& part) {
    const std::string answer = Import(body);
    EXPECT_NE(answer.find(part), std::string::npos) << answer;
  };
  const auto call = [](const std::string& rest) {
    return absl::StrCat("ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT c = f32[8] custom-call(x), ",
                        "custom_call_target=", rest, "\n}\n");
  };
  expect(call("\"Sharding\""), "has no xla.sdy.sharding that lists");
  expect(call("\"xla.sdy.PropagationBarrier\""), "xla.sdy.allowed_direction");
  expect(call("\"xla.sdy.ShardingGroup\""), "has no users");
  expect(
      "ENTRY e { ROOT x = f32[8] parameter(0), "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"z\\\"}]>\"} }",
      "\"z\"");
  expect(
      "ENTRY e { ROOT x = f32[8] parameter(0), "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, {}]>\"} }",
      "2 dimensions");
}

// The reference goes on here, with a sharding of four of the six devices.
TEST(ImportTest, SubAxisAcrossTheAxesOfTheMeshThatTakesOver) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(
      R"(HloModule m, num_partitions=6, frontend_attributes={xla.sdy.meshes={
  coarse = #sdy.mesh<["x"=6]>, fine = #sdy.mesh<["u"=3, "v"=2]>}}

ENTRY e {
  p = f32[18] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@fine, [{\"u\"}]>"}
  q = f32[18] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@coarse, [{\"x\":(1)2}]>"}
  ROOT r = f32[18] add(p, q)
}
)");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = ImportModule(*module).status();
  EXPECT_EQ(
      status.message(),
      "%q: in xla.sdy.sharding: a sub-axis ends inside \"u\" of size 3 of the mesh that its own "
      "mesh is merged with (both have the same devices); write it in the axes of that mesh, as a "
      "divisor of the size");
  EXPECT_EQ(module->text()->text().substr(text::ErrorOffset(status), 16), "xla.sdy.sharding");
}

TEST(ImportTest, ElementsThatATupleDoesNotHave) {
  const auto element = [](absl::string_view parameter, int index) {
    return Import(absl::StrCat("ENTRY e { p = ", parameter,
                               " parameter(0) ROOT n = f32[2] get-tuple-element(p), index=", index,
                               " }"));
  };
  EXPECT_EQ(element("f32[2]", 0), "%n: the operand of get-tuple-element must be a tuple");
  EXPECT_EQ(element("(f32[2])", 1), "%n: the operand has no element of this index");
  EXPECT_EQ(element("(f32[3])", 0), "%n: an element must have the shape that it has in the tuple");
}

}  // namespace
}  // namespace tessera::sharding::passes
