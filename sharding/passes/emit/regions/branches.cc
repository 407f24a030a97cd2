// Conditionals in the shape of HLO: each branch gets a tuple of what it captures, in order of first
// use. A tuple of one element is that element.
//
//   program   r = case(i) { .. uses v, w .. }      HLO   t = tuple(v, w); r = conditional(i, t)

#include <utility>
#include <vector>

#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/regions/captures.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

void Lowering::LowerConditional(Frame& frame, Op* op) {
  const std::vector<HloShardingId> results = ControlShardings(frame, op);
  Values operands = {op->operand(0)};
  std::vector<int> branches;
  for (size_t b = 0; b < op->blocks().size(); ++b) {
    branches.push_back(LowerBranch(frame, op, b, results, &operands));
  }
  const layout::Shape& shape = RootOf(branches[0])->shape();
  Value* const made = Rebuild(frame, op, Opcode::kConditional, operands, &shape,
                              OneOrTuple(results, op->num_results() != 1));
  made->def()->pure = !HasEffect(branches);
  InfoOf(made).called = std::move(branches);
  program_.Replace(op, ResultsOf(frame, op, made, results));
}

int Lowering::LowerBranch(const Frame& frame, const Op* op, size_t branch,
                          const std::vector<HloShardingId>& results, Values* operands) {
  Block* block = op->blocks()[branch];
  const Values captured = CapturedBy(block);
  Values handed;
  std::vector<HloShardingId> shardings;
  for (Value* value : captured) {
    handed.push_back(Here(frame, value));
    shardings.push_back(HloShardingOf(handed.back()));
  }
  operands->push_back(Pack(frame, handed, shardings));
  const int region = BranchRegion(frame, block, captured, results);
  const hlo::InstructionId source = program_.module().operands(op->source)[branch + 1];
  At(region).parameter_leaves = {LeafMap(layout::NumLeaves(program_.module().shape(source)), -1)};
  return region;
}

int Lowering::BranchRegion(const Frame& frame, Block* block, const Values& captured,
                           const std::vector<HloShardingId>& results) {
  std::vector<Element> elements;
  std::vector<HloShardingId> shardings;
  for (Value* value : captured) {
    const Value* const element = Here(frame, value);
    shardings.push_back(HloShardingOf(element));
    elements.push_back({&element->shape(), shardings.back()});
  }
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("branch", block);
  inner.at = InsertPoint::AtFront(block);
  Op* const first = block->first;
  const bool packed = elements.size() != 1;
  const Values places =
      UnpackParameter(inner, block, elements, OneOrTuple(shardings, packed), packed);
  for (size_t i = 0; i < captured.size(); ++i) inner.captured[captured[i]] = places[i];
  At(inner.computation).is_region = true;
  LowerOps(inner, first);
  LowerReturn(inner, block, results);
  CloseComputation(inner.computation);
  return inner.computation;
}

}  // namespace tessera::sharding::passes
