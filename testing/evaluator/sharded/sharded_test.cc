// Modules under shardings of our own making: every tile of every device, and partial results.
#include "tessera/testing/evaluator/sharded/sharded.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/testing/evaluator/sharded/partial_sums.h"

namespace tessera::testing::evaluator {
namespace {

struct Row {
  const char* name;
  const char* annotations;  // separated by blanks
  int64_t partial_results;  // that the devices combine
  const char* entry;
};

constexpr Row kRows[] = {
    {"RowsOfADot", "p=P('x') ", 0,
     "p = f32[8,6] parameter(0) q = f32[6,4] parameter(1)\n"
     "ROOT d = f32[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"PartialDot", "p=P(None,'x') q=P('x',None) ", 1,
     "p = f32[8,6] parameter(0) q = f32[6,4] parameter(1)\n"
     "ROOT d = f32[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"PartialDotOfHalves", "p=P('x','y') q=P('y',None) ", 1,
     "p = bf16[8,6] parameter(0) q = bf16[6,4] parameter(1)\n"
     "ROOT d = bf16[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"PartialDotOfIntegers", "p=P(None,('x','y')) q=P(('x','y'),None) ", 1,
     "p = s32[8,6] parameter(0) q = s32[6,4] parameter(1)\n"
     "ROOT d = s32[8,4] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"PartialSums", "p=P('x','y') ", 1,
     "p = f32[7,6] parameter(0) z = f32[] constant(3)\n"
     "ROOT r = f32[6] reduce(p, z), dimensions={0}, to_apply=add"},
    {"PartialMaxima", "p=P(('x','y')) ", 1,
     "p = f32[9] parameter(0) z = f32[] constant(-3)\n"
     "ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply=max"},
    {"HalosOfAConvolution", "p=P(None,'x',None) ", 0,
     "p = f32[2,9,3] parameter(0) k = f32[3,3,4] parameter(1)\n"
     "ROOT c = f32[2,9,4] convolution(p, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"},
    {"FeaturesOfAConvolution", "p=P(None,None,'y') k=P(None,'y',None) ", 1,
     "p = f32[2,9,4] parameter(0) k = f32[3,4,4] parameter(1)\n"
     "ROOT c = f32[2,9,4] convolution(p, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"},
    {"TwoLayers", "p=P('x') q=P(None,'y') r=P('y',None) ", 1,
     "p = f32[8,6] parameter(0) q = f32[6,8] parameter(1) r = f32[8,6] parameter(2)\n"
     "h = f32[8,8] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
     "t = f32[8,8] tanh(h)\n"
     "ROOT d = f32[8,6] dot(t, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
};

absl::StatusOr<hlo::Module> ModuleOf(const Row& row) {
  return hlo::ParseModule(absl::StrCat(
      "HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) "
      "}\n"
      "max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] maximum(x, y) }\n"
      "ENTRY e {\n",
      row.entry, "\n}\n"));
}

pipeline::ShardOptions OptionsOf(const Row& row) {
  pipeline::ShardOptions options;
  options.mesh = *pipeline::ParseMeshFlag("x=2,y=2");
  options.exporting.even_boundaries = false;  // 7 rows on two devices, too
  const std::string text = row.annotations;
  for (size_t at = 0, end; (end = text.find(") ", at)) != std::string::npos; at = end + 2)
    options.annotations.push_back(*pipeline::ParseAnnotation(
        absl::StrCat("^", text.substr(at, text.find('=', at) - at), "$",
                     text.substr(text.find('=', at), end + 1 - text.find('=', at)))));
  return options;
}

TEST(ShardedTest, DevicesAgreeWithOne) {
  for (const Row& row : kRows) {
    const absl::StatusOr<hlo::Module> module = ModuleOf(row);
    ASSERT_TRUE(module.ok()) << row.name << module.status();
    const absl::StatusOr<ShardedRun> run = ShardedRun::Create(*module, OptionsOf(row));
    ASSERT_TRUE(run.ok()) << row.name << run.status();
    BlockRunner runner(*module, Budget(), run->Rules(Poison::kNan));
    const absl::StatusOr<Value> out = runner.Run(MakeInputs(*module));
    EXPECT_TRUE(out.ok()) << row.name << out.status();
    EXPECT_EQ(run->partial_results(), row.partial_results) << row.name;
    EXPECT_GE(runner.blocks(), row.partial_results > 0 ? 1 : 2) << row.name;
  }
}

// A part that is left out is found, and so is one that is summed twice.
TEST(PartialSumsTest, MissingPartsAreFound) {
  const absl::StatusOr<hlo::Module> module = ModuleOf(kRows[1]);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Value> inputs = MakeInputs(*module);
  const hlo::InstructionId id = module->entry().root;
  Interpreter interpreter(*module, Budget());
  const Value dense = *interpreter.Run(module->entry_id(), inputs);
  const auto part = [](int64_t from, int64_t to) {
    SumPart out{*ZRange::Create({0, 0, from}, {8, 4, to}), std::vector<projection::Need>(2)};
    out.needs[0].cells = projection::ZSet::OfBox(*ZRange::Create({0, from}, {8, to}));
    out.needs[1].cells = projection::ZSet::OfBox(*ZRange::Create({from, 0}, {to, 4}));
    return out;
  };
  const std::vector<const Value*> operands = {&inputs[0], &inputs[1]};
  const auto check = [&](const std::vector<SumPart>& parts) {
    return CheckPartialSums(interpreter, id, operands, dense.array, parts).code();
  };
  EXPECT_EQ(check({part(0, 3), part(3, 6)}), absl::StatusCode::kOk);
  EXPECT_EQ(check({part(0, 3)}), absl::StatusCode::kDataLoss);
  EXPECT_EQ(check({part(0, 3), part(2, 6)}), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tessera::testing::evaluator
