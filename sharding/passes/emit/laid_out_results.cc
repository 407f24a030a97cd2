// A layout follows from one operand, its layout from one of its op's, and so on back to a value
// whose layout follows from none:
//
//   p = f32[2,3] parameter(0)     row-major, whatever the text says
//   t = transpose(p)              {0,1}
//   n = negate(t)                 {0,1}; the way back from n is n, t
//
// Cost: linear in the length of the way. Tested by shard_test.cc of pipeline.

#include "tessera/sharding/passes/emit/laid_out_results.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/emit/followed_operand.h"
#include "tessera/sharding/passes/emit/result_layouts.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;
using layout::Shape;

// The number of the operand that the layout of a single result follows from; -1 for none.
int LaidOutBy(const Op* op) {
  switch (op->kind) {
    case OpKind::kConstraint:
    case OpKind::kReshard:
    case OpKind::kPropagationBarrier:
    case OpKind::kDataFlowEdge:
      return 0;
    case OpKind::kHlo:
      break;
    default:
      return -1;
  }
  if (op->part != OpPart::kWhole || op->num_results() != 1) return -1;
  const int followed = HasLayoutRule(op->opcode) ? 0 : FollowedOperand(op->opcode);
  return followed < op->num_operands() ? followed : -1;
}

bool IsRowMajor(const Value* value) {
  return value->def() == nullptr || value->def()->opcode == Opcode::kBroadcast;
}

// Operand `followed` has the shape `operand`.
Shape Follow(const HloProgram& program, const Op* op, int followed, Shape operand) {
  if (op->kind != OpKind::kHlo) return operand;
  absl::InlinedVector<const Shape*, 4> operands;
  for (const Use& use : op->operands) operands.push_back(&use.value()->shape());
  operands[static_cast<size_t>(followed)] = &operand;
  const Shape& own = op->result()->shape();
  return InferLayout(program.module(), op->source, op->opcode, own, operands).value_or(own);
}

// The shape that the value will have once it is lowered.
Shape LoweredShape(const HloProgram& program, const Value* value) {
  std::vector<std::pair<const Op*, int>> way;
  while (value->def() != nullptr) {
    const int followed = LaidOutBy(value->def());
    if (followed < 0) break;
    way.emplace_back(value->def(), followed);
    value = value->def()->operand(followed);
  }
  Shape shape = IsRowMajor(value) ? WithDefaultLayout(value->shape()) : value->shape();
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    shape = Follow(program, step->first, step->second, std::move(shape));
  }
  return shape;
}

bool HasSharding(const Function& function) {
  return absl::c_any_of(function.result_shardings, [](auto id) { return id != kNoSharding; });
}

}  // namespace

bool IsLaidOut(const HloProgram& program, int result) {
  const Function& entry = *program.entry();
  const Op* const ret = entry.body->terminator();
  if (ret->num_operands() < 2 || !HasSharding(entry)) return false;
  return !HasDefaultLayout(LoweredShape(program, ret->operand(result)));
}

}  // namespace tessera::sharding::passes
