#include "tessera/pipeline/shard.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/passes/propagate/rule_book.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::pipeline {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kMlp[] = R"(HloModule mlp

ENTRY main {
  x = f32[8,16] parameter(0), metadata={op_name="batch"}
  w1 = f32[16,32] parameter(1), metadata={op_name="params['w1']"}
  h = f32[8,32] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="mlp/up"}
  ROOT y = f32[8,32] tanh(h)
}
)";

hlo::Module Parse(const std::string& text) { return *hlo::ParseModule(text); }

ShardOptions WithMesh() {
  ShardOptions options;
  options.mesh = *ParseMeshFlag("data=4,model=2");
  return options;
}

// A call is inlined by new lines, and a constraint becomes a line of its own.
TEST(ShardTest, LinesEndAsTheyDidInTheFile) {
  const std::string text =
      R"(HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["data"=4, "model"=2]>}}

callee {
  p = f32[8,16] parameter(0)
  n = f32[8,16] negate(p)
  ROOT t = f32[8,16] tanh(n)
}

ENTRY main {
  x = f32[8,16] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  y = f32[8,16] call(x), to_apply=callee
  z = f32[8,16] add(y, x)
  ROOT r = (f32[8,16], f32[8,16]) tuple(z, y)
}
)";
  const std::string crlf = absl::StrReplaceAll(text, {{"\n", "\r\n"}});
  const std::string unix_form = ShardModule(Parse(text), ShardOptions())->text;
  EXPECT_EQ(ShardModule(Parse(crlf), ShardOptions())->text,
            absl::StrReplaceAll(unix_form, {{"\n", "\r\n"}}));
}

// A mesh and annotations from outside: parameters by path, an instruction by op_name.
TEST(ShardTest, AnnotatesByHand) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("batch=P('data')"),
                         *ParseAnnotation(R"(params\['w.*=P(None,'model'))")};
  const auto result = ShardModule(Parse(kMlp), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->text, HasSubstr("num_partitions=8"));
  EXPECT_THAT(result->text, HasSubstr("x = f32[8,16] parameter(0), "
                                      "sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}"));
  EXPECT_THAT(result->text,
              HasSubstr("tanh(h), sharding={mesh['data'=4,'model'=2], [{'data'}, {'model'}]}"));
}

// Ops and values have numbers that each pass may overwrite; who asks for a rule or a sharding
// afterwards need not know.
TEST(ShardTest, RulesOfOpsDoNotDependOnTheNumbersThatPassesLeave) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("batch=P('data')")};
  const auto s = Propagate(Parse(kMlp), options);
  ASSERT_TRUE(s.ok()) << s.status();
  const auto rules = [&] {
    std::vector<std::string> found;
    sharding::program::ForEachOp(*(*s)->program, [&](sharding::passes::Op* op) {
      const auto* rule = (*s)->run->RuleOf(op);
      found.push_back(rule == nullptr ? "" : RuleToString(*rule));
    });
    return found;
  };
  const auto specs = [&] {
    std::vector<std::string> found;
    for (const Tensor& tensor : ListTensors(**s)) found.push_back(tensor.name + ": " + tensor.spec);
    return found;
  };
  const std::vector<std::string> before = rules(), specs_before = specs();
  EXPECT_THAT(before, Contains(HasSubstr("reduction={k}")));
  EXPECT_THAT(specs_before, Contains("x: P('data', None)"));
  for (const int32_t left_over : {-1, 0, 2}) {
    sharding::program::ForEachOp(*(*s)->program, [&](sharding::passes::Op* op) {
      op->number = left_over;
      for (sharding::passes::Value& result : op->results) result.set_number(left_over);
    });
    EXPECT_EQ(rules(), before);
    EXPECT_EQ(specs(), specs_before);
  }
}

// Runs with a book that others have read are as those that derive each rule.
TEST(ShardTest, RulesOfEarlierRunsChangeNothing) {
  sharding::passes::RuleBooks books;
  for (const char* mesh : {"data=4,model=2", "data=2,model=4", "model=8"}) {
    for (const char* annotation :
         {"w1=P(None,'model')", "w1=P('model')", "batch=P(None,'model')"}) {
      ShardOptions options;
      options.mesh = *ParseMeshFlag(mesh);
      options.annotations = {*ParseAnnotation(annotation)};
      const auto alone = ShardModule(Parse(kMlp), options);
      options.rule_books = &books;
      const auto result = ShardModule(Parse(kMlp), options);
      ASSERT_TRUE(alone.ok() && result.ok()) << alone.status() << result.status();
      EXPECT_EQ(result->text, alone->text);
    }
  }
  const std::shared_ptr<sharding::passes::RuleBook> book = books.Take();
  ASSERT_NE(book, nullptr);
  EXPECT_EQ(books.Take(), nullptr);  // one for all of them
  EXPECT_EQ(book->registry.num_remembered(), 2u);
}

// One pattern may match more than was meant.
TEST(ShardTest, TellsWhichTensorsAPatternIsFor) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("^x$=P('data')"), *ParseAnnotation(".*=P('data')")};
  const auto result = ShardModule(Parse(kMlp), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->notes,
              ElementsAre("note: the annotation '.*=P('data',)' is for 2 parameters: x, w1\n"));
}

TEST(ShardTest, TellsThatAModuleIsPartitionedAlready) {
  constexpr char kCompiled[] =
      "HloModule m, is_scheduled=true, num_partitions=8\n\nENTRY e {\n  ROOT x = f32[6] "
      "parameter(0)\n}\n";
  EXPECT_THAT(ShardModule(Parse(kCompiled), {})->notes,
              ElementsAre(HasSubstr("it no longer says how arrays are sharded")));
}

TEST(ShardTest, AConstraintIsACopyAfterTheValue) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("mlp/up=P('model',None)")};
  const auto result = ShardModule(Parse(kMlp), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->text,
              HasSubstr(" copy(h), sharding={mesh['data'=4,'model'=2], [{'model'}, {}]}"));
}

// What the parameter of the body takes from outside comes with the manual axis; Shardy's verifier
// refuses it at the other member.
TEST(ShardTest, GroupsDoNotBringManualAxesInside) {
  constexpr char kModule[] =
      R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}

xla.sdy.manual_computation_body {
  p = f32[4] parameter(0)
  g = () custom-call(p), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="0 : i64"}
  o = f32[4] iota(), iota_dimension=0
  h = () custom-call(o), custom_call_target="xla.sdy.ShardingGroup", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding_group_id="0 : i64"}
  ROOT s = f32[4] add(p, o)
}

ENTRY e {
  x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", \"b\"}]>"}
  i = f32[4] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\", ?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
  c = f32[4] call(i), to_apply=xla.sdy.manual_computation_body
  ROOT l = f32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\", ?}]>]>"}
}
)";
  const auto result = ShardModule(Parse(kModule), ShardOptions());
  EXPECT_THAT(result.status().message(), HasSubstr("an axis that is manual around them"));
}

TEST(ShardTest, AShardMapIsReadAgain) {
  constexpr char kModule[] =
      R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=4]>}}

xla.sdy.manual_computation_body {
  p = f32[2] parameter(0)
  ROOT s = f32[2] negate(p)
}

ENTRY e {
  x = f32[8] parameter(0)
  i = f32[2] custom-call(x), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>"}
  c = f32[2] call(i), to_apply=xla.sdy.manual_computation_body
  ROOT l = f32[8] custom-call(c), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"a\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"a\"}]>]>"}
}
)";
  const auto once = ShardModule(Parse(kModule), ShardOptions());
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_THAT(once->text, HasSubstr("SPMDFullToShardShape"));
  const auto twice = ShardModule(Parse(once->text), ShardOptions());
  EXPECT_TRUE(twice.ok()) << twice.status();
}

TEST(ShardTest, OfSeveralAnnotationsTheLastCounts) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("mlp/up=P('data',None)"),
                         *ParseAnnotation("^h$=P('model',None)")};
  const auto result = ShardModule(Parse(kMlp), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->text,
              HasSubstr(" copy(h), sharding={mesh['data'=4,'model'=2], [{'model'}, {}]}"));
  EXPECT_THAT(result->text,
              Not(HasSubstr("copy(h), sharding={mesh['data'=4,'model'=2], [{'data'}")));
}

// Named form by default, but for older releases, and where the module has xla.sdy attributes.
TEST(ShardTest, FormOfTheResult) {
  const char* const named = "sharding={mesh['data'=4,'model'=2], [{'data'}, {}]}";
  const char* const tiled = "sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}";
  const auto shard = [](const std::string& text, Format format, const char* release) {
    ShardOptions options = WithMesh();
    options.reference = *sharding::reference::FindReference(release);
    options.format = format;
    options.annotations = {*ParseAnnotation("batch=P('data')")};
    const auto result = ShardModule(Parse(text), options);
    return result.ok() ? result->text : result.status().ToString();
  };
  const std::string sdy = absl::StrReplaceAll(
      kMlp, {{"HloModule mlp", "HloModule mlp, frontend_attributes={xla.sdy.meshes={}}"}});
  EXPECT_THAT(shard(kMlp, Format::kAuto, "0.12.0.1"), HasSubstr(named));
  EXPECT_THAT(shard(kMlp, Format::kAuto, "0.11.2"), HasSubstr(named));
  EXPECT_THAT(shard(kMlp, Format::kAuto, "0.11.0"), HasSubstr(tiled));
  EXPECT_THAT(shard(sdy, Format::kAuto, "0.12.0.1"), HasSubstr(tiled));
  EXPECT_THAT(shard(sdy, Format::kV3, "0.12.0.1"), HasSubstr(named));
  EXPECT_THAT(shard(kMlp, Format::kV2, "0.12.0.1"), HasSubstr(tiled));
  EXPECT_THAT(shard(kMlp, Format::kV3, "0.10.2"), HasSubstr(named));
}

// Where the sharding of a value has no axes, its mesh shows if the devices have an order.
TEST(ShardTest, EmptyShardingsOfMeshesWithDeviceIds) {
  constexpr char kText[] = R"(HloModule m, num_partitions=4

ENTRY e {
  p = f32[8] parameter(0), sharding={mesh['a'=4], device_ids=(1,0,3,2), [{}]}
  ROOT n = f32[8] negate(p)
}
)";
  const auto shard = [&](const char* release) {
    ShardOptions options;
    options.reference = *sharding::reference::FindReference(release);
    return ShardModule(Parse(kText), options)->text;
  };
  EXPECT_THAT(shard("0.12.0.1"),
              HasSubstr("parameter(0), sharding={mesh['a'=4], device_ids=(1,0,3,2), [{}]}"));
  EXPECT_THAT(shard("0.11.2"), HasSubstr("parameter(0), sharding={mesh[], replicated}"));
}

// Dumps of the pass name elements of tuples in place, and so does the new module.
TEST(ShardTest, NewModulesAreCompactAsTheDumpsOfTheRelease) {
  constexpr char kText[] = R"(HloModule m, num_partitions=4

ENTRY e {
  p = (f32[8], f32[8]) parameter(0)
  x = f32[8] get-tuple-element(p), index=0
  o = (f32[8], f32[8]) opt-barrier(p)
  y = f32[8] get-tuple-element(o), index=1
  ROOT a = f32[8] add(x, y)
}
)";
  const auto shard = [&](const char* release) {
    ShardOptions options;
    options.structure = Structure::kXla;
    options.reference = *sharding::reference::FindReference(release);
    return ShardModule(Parse(kText), options)->text;
  };
  EXPECT_THAT(shard("0.12.0.1"), HasSubstr("#1)"));
  EXPECT_THAT(shard("0.12.0.1"), Not(HasSubstr("get-tuple-element")));
  EXPECT_THAT(shard("0.10.2"), HasSubstr("get-tuple-element"));
}

// Four do not divide six: of `data` two are kept, or all if asked.
TEST(ShardTest, BoundariesAreEvenUnlessAsked) {
  constexpr char kSix[] = "HloModule six\n\nENTRY e {\n  ROOT x = f32[6] parameter(0)\n}\n";
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("x=P('data')")};
  EXPECT_THAT(ShardModule(Parse(kSix), options)->text,
              HasSubstr("sharding={mesh['data'=4,'model'=2], [{'data':(1)2}]}"));
  EXPECT_THAT(
      ShardModule(Parse(kSix), options)->notes,
      ElementsAre("note: x: P('data',) does not divide f32[6]; trimmed to "
                  "<@mesh, [{\"data\":(1)2}]> (`tessera shard --uneven-boundaries` keeps it; "
                  "JAX refuses such an argument)\n"));
  options.exporting.even_boundaries = false;
  EXPECT_THAT(ShardModule(Parse(kSix), options)->notes, ElementsAre());
  EXPECT_THAT(ShardModule(Parse(kSix), options)->text,
              HasSubstr("sharding={mesh['data'=4,'model'=2], [{'data'}]}"));
}

// Shardy's plan from [{a}, {b}] to [{b}, {a}]: a permute, then an all-to-all of half of `a`.
TEST(ShardTest, ExplicitCollectivesAreCopies) {
  constexpr char kAdd[] = R"(HloModule m

ENTRY e {
  x = f32[16,32] parameter(0), sharding={mesh['a'=4,'b'=2], [{'a'}, {'b'}]}
  y = f32[16,32] parameter(1), sharding={mesh['a'=4,'b'=2], [{'b'}, {'a'}]}
  ROOT z = f32[16,32] add(x, y), sharding={mesh['a'=4,'b'=2], [{'b'}, {'a'}]}
}
)";
  ShardOptions options;
  EXPECT_THAT(ShardModule(Parse(kAdd), options)->text, Not(HasSubstr("copy(")));
  options.exporting.explicit_collectives = true;
  EXPECT_THAT(
      ShardModule(Parse(kAdd), options)->text,
      AllOf(HasSubstr(" copy(x), sharding={mesh['a'=4,'b'=2], [{'b', 'a':(2)2}, {'a':(1)2}]}"),
            HasSubstr(" copy(x.reshard), sharding={mesh['a'=4,'b'=2], [{'b'}, {'a'}]}")));
}

TEST(ShardTest, ARuleOfNoCustomCallIsNoted) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("batch=P('data')")};
  options.rules = {{"flop", "([i])->([i])"}};
  EXPECT_THAT(ShardModule(Parse(kMlp), options)->notes,
              ::testing::Contains("note: --rule=flop=..: no custom call of this module has the "
                                  "target 'flop'\n"));
}

TEST(ShardTest, SaysWhatIsWrong) {
  const auto message = [](ShardOptions options) {
    return std::string(ShardModule(Parse(kMlp), options).status().message());
  };
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("nothing=P('data')")};
  EXPECT_THAT(message(options), HasSubstr("matches no parameter and no instruction"));
  options.annotations = {*ParseAnnotation("batch=P('other')")};
  EXPECT_THAT(message(options), HasSubstr("no axis 'other'"));
  options.mesh.reset();
  EXPECT_THAT(message(options), HasSubstr("needs a mesh"));
}

// As explain writes it: a pattern that matches nothing is a name, where there is one.
TEST(ShardTest, AnArgumentPathAnnotatesAsItStands) {
  const std::string hlo =
      "HloModule m\nENTRY e {\n  ROOT p = f32[8] parameter(0), metadata={op_name=\"q['w']\"}\n}\n";
  ShardOptions options = WithMesh();
  for (const char* const text : {"q['w']=P('data')", "^q['w']$=P('data')"}) {
    options.annotations = {*ParseAnnotation(text)};
    EXPECT_THAT(ShardModule(Parse(hlo), options)->text, HasSubstr("sharding=")) << text;
  }
  options.annotations = {*ParseAnnotation("q['v']=P('data')")};
  EXPECT_FALSE(ShardModule(Parse(hlo), options).ok());
}

// Each annotation of "a" is the same mistake.
TEST(ShardTest, OneErrorForAMeshWithoutAnAxisOfTheModule) {
  const std::string hlo =
      R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=4]>}}
ENTRY e {
  p = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  q = f32[8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  ROOT r = f32[8] add(p, q)
}
)";
  ShardOptions options;
  options.mesh = *ParseMeshFlag("b=4");
  const std::string message(ShardModule(Parse(hlo), options).status().message());
  EXPECT_THAT(
      message,
      HasSubstr("the mesh has no axis \"a\"; it has \"b\"; --mesh replaces the "
                "module's mesh, which also has \"a\"; errors of 1 more annotations are left out"));
  EXPECT_THAT(message, Not(HasSubstr("%q")));
}

// Partial sums along one axis cannot become partial sums along another.
TEST(ShardTest, PointsAtTheReshardThatCannotBe) {
  const std::string hlo =
      R"(HloModule m, num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=4, "b"=2]>}}
ENTRY e {
  p = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}], unreduced={\"a\"}>"}
  c = f32[8] custom-call(p), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}], unreduced={\"b\"}>]>"}
  ROOT r = f32[8] negate(c)
}
)";
  EXPECT_THAT(std::string(ShardModule(Parse(hlo), ShardOptions()).status().message()),
              HasSubstr(":4:3: error: %c: axes cannot become unreduced"));
}

TEST(ShardTest, TellsOfShardingsThatXlaWouldDrop) {
  const std::string text = "ENTRY e { ROOT x = f32[8] parameter(0), sharding={devices=[2]<=[2]} }";
  const auto dropped = ShardModule(Parse(text), {});
  ASSERT_TRUE(dropped.ok()) << dropped.status();
  ASSERT_EQ(dropped->notes.size(), 1u);
  EXPECT_THAT(dropped->notes[0], HasSubstr("--import=hlo"));
  EXPECT_THAT(dropped->text, Not(HasSubstr("sharding=")));
  ShardOptions options;
  options.import = sharding::passes::Encoding::kGspmd;
  const auto read = ShardModule(Parse(text), options);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->text, HasSubstr("sharding={mesh['_axis_0'=2], [{'_axis_0'}]}"));
}

TEST(ShardTest, TellsOfMeshesThatDoNotFitAndOfNothingToDo) {
  constexpr char kTwo[] =
      "HloModule two, num_partitions=2\n\nENTRY e {\n  ROOT x = f32[6] parameter(0)\n}\n";
  const auto fewer = ShardModule(Parse(kTwo), WithMesh());
  EXPECT_THAT(fewer->notes,
              testing::Contains(HasSubstr("8 devices, the module has num_partitions=2")));
  const auto nothing = ShardModule(Parse(kTwo), {});
  EXPECT_THAT(nothing->notes, testing::Contains(HasSubstr("nothing in this module says")));
}

TEST(ShardTest, ListsTensorsInTheAxesOfTheMesh) {
  ShardOptions options = WithMesh();
  options.annotations = {*ParseAnnotation("batch=P('data')")};
  const auto sharded = Propagate(Parse(kMlp), options);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  std::string text;
  for (const Tensor& t : ListTensors(**sharded)) text += t.name + " " + t.spec + "\n";
  EXPECT_EQ(
      text,
      "x P('data', None)\nw1 P()\nh P('data'?, UNCONSTRAINED)\ny P('data'?, UNCONSTRAINED)\n");
}

std::vector<std::string> FinalSpecs(const std::string& text) {
  auto sharded = Propagate(Parse(text), ShardOptions());
  EXPECT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_TRUE(Finalize(ShardOptions(), sharded->get()).ok());
  std::vector<std::string> specs;
  for (const Tensor& t : ListTensors(**sharded)) {
    specs.push_back(
        absl::StrCat(t.name, " ", layout::ShapeToString(t.shape->WithoutLayout()), " ", t.spec));
  }
  return specs;
}

// A module with a loop of four runs. Element 0 of its state, of this type, counts.
std::string LoopModule(const std::string& state, const std::string& body,
                       const std::string& entry) {
  return absl::StrCat(
      R"(HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2]>}}
body {
  p = )",
      state, R"( parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
)",
      body, R"(}
condition {
  q = )",
      state, R"( parameter(0)
  i = s32[] get-tuple-element(q), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[8] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  z = s32[] constant(0)
)",
      entry, "}\n");
}

// Element 1 changes; element 2, a constant, is sunk into the body.
TEST(ShardTest, ElementsOfALoopHaveTheShardingOfItsResult) {
  const std::vector<std::string> specs = FinalSpecs(
      LoopModule("(s32[], f32[8], f32[4,4])", R"(  x = f32[8] get-tuple-element(p), index=1
  k = f32[4,4] get-tuple-element(p), index=2
  y = f32[8] negate(x)
  ROOT r = (s32[], f32[8], f32[4,4]) tuple(j, y, k)
)",
                 R"(  k = f32[4,4] constant({{1,2,3,4},{1,2,3,4},{1,2,3,4},{1,2,3,4}})
  s = (s32[], f32[8], f32[4,4]) tuple(z, x, k)
  w = (s32[], f32[8], f32[4,4]) while(s), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(w), index=1
)"));
  EXPECT_THAT(specs, testing::IsSupersetOf({"p{1} f32[8] P('a',)", "w{1} f32[8] P('a',)"}));
  EXPECT_THAT(specs, testing::Each(Not(testing::StartsWith("w{2}"))));
}

// r lays out a result and is whole; s is x, row-major as it is, and sharded.
TEST(ShardTest, ReshapeThatLaysOutAResultHasTheShardingOfTheResult) {
  EXPECT_THAT(
      FinalSpecs(
          R"(HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2]>}}
ENTRY e {
  x = f32[8,4]{1,0} parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  t = f32[4,8]{0,1} transpose(x), dimensions={1,0}
  r = f32[4,8]{1,0} reshape(t)
  whole = f32[4,8]{1,0} custom-call(r), custom_call_target="xla.sdy.FuncResultSharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}
  s = f32[8,4]{1,0} reshape(x)
  part = f32[8,4]{1,0} custom-call(s), custom_call_target="xla.sdy.FuncResultSharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"}
  ROOT all = (f32[4,8]{1,0}, f32[8,4]{1,0}) tuple(whole, part)
}
)"),
      testing::IsSupersetOf(
          {"t f32[4,8] P(None, 'a')", "r f32[4,8] P()", "s f32[8,4] P('a', None)"}));
}

// The body shards w, which the module keeps whole outside of the loop.
TEST(ShardTest, WhatALoopCapturesHasTheShardingThatItHasThere) {
  const std::vector<std::string> specs = FinalSpecs(LoopModule(
      "(s32[], f32[8], f32[4,8])", R"(  x = f32[8] get-tuple-element(p), index=1
  w = f32[4,8] get-tuple-element(p), index=2
  z = s32[] constant(0)
  d = f32[1,8] dynamic-slice(w, i, z), dynamic_slice_sizes={1,8}
  s = f32[8] reshape(d)
  y = f32[8] multiply(x, s)
  ROOT r = (s32[], f32[8], f32[4,8]) tuple(j, y, w)
)",
      R"(  w = f32[4,8] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {}]>"}
  s = (s32[], f32[8], f32[4,8]) tuple(z, x, w)
  l = (s32[], f32[8], f32[4,8]) while(s), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(l), index=1
)"));
  EXPECT_THAT(specs,
              testing::IsSupersetOf({"w f32[4,8] P()", "l{2} f32[4,8] P(None, 'a')",
                                     "p{2} f32[4,8] P(None, 'a')", "d f32[1,8] P(None, 'a')"}));
}

TEST(ShardTest, ReadsNamedReplicatedShardingsWithoutAMesh) {
  EXPECT_THAT(
      FinalSpecs(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[8,4] parameter(0), sharding={mesh['a'=4], [{'a'}, {}]}
  y = f32[8,4] parameter(1), sharding={mesh[], replicated}
  ROOT r = f32[8,4] add(x, y), sharding={mesh['a'=4], [{'a'}, {}]}
}
)"),
      testing::ElementsAre("x f32[8,4] P('a', None)", "y f32[8,4] P()", "r f32[8,4] P('a', None)"));
}

TEST(ShardTest, ReadsFlags) {
  EXPECT_EQ(ParseAnnotation("a=P(x)=P('y')")->pattern, "a=P(x)");
  EXPECT_FALSE(ParseAnnotation("a").ok());
  EXPECT_FALSE(ParseAnnotation("(=P('y')").ok());
  EXPECT_EQ(ParseMeshFlag("a=2, b=3")->num_devices(), 6);
  EXPECT_FALSE(ParseMeshFlag("a").ok());
  EXPECT_FALSE(ParseMeshFlag("a=0").ok());
}

}  // namespace
}  // namespace tessera::pipeline
