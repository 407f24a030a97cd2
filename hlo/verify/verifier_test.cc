#include "tessera/hlo/verifier.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
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

// Each line after `p = f32[8,8]`, `i = s32[]`, `t` a pair of f32[8,8], `z` an empty tuple and `k`
// a token; XLA's parser reads all of them, code after the verifier would read what is not there.
constexpr char kTypedOperands[] =
    "HloModule m\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
    "lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), "
    "direction=LT }\n"
    "none { ROOT a = f32[8,8] constant(0) }\n"
    "ENTRY e {\n"
    "p = f32[8,8] parameter(0)\n"
    "i = s32[] parameter(1)\n"
    "t = (f32[8,8], f32[8,8]) parameter(2)\n"
    "z = () parameter(3)\n"
    "k = token[] parameter(4)\n"
    "ROOT r = ";

class TypedOperandsTest : public ::testing::TestWithParam<Case> {};

TEST_P(TypedOperandsTest, Finding) {
  const auto module = ParseModule(absl::StrCat(kTypedOperands, GetParam().lines, "\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const text::Diagnostics found = VerifyModule(*module);
  const std::string rendered = found.Render(*module->text());
  EXPECT_EQ(
      rendered.substr(0, rendered.find("\n")),
      *GetParam().finding == '\0' ? "" : absl::StrCat("<text>:11:1: error: ", GetParam().finding));
}

#define GATHER "offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, "
#define SCATTER "inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, to_apply=add, "
constexpr Case kTypedCases[] = {
    {"EmptyTuple", "() tuple()", ""},
    {"BarrierShape", "f32[] opt-barrier(p)",
     "opt-barrier 'r': the dimensions of f32[8,8] become those of f32[]"},
    {"BarrierKind", "(token[]) opt-barrier(p)",
     "opt-barrier 'r': the dimensions of f32[8,8] become those of (token[])"},
    {"CallResult", "((), ()) call(), to_apply=none",
     "call 'r': the result of the callee is f32[8,8]{1,0} but should be ((), ())"},
    {"BroadcastDimensions", "f32[8,8] broadcast(p), dimensions={}",
     "broadcast 'r': dimensions has 0 entries, the operand rank 2"},
    {"RngState", "f32[8,8] rng-bit-generator(z), algorithm=rng_default",
     "rng-bit-generator 'r': operand 0 is () but should be an array"},
    {"CholeskyOfTuple", "f32[8,8] cholesky(z)",
     "cholesky 'r': operand 0 is () but should be an array"},
    {"SolveOfTuple", "f32[8,8] triangular-solve(p, z), left_side=true, transpose_a=NO_TRANSPOSE",
     "triangular-solve 'r': operand 1 is () but should be an array"},
    {"ScatterAlone", "f32[8,8] scatter(p), update_window_dims={}, " SCATTER "index_vector_dim=1",
     "scatter 'r': takes at least 3 operands, got 1"},
    {"SortOfNothing", "f32[8,8] sort(), dimensions={0}, to_apply=lt",
     "sort 'r': takes at least 1 operands, got 0"},
    {"SortOfTwoSizes", "(f32[8,8], s32[]) sort(p, i), dimensions={0}, to_apply=lt",
     "sort 'r': computation 'lt' has 2 parameters but should have 4"},
    {"ReduceScatterOfNothing", "f32[8,8] reduce-scatter(), dimensions={0}, to_apply=add",
     "reduce-scatter 'r': takes at least 1 operands, got 0"},
    {"DotOfTuples", "f32[8,8] dot(t, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "dot 'r': operand 0 is (f32[8,8], f32[8,8]) but should be an array"},
    {"DotTwice", "f32[8,8] dot(p, p), lhs_contracting_dims={1,1}, rhs_contracting_dims={0,0}",
     "dot 'r': a dimension number is out of range or comes twice"},
    {"WindowInit", "f32[8,8] reduce-window(p, p), window={size=1x1}, to_apply=add",
     "reduce-window 'r': operand 1 is f32[8,8] but should be a scalar"},
    {"ReduceToArrays", "f32[8] reduce(p, i), dimensions={0}, to_apply=none",
     "reduce 'r': computation 'none' has 0 parameters but should have 2"},
    {"ReduceInit", "f32[8] reduce(p, p), dimensions={0}, to_apply=add",
     "reduce 'r': operand 1 is f32[8,8] but should be a scalar"},
    {"DependencyOnArray", "f32[8,8] add-dependency(p, p)",
     "add-dependency 'r': operand 1 is f32[8,8] but should be a token"},
    {"DoneOfArray", "f32[8,8] all-gather-done(p)",
     "all-gather-done 'r': operand 0 is f32[8,8] but should be a tuple"},
    {"BitcastOfTuple", "f32[8,8] bitcast(t)",
     "bitcast 'r': operand 0 is (f32[8,8], f32[8,8]) but should be an array"},
    {"PermuteOfToken", "f32[8,8] collective-permute(k), source_target_pairs={{0,1}}",
     "collective-permute 'r': operand 0 is token[] but should be an array or a tuple"},
    {"SliceOfTuple", "f32[8,8] dynamic-slice(t), dynamic_slice_sizes={1,1}",
     "dynamic-slice 'r': operand 0 is (f32[8,8], f32[8,8]) but should be an array"},
    {"SliceStarts", "f32[8,8] dynamic-slice(p, p, p), dynamic_slice_sizes={8,8}",
     "dynamic-slice 'r': start index 0 is f32[8,8] but should be an integer"},
    {"UpdateOfTuple", "f32[8,8] dynamic-update-slice(t, t)",
     "dynamic-update-slice 'r': operand 0 is (f32[8,8], f32[8,8]) but should be an array"},
    {"ElementIndex", "f32[8,8] get-tuple-element(t), index=3",
     "get-tuple-element 'r': there is no element 3 in (f32[8,8]{1,0}, f32[8,8]{1,0})"},
    {"ElementOfArray", "f32[8,8] get-tuple-element(p), index=0",
     "get-tuple-element 'r': operand 0 is f32[8,8] but should be a tuple"},
    {"FusionArity", "f32[8,8] fusion(p), kind=kCustom, calls=none",
     "fusion 'r': computation 'none' has 0 parameters but should have 1"},
    {"AllToAllOfNothing", "f32[8,8] all-to-all(), dimensions={0}",
     "all-to-all 'r': takes at least 1 operands, got 0"},
    {"MapOfNothing", "f32[8,8] map(), to_apply=add", "map 'r': takes at least 1 operands, got 0"},
    {"MapArity", "f32[8,8] map(p), to_apply=add",
     "map 'r': computation 'add' has 2 parameters but should have 1"},
    {"ConcatenateNothing", "f32[8,8] concatenate(), dimensions={0}",
     "concatenate 'r': takes at least 1 operands, got 0"},
    {"AddTokens", "f32[8,8] add(p, k)", "add 'r': operand 1 is token[] but should be an array"},
    {"ConvolutionRank", "f32[8,8] convolution(p, p), window={size=1}, dim_labels=b0f_0io->b0f",
     "convolution 'r': window, labels and operands differ in their dimensions"},
    {"AfterArray", "token[] after-all(p)",
     "after-all 'r': operand 0 is f32[8,8] but should be a token"},
    {"PadValue", "f32[8,8] pad(p, p), padding=0_0x0_0",
     "pad 'r': operand 1 is f32[8,8] but should be a scalar"},
    {"GatherMap", "f32[] gather(p, i), " GATHER "index_vector_dim=0, slice_sizes={1,1}",
     "gather 'r': start_index_map has 2 entries, an index 1 parts"},
    {"GatherWindow",
     "f32[8] gather(p, p), offset_dims={}, collapsed_slice_dims={0,5}, start_index_map={0,1,2,3,"
     "4,5,6,7}, index_vector_dim=1, slice_sizes={1,1}",
     "gather 'r': offset_dims and slice_sizes differ"},
    {"ScatterUpdates",
     "f32[8,8] scatter(p, i, p), update_window_dims={}, " SCATTER "index_vector_dim=0",
     "scatter 'r': scatter_dims_to_operand_dims has 2 entries, an index 1 parts"},
    {"WhileState", "f32[8,8] while(p), condition=lt, body=none",
     "while 'r': computation 'none' has 0 parameters but should have 1"},
    {"BranchParameters", "f32[8,8] conditional(i, p), branch_computations={none}",
     "conditional 'r': computation 'none' has 0 parameters but should have 1"},
    {"SelectAndScatter",
     "f32[8,8] select-and-scatter(p, p, p), window={size=1x1}, select=lt, "
     "scatter=add",
     "select-and-scatter 'r': operand 2 is f32[8,8] but should be a scalar"},
    {"NormOfMatrix",
     "(f32[8,8], f32[8], f32[8]) batch-norm-training(p, p, p), epsilon=1, feature_index=0",
     "batch-norm-training 'r': operand 1 is f32[8,8] but should have one element a feature"},
    {"RaggedCount", "f32[8,8] ragged-all-to-all(p), replica_groups={}",
     "ragged-all-to-all 'r': takes at least 6 operands, got 1"},
};
INSTANTIATE_TEST_SUITE_P(All, TypedOperandsTest, ::testing::ValuesIn(kTypedCases),
                         [](const auto& c) { return std::string(c.param.name); });

// As a dump that is cut off in front of its ENTRY: the last computation is taken for it.
TEST(VerifierHeaderTest, NamesTheEntryThatTheLayoutDoesNotFit) {
  const auto module = ParseModule(
      "HloModule m, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}\n\n"
      "fused { ROOT p = f32[2] parameter(0) }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(VerifyModule(*module).all()[0].message,
            "entry_computation_layout has 2 parameters, the entry 'fused' has 1; no computation is "
            "marked ENTRY: is the file cut off?");
}

// Dimensions are marked in a word where they fit into one.
TEST(VerifierRankTest, DimensionsThatComeTwiceInHighRanks) {
  for (const int rank : {63, 64, 65, 200}) {
    std::string shape = "f32[2";
    for (int i = 1; i < rank; ++i) absl::StrAppend(&shape, ",1");
    for (const bool twice : {false, true}) {
      const auto module = ParseModule(absl::StrCat(
          "ENTRY e { p = ", shape, "] parameter(0) ROOT r = ", shape, "] reverse(p), dimensions={",
          rank - 1, ",0", twice ? absl::StrCat(",", rank - 1) : "", "} }"));
      ASSERT_TRUE(module.ok()) << module.status();
      EXPECT_EQ(VerifyModule(*module).ok(), !twice) << rank;
    }
  }
}

// Of equal instructions the first is checked: two with other shardings or groups are not equal.
std::vector<std::string> Findings(const Module& module) {
  std::vector<std::string> findings;
  const text::Diagnostics found = VerifyModule(module);
  for (const text::Diagnostic& d : found.all()) findings.push_back(d.message);
  return findings;
}

TEST(VerifierFormTest, OtherShardingsAreChecked) {
  auto module = ParseModule(
      "HloModule m, num_partitions=2\n"
      "ENTRY e { p = f32[2] parameter(0)\n"
      "a = f32[2] negate(p), sharding={devices=[2]<=[2]}\n"
      "b = f32[2] negate(p), sharding={devices=[2,1]<=[2]}\n"
      "c = f32[2] negate(p), metadata={op_name=\"x\"}, sharding={devices=[2,1]<=[2]}\n"
      "ROOT d = f32[2] negate(p), sharding={devices=[2]<=[2]} }");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string why = "{devices=[2,1]<=[2]}: it splits 2 dimensions, the value has 1";
  EXPECT_EQ(Findings(*module),
            (std::vector<std::string>{"negate 'b': " + why, "negate 'c': " + why}));
  // The parser has not seen this one.
  module->SetAttribute(module->FindInstruction("d"), AttributeName::kSharding,
                       "{devices=[4]<=[4]}");
  EXPECT_EQ(Findings(*module).back(),
            "negate 'd': {devices=[4]<=[4]}: it has 4 devices, the program has 2");
}

TEST(VerifierFormTest, OtherGroupsAreChecked) {
  const auto module = ParseModule(
      "ENTRY e { p = f32[2] parameter(0)\n"
      "a = f32[4] all-gather(p), channel_id=1, replica_groups={{0,1}}, dimensions={0}\n"
      "b = f32[4] all-gather(p), channel_id=2, replica_groups={{0,1,2}}, dimensions={0}\n"
      "ROOT c = f32[4] all-gather(p), channel_id=3, replica_groups={{0,1}}, dimensions={0} }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Findings(*module),
            std::vector<std::string>{"all-gather 'b': dimension 0 is 4 but should be 6"});
}

// `depth` computations below the entry, each called by the one after it.
std::string ChainOfCalls(int depth) {
  std::string text = "level0 { ROOT x = f32[2] parameter(0) }\n";
  for (int i = 1; i < depth; ++i) {
    absl::StrAppend(&text, "level", i, " { x = f32[2] parameter(0) ",
                    "ROOT r = f32[2] call(x), to_apply=level", i - 1, " }\n");
  }
  return absl::StrCat(text, "ENTRY e { x = f32[2] parameter(0) ",
                      "ROOT r = f32[2] call(x), to_apply=level", depth - 1, " }");
}

// As the compiler of a TPU writes it; before a compilation it is a mistake.
TEST(VerifierScheduledTest, ABroadcastInAFusionRounds) {
  constexpr char kFusion[] =
      "f {\n  p = f32[] parameter(0)\n  ROOT b = $0[8] broadcast(p), dimensions={}\n}\n"
      "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = $0[8] fusion(x), kind=kLoop, calls=f\n}\n";
  const auto mistakes = [&](absl::string_view header, absl::string_view type) {
    const auto module =
        ParseModule(absl::StrCat("HloModule m", header, "\n\n", absl::Substitute(kFusion, type)));
    EXPECT_TRUE(module.ok()) << module.status();
    return VerifyModule(*module).Render(*module->text());
  };
  EXPECT_EQ(mistakes(", is_scheduled=true", "bf16"), "");
  EXPECT_NE(mistakes("", "bf16"), "");
  EXPECT_NE(mistakes(", is_scheduled=true", "s32"), "");
}

TEST(VerifierDepthTest, CallsNestAThousandDeep) {
  const auto deep = ParseModule(ChainOfCalls(1000));
  ASSERT_TRUE(deep.ok()) << deep.status();
  EXPECT_TRUE(VerifyModule(*deep).ok());
  const auto deeper = ParseModule(ChainOfCalls(1001));
  ASSERT_TRUE(deeper.ok()) << deeper.status();
  const text::Diagnostics found = VerifyModule(*deeper);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.all()[0].message,
            "%r: computations call each other more than 1000 deep, which is the limit");
}

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

// Each header in front of an entry of two parameters, an array and a pair.
struct HeaderCase {
  const char* name;
  const char* header;
  const char* finding;  // the first line of the error; empty: none
};

class HeaderTest : public ::testing::TestWithParam<HeaderCase> {};

TEST_P(HeaderTest, Finding) {
  const auto module = ParseModule(absl::StrCat(
      "HloModule m, ", GetParam().header,
      "\nENTRY e {\np = f32[2] parameter(0)\nq = (f32[2], (s32[4], token[])) parameter(1)\n"
      "n = f32[2] negate(p)\nROOT r = (f32[2], f32[2]) tuple(n, p)\n}"));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string rendered = VerifyModule(*module).Render(*module->text());
  EXPECT_EQ(rendered.substr(0, rendered.find('\n')), GetParam().finding);
}

constexpr HeaderCase kHeaderCases[] = {
    {"Good",
     "input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }, "
     "buffer_donor={ (1, {1,0}) }",
     ""},
    {"OnePartition", "num_partitions=1", ""},
    {"NoPartition", "num_partitions=0",
     "<text>:1:29: error: num_partitions=0: a module runs on one device or more"},
    {"PartitionsBelowZero", "replica_count=1, num_partitions=-8",
     "<text>:1:46: error: num_partitions=-8: a module runs on one device or more"},
    {"DonorOfNothing", "buffer_donor={ (900000000, {}) }",
     "<text>:1:29: error: buffer_donor: there is no parameter 900000000; the entry has 2"},
    {"DonorBelowZero", "buffer_donor={ (0, {}), (-5000000, {}) }",
     "<text>:1:38: error: buffer_donor: there is no parameter -5000000; the entry has 2"},
    {"AliasOfNothing", "input_output_alias={ {0}: (900000000, {}, may-alias) }",
     "<text>:1:40: error: input_output_alias: there is no parameter 900000000; the entry has 2"},
    {"AliasOfNoElement", "input_output_alias={ {0}: (1, {1,2}, may-alias) }",
     "<text>:1:40: error: input_output_alias: there is no array {1,2} in parameter 1, "
     "(f32[2]{0}, (s32[4]{0}, token[]))"},
    {"ElementOfAnArray", "buffer_donor={ (0, {0}) }",
     "<text>:1:29: error: buffer_donor: there is no array {0} in parameter 0, f32[2]{0}"},
    {"DonorOfATuple", "buffer_donor={ (1, {}) }",
     "<text>:1:29: error: buffer_donor: there is no array {} in parameter 1, "
     "(f32[2]{0}, (s32[4]{0}, token[]))"},
    {"DonorOfAToken", "buffer_donor={ (1, {1,1}) }",
     "<text>:1:29: error: buffer_donor: there is no array {1,1} in parameter 1, "
     "(f32[2]{0}, (s32[4]{0}, token[]))"},
    {"AliasOfTheWholeResult", "input_output_alias={ {}: (0, {}, may-alias) }",
     "<text>:1:39: error: input_output_alias: there is no array {} in the result, "
     "(f32[2]{0}, f32[2]{0})"},
    {"OneParameterForTwo",
     "input_output_alias={ {0}: (0, {}, may-alias), {1}: (0, {}, may-alias) }",
     "<text>:1:65: error: input_output_alias: parameter 0 at {} is the memory of another result "
     "already"},
    {"AliasAndDonor", "input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (0, {}) }",
     "<text>:1:77: error: buffer_donor: parameter 0 at {} is in input_output_alias already"},
    {"MustAliasOfAnotherType", "input_output_alias={ {0}: (1, {1,0}, must-alias) }",
     "<text>:1:40: error: input_output_alias: the result is f32[2]{0}, the parameter s32[4]{0}; "
     "with must-alias both must be alike"},
};
INSTANTIATE_TEST_SUITE_P(All, HeaderTest, ::testing::ValuesIn(kHeaderCases),
                         [](const auto& c) { return std::string(c.param.name); });

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
