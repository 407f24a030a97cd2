// Small modules through the whole job, written in both structures.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Shard(const std::string& text, Structure structure) {
  absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  if (!module.ok()) return module.status().ToString();
  ShardOptions options;
  options.structure = structure;
  options.stage = Stage::kPass;
  absl::StatusOr<ShardResult> result = ShardModule(*module, options);
  return result.ok() ? result->text : result.status().ToString();
}

std::string Header(const std::string& rest) {
  return "HloModule m, num_partitions=4, "
         "frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"a\"=4]>}}\n\n" +
         rest;
}

std::string Parameter(const std::string& name, const std::string& number,
                      const std::string& sharding) {
  return "  " + name + " = f32[8,8]{1,0} parameter(" + number +
         "), frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, " + sharding + ">\"}\n";
}

std::string Constraint(const std::string& name, const std::string& operand,
                       const std::string& dims) {
  return "  " + name + " = f32[8,8]{1,0} custom-call(" + operand +
         "), custom_call_target=\"Sharding\", "
         "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, " +
         dims + ">]>\"}\n";
}

TEST(KeepWriter, ChangesNothingButShardings) {
  const std::string text =
      Header("ENTRY %e {  // a comment\n" + Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
             "  ROOT  %n = f32[8,8]{1,0} negate( %x ), metadata={op_name=\"n\"}\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("HloModule m, num_partitions=4\n"));
  EXPECT_THAT(kept, HasSubstr("ENTRY %e {  // a comment\n"));
  EXPECT_THAT(kept, HasSubstr("%x = f32[8,8]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}\n"));
  EXPECT_THAT(kept, HasSubstr("negate( %x ), sharding={devices=[4,1]<=[4]}, metadata={op_name="));
}

// The operands of a concatenation along a sharded dimension are resharded, and so is its result.
const char kConcatenate[] = "  ROOT %c = f32[16,8]{1,0} concatenate(%x, %y), dimensions={0}\n}\n";

TEST(KeepWriter, InsertsCopies) {
  const std::string text = Header("ENTRY %e {\n" + Parameter("%x", "0", "[{}, {\\\"a\\\"}]") +
                                  Parameter("%y", "1", "[{\\\"a\\\"}, {}]") + kConcatenate);
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept,
              HasSubstr("%y.reshard = f32[8,8]{1,0} copy(%y), sharding={devices=[1,4]<=[4]}"));
  EXPECT_THAT(kept, HasSubstr("concatenate(%x, %y.reshard), dimensions={0}, sharding="));
}

TEST(KeepWriter, ConstraintsBecomeCopiesAndMarksGo) {
  const std::string text = Header(
      "ENTRY %e {\n" + Parameter("%x", "0", "[{?}, {?}]") +
      Constraint("%s", "%x", "[{}, {\\\"a\\\"}]") +
      "  %r = f32[8,8]{1,0} custom-call(%s), custom_call_target=\"xla.sdy.FuncResultSharding\", "
      "custom_call_has_side_effect=true, "
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{}, "
      "{\\\"a\\\"}]>]>\"}\n"
      "  ROOT %t = (f32[8,8]{1,0}) tuple(%r)\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%s = f32[8,8]{1,0} copy(%x), sharding={devices=[1,4]<=[4]}\n"));
  EXPECT_THAT(kept, HasSubstr("tuple(%s)"));
  EXPECT_THAT(kept, Not(HasSubstr("xla.sdy")));
}

// The pass sums up for each reader of a partial constraint by a copy of its own; all are like the one
// that stands in the text.
TEST(KeepWriter, ReadersOfAConstraintShareItsCopy) {
  const std::string text = Header("ENTRY %e {\n" + Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
                                  Constraint("%k", "%x", "[{}, {}], unreduced={\\\"a\\\"}") +
                                  "  %s = f32[8,8]{1,0} add(%x, %k)\n"
                                  "  %u = f32[8,8]{1,0} tanh(%k)\n"
                                  "  ROOT %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%s, %u)\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%k = f32[8,8]{1,0} copy(%x), sharding={replicated}\n"));
  EXPECT_THAT(kept, Not(HasSubstr("reshard")));
}

std::string InGroup(const std::string& name, const std::string& member) {
  return "  " + name + " = () custom-call(" + member +
         "), custom_call_target=\"xla.sdy.ShardingGroup\", custom_call_has_side_effect=true, "
         "frontend_attributes={xla.sdy.sharding_group_id=\"0 : i64\"}\n";
}

// A group whose members disagree gives readers of %v the copies of both constraints. Those in the
// text are then read by nobody, also the one that the other one reads.
TEST(KeepWriter, ConstraintsThatNobodyReadsShowNothing) {
  const std::string text =
      Header("ENTRY %e {\n" + Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
             "  %v = f32[8,8]{1,0} add(%x, %x)\n" + Constraint("%c", "%v", "[{\\\"a\\\"}, {?}]") +
             Constraint("%d", "%c", "[{}, {}]") + InGroup("%g", "%d") + InGroup("%h", "%v") +
             "  ROOT %n = f32[8,8]{1,0} negate(%v)\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("  %c = f32[8,8]{1,0} copy(%v)\n"));
  EXPECT_THAT(kept, HasSubstr("  %d = f32[8,8]{1,0} copy(%c)\n"));
  EXPECT_THAT(kept, HasSubstr("negate(%v.reshard.1)"));
}

TEST(KeepWriter, ClonesConstantsThatSplit) {
  const std::string text =
      Header("ENTRY %e {\n" + Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
             Parameter("%y", "1", "[{}, {\\\"a\\\"}]") +
             "  %z = f32[] constant(1)\n  %b = f32[8,8]{1,0} broadcast(%z), dimensions={}\n"
             "  %p = f32[8,8]{1,0} add(%x, %b)\n  %q = f32[8,8]{1,0} add(%y, %b)\n"
             "  ROOT %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%p, %q)\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%b.clone = f32[8,8]{1,0} broadcast(%z), dimensions={}, sharding="));
  EXPECT_THAT(kept, HasSubstr("add(%x, %b), sharding={devices=[4,1]<=[4]}"));
  EXPECT_THAT(kept, HasSubstr("add(%y, %b.clone), sharding={devices=[1,4]<=[4]}"));
}

// The two calls of one computation come out with different shardings: the text needs two of it.
TEST(KeepWriter, ClonesComputationsThatSplit) {
  const std::string text = Header(
      "%f (v: f32[8,8]) -> f32[8,8] {\n  %v = f32[8,8]{1,0} parameter(0)\n"
      "  ROOT %m = f32[8,8]{1,0} negate(%v)\n}\n\nENTRY %e {\n" +
      Parameter("%x", "0", "[{\\\"a\\\"}, {}]") + Parameter("%y", "1", "[{}, {\\\"a\\\"}]") +
      "  %c = f32[8,8]{1,0} call(%x), to_apply=%f, frontend_attributes={inlineable=\"false\"}\n"
      "  %d = f32[8,8]{1,0} call(%y), to_apply=%f, frontend_attributes={inlineable=\"false\"}\n"
      "  ROOT %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%c, %d)\n}\n");
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%m = f32[8,8]{1,0} negate(%v), sharding={devices=[4,1]<=[4]}"));
  EXPECT_THAT(kept, HasSubstr("to_apply=%f.clone, sharding={devices=[1,4]<=[4]}"));
}

// A capture of a loop is copied in front of it; here it is an element of a tuple that no line takes
// apart.
TEST(KeepWriter, TakesTuplesApartForCopies) {
  const std::string text =
      "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
      "#sdy.mesh<[\"a\"=4]>},xla.sdy.tuple_args_shardings=\"#sdy.sharding_per_value<[<@mesh, "
      "[{\\\"a\\\"}, {}]>, <@mesh, [{\\\"a\\\"}, {}]>]>\"}\n\n"
      "%body (p: (f32[8,8], f32[8,8])) -> (f32[8,8], f32[8,8]) {\n"
      "  %p = (f32[8,8]{1,0}, f32[8,8]{1,0}) parameter(0)\n"
      "  %w = f32[8,8]{1,0} get-tuple-element(%p), index=0\n"
      "  %h = f32[8,8]{1,0} get-tuple-element(%p), index=1\n"
      "  %m = f32[8,8]{1,0} multiply(%h, %w)\n"
      "  ROOT %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%w, %m)\n}\n\n"
      "%cond (q: (f32[8,8], f32[8,8])) -> pred[] {\n"
      "  %q = (f32[8,8]{1,0}, f32[8,8]{1,0}) parameter(0)\n"
      "  ROOT %true = pred[] constant(true)\n}\n\n"
      "ENTRY %e (x: (f32[8,8], f32[8,8])) -> (f32[8,8], f32[8,8]) {\n"
      "  %x = (f32[8,8]{1,0}, f32[8,8]{1,0}) parameter(0)\n"
      "  ROOT %l = (f32[8,8]{1,0}, f32[8,8]{1,0}) while(%x), condition=%cond, body=%body\n}\n";
  const std::string kept = Shard(text, Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%x.0.reshard = f32[8,8]{1,0} copy(%x.0), sharding={devices=[4,1]"));
  EXPECT_THAT(kept, HasSubstr("tuple(%x.0.reshard, %x.1)"));
  EXPECT_THAT(kept, HasSubstr("while(%x.tuple)"));
}

struct LineCase {
  const char* lines;  // after the parameters %x and %y, which are sharded apart
  std::vector<const char*> expected;
};

// Operands that are no lines of the text get one where they must change; an element of a tuple that
// is named in place needs none.
const LineCase kLineCases[] = {
    {"  %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%x, %y)  // both\n"
     "  %o = (f32[8,8]{1,0}, f32[8,8]{1,0}) opt-barrier(%t)\n"
     "  ROOT %c = f32[16,8]{1,0} concatenate(%o#0, %o#1), dimensions={0}\n}\n",
     {"tuple(%x, %y), sharding={{devices=[1,4]<=[4]}, {devices=[4,1]<=[4]}}  // both\n",
      "%o_1.reshard = f32[8,8]{1,0} copy(%o#1), sharding={devices=[1,4]<=[4]}\n",
      "concatenate(%o#0, %o_1.reshard), dimensions={0}, sharding={devices=[1,4]<=[4]}\n"}},
    {"  ROOT %c = f32[16,8]{1,0} concatenate(%x, f32[8,8] tanh(f32[8,8] sine(%y))), "
     "dimensions={0}\n}\n",
     {"%sine.anon = f32[8,8]{1,0} sine(%y), sharding={devices=[4,1]<=[4]}\n",
      "%tanh.anon = f32[8,8]{1,0} tanh(%sine.anon), sharding={devices=[4,1]<=[4]}\n",
      "%tanh.anon.reshard = f32[8,8]{1,0} copy(%tanh.anon), sharding={devices=[1,4]<=[4]}\n",
      "concatenate(%x, %tanh.anon.reshard)"}},
    {"  ROOT %c = f32[16,8]{1,0} concatenate(/*a, b*/ %x, %y // c,\n  ), /* d, */ "
     "dimensions={0}\n}\n",
     {"concatenate(/*a, b*/ %x, %y.reshard // c,\n  ), /* d, */ dimensions={0}, sharding="}},
};

TEST(KeepWriter, WritesLinesForOperandsWithoutOne) {
  for (const LineCase& c : kLineCases) {
    const std::string kept =
        Shard(Header("ENTRY %e {\n" + Parameter("%x", "0", "[{}, {\\\"a\\\"}]") +
                     Parameter("%y", "1", "[{\\\"a\\\"}, {}]") + c.lines),
              Structure::kKeep);
    for (const char* expected : c.expected) EXPECT_THAT(kept, HasSubstr(expected));
    EXPECT_TRUE(hlo::ParseModule(kept).ok()) << kept;
  }
}

TEST(KeepWriter, OperandsWithoutALineStayWhereNothingChanges) {
  const std::string text =
      "HloModule m\n\nENTRY e {\n  t = (f32[8], f32[8]) parameter(0)\n"
      "  ROOT a = f32[8] add(t#0, f32[8] tanh(t#1))\n}\n";
  EXPECT_EQ(Shard(text, Structure::kKeep), text);
}

TEST(KeepWriter, ACallWithoutResultsHasItsOwnSharding) {
  const std::string sharding = "sharding={{single_device[device_id=0]}}";
  const std::string text =
      "HloModule m, num_partitions=4\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  c = () custom-call(x), custom_call_target=\"xla_ffi_python_cpu_callback\", "
      "custom_call_has_side_effect=true, " +
      sharding + "\n  ROOT n = f32[8] negate(x)\n}\n";
  EXPECT_THAT(Shard(text, Structure::kKeep), HasSubstr("=true, " + sharding));
  EXPECT_THAT(Shard(text, Structure::kXla), HasSubstr("=true, " + sharding));
}

TEST(KeepWriter, TheResultOfALoopThatIsGoneLiesAsItBegan) {
  const std::string state = "(s32[], f32[8,8]{1,0})";
  const std::string text = Header(
      "%body (p: (s32[], f32[8,8])) -> (s32[], f32[8,8]) {\n  %p = " + state +
      " parameter(0)\n  %i = s32[] get-tuple-element(%p), index=0\n"
      "  %one = s32[] constant(1)\n  %next = s32[] add(%i, %one)\n"
      "  %v = f32[8,8]{1,0} get-tuple-element(%p), index=1\n  ROOT %t = " +
      state + " tuple(%next, %v)\n}\n\n%cond (q: (s32[], f32[8,8])) -> pred[] {\n  %q = " + state +
      " parameter(0)\n  %j = s32[] get-tuple-element(%q), index=0\n"
      "  %five = s32[] constant(5)\n  ROOT %less = pred[] compare(%j, %five), direction=LT\n}\n\n"
      "ENTRY %e {\n" +
      Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
      "  %n = f32[8,8]{1,0} negate(%x)\n  %zero = s32[] constant(0)\n  %s = " + state +
      " tuple(%zero, %n)\n  %l = " + state +
      " while(%s), condition=%cond, body=%body\n"
      "  ROOT %r = f32[8,8]{1,0} get-tuple-element(%l), index=1\n}\n");
  EXPECT_THAT(Shard(text, Structure::kXla), Not(HasSubstr("while(")));
  EXPECT_THAT(Shard(text, Structure::kKeep),
              HasSubstr("get-tuple-element(%l), index=1, sharding={devices=[4,1]<=[4]}\n"));
}

TEST(KeepWriter, ASingleInstructionBecomesAModule) {
  const std::string kept = Shard("%n = f32[8] negate(f32[8] %x)", Structure::kKeep);
  EXPECT_THAT(kept, HasSubstr("%x = f32[8]{0} parameter(0)\n  ROOT %n = f32[8]{0} negate(%x)"));
}

TEST(XlaWriter, LeavesOutWhatNobodyNeeds) {
  const std::string text =
      Header("ENTRY %e {\n" + Parameter("%x", "0", "[{\\\"a\\\"}, {}]") +
             "  %dead = f32[8,8]{1,0} sine(%x)\n  ROOT %n = f32[8,8]{1,0} negate(%x)\n}\n");
  const std::string made = Shard(text, Structure::kXla);
  EXPECT_THAT(made, Not(HasSubstr("sine")));
  EXPECT_THAT(made, HasSubstr("negate(%"));
  EXPECT_THAT(made, HasSubstr("sharding={devices=[4,1]<=[4]}"));
}

TEST(XlaWriter, LoopsCarryWhatTheyCaptureAfterWhatChanges) {
  const std::string text = Header(
      "%body (p: (f32[8,8], f32[8,8])) -> (f32[8,8], f32[8,8]) {\n"
      "  %p = (f32[8,8]{1,0}, f32[8,8]{1,0}) parameter(0)\n"
      "  %w = f32[8,8]{1,0} get-tuple-element(%p), index=0\n"
      "  %h = f32[8,8]{1,0} get-tuple-element(%p), index=1\n"
      "  %m = f32[8,8]{1,0} multiply(%h, %w)\n"
      "  ROOT %t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%w, %m)\n}\n\n"
      "%cond (q: (f32[8,8], f32[8,8])) -> pred[] {\n"
      "  %q = (f32[8,8]{1,0}, f32[8,8]{1,0}) parameter(0)\n  ROOT %true = pred[] "
      "constant(true)\n}\n\n"
      "ENTRY %e {\n" +
      Parameter("%x", "0", "[{\\\"a\\\"}, {}]") + Parameter("%y", "1", "[{}, {}]") +
      "  %s = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(%x, %y)\n"
      "  %l = (f32[8,8]{1,0}, f32[8,8]{1,0}) while(%s), condition=%cond, body=%body\n"
      "  ROOT %r = f32[8,8]{1,0} get-tuple-element(%l), index=1\n}\n");
  const std::string made = Shard(text, Structure::kXla);
  // %w never changes: it is captured, after the one element that does change.
  EXPECT_THAT(made, HasSubstr("get-tuple-element(%l), index=0"));
  EXPECT_THAT(Shard(text, Structure::kKeep), HasSubstr("get-tuple-element(%l), index=1"));
}

// A shard_map's call may be inlined once the pass is over; in place its line stays.
TEST(XlaWriter, DropsInlineableOfShardMaps) {
  const std::string in_out = "\"#sdy.sharding_per_value<[<@mesh, [{\\\"a\\\"}, {}]>]>\"";
  const std::string axes = "xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"a\\\"}>\"";
  const std::string text = Header(
      "xla.sdy.manual_computation_body.1 {\n  p = f32[2,8]{1,0} parameter(0)\n"
      "  ROOT n = f32[2,8]{1,0} negate(p)\n}\n\nENTRY e {\n" +
      Parameter("x", "0", "[{?}, {?}]") +
      "  g = f32[2,8]{1,0} custom-call(x), custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
      "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings=" +
      in_out + "," + axes +
      "}\n  c = f32[2,8]{1,0} call(g), to_apply=xla.sdy.manual_computation_body.1, "
      "frontend_attributes={inlineable=\"false\",own=\"1\"}\n"
      "  ROOT l = f32[8,8]{1,0} custom-call(c), custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
      "custom_call_has_side_effect=true, frontend_attributes={" +
      axes + ",xla.sdy.out_shardings=" + in_out + "}\n}\n");
  const std::string made = Shard(text, Structure::kXla);
  EXPECT_THAT(made, HasSubstr("frontend_attributes={own=\"1\"}"));
  EXPECT_THAT(made, Not(HasSubstr("inlineable=")));
}

}  // namespace
}  // namespace tessera::pipeline
