// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/set/set.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/projection/signatures/flow.h"
#include "tessera/projection/signatures/rule.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/projection/collective_needs.h"

namespace tessera::projection {
namespace {

using hlo::AttributeName;
using hlo::IntList;

hlo::Module Parse(const char* body) {
  return *hlo::ParseModule(std::string("ENTRY e {\n") + body + "}\n");
}

TEST(HeaderExamples, SignatureOf) {
  const hlo::Module module = Parse(
      "x = f32[8,32] parameter(0)\n w = f32[32,4] parameter(1)\n"
      "ROOT y = f32[8,4] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  const hlo::InstructionId id = module.FindInstruction("y");
  absl::StatusOr<Signature> s = SignatureOf(module, id);
  absl::StatusOr<std::vector<Need>> needs = Project(*s, *ZRange::Parse("zr[0:8, 0:4]"));
  EXPECT_EQ((*needs)[0].bounding->ToString(), "zr[0:8, 0:32]");
  EXPECT_EQ((*needs)[0].used_fraction, 1);
}

TEST(HeaderExamples, Collectives) {
  const hlo::Module module = Parse(
      "x = f32[4] parameter(0)\n"
      "ROOT y = f32[32] all-gather(x), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}\n");
  const auto needs =
      *CollectiveNeeds(module, module.FindInstruction("y"), 3, *ZRange::Parse("zr[6:10]"));
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].rank, 1);
  EXPECT_EQ(needs[0].cells.bounding()->ToString(), "zr[2:4]");
  EXPECT_EQ(needs[1].rank, 2);
  EXPECT_EQ(needs[1].cells.bounding()->ToString(), "zr[0:2]");
}

TEST(HeaderExamples, Flow) {
  const hlo::Module module = Parse(
      "x = f32[8] parameter(0)\n s = f32[4] slice(x), slice={[2:6]}\n ROOT n = f32[4] negate(s)\n");
  const hlo::ComputationId computation = module.entry_id();
  FlowMemo memo;
  SignatureOptions options;
  options.flows = &memo;
  const int leaf = 0;
  const ZSet cells = ZSet::OfBox(*ZRange::Parse("zr[0:2]"));
  const int64_t limit = kDefaultLimit;
  absl::StatusOr<Flow> flow = Flow::Create(module, computation, options);
  absl::StatusOr<Flow::Needs> needs = flow->Parameters(leaf, cells, limit);
  ASSERT_EQ(needs->size(), 1u);
  EXPECT_EQ((*needs)[0].bounding()->ToString(), "zr[2:4]");
  absl::StatusOr<Flow::Demands> demands = flow->Arrays(leaf, cells, limit);
  EXPECT_EQ(demands->at({module.FindInstruction("s"), 0}), cells);
}

// transpose: result dimension o is operand dimension p[o]
absl::Status TransposeRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  const IntList p = *op.Ints(AttributeName::kDimensions);
  for (int o = 0; o < op.rank(); ++o) rows.Follow(p[o], o);
  return op.Read(0, std::move(rows), s);
}

TEST(HeaderExamples, Rule) {
  const hlo::Module module =
      Parse("x = f32[8,4] parameter(0)\n ROOT t = f32[4,8] transpose(x), dimensions={1,0}\n");
  const hlo::InstructionId id = module.FindInstruction("t");
  const SignatureOptions options;
  const OpContext op = {module, id, options, {4, 8}, {0}};
  Signature s = *SignatureOf(module, id);
  const std::string made = s.operands[0].maps[0]->ToString();
  s.operands[0].maps.clear();
  ASSERT_TRUE(TransposeRule(op, &s).ok());
  EXPECT_EQ(s.operands[0].maps[0]->ToString(), made);
}

}  // namespace
}  // namespace tessera::projection
