// Constants, and ops that are a part of an instruction.

#include <algorithm>
#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/queries/constant_text.h"

namespace tessera::sharding::passes {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

// Positions of the dimensions of a broadcast in ascending order of the dimension.
std::vector<int64_t> SortedOrder(absl::Span<const int64_t> dims) {
  std::vector<int64_t> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return dims[static_cast<size_t>(a)] < dims[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

void Lowering::LowerConstant(const Frame& frame, Op* op) {
  const layout::Shape& shape = op->result()->shape();
  const bool whole = op->part == OpPart::kWhole;
  const HloRole role = whole ? HloRole::kCounterpart : HloRole::kPart;
  const bool zero = op->part == OpPart::kPredZero;
  const absl::string_view text = ConstantText(program_.module(), op);
  if (shape.is_array() && shape.NumElements().value_or(0) > 1 &&
      (zero || hlo::IsSplat(program_.module(), op->source))) {
    return LowerSplat(frame, op, role, text);
  }
  Set(op->result(), Opcode::kConstant, role, Text(frame, op->result()));
  op->like_source = whole;
  if (!whole) InfoOf(op->result()).literal = std::string(text);
}

// A constant of equal elements is written as a broadcast.
void Lowering::LowerSplat(const Frame& frame, Op* op, HloRole role, absl::string_view text) {
  const layout::Shape& shape = op->result()->shape();
  NewNode scalar;
  scalar.role = HloRole::kPart;
  scalar.source = op->source;
  scalar.shape = program_.KeepShape(layout::Shape::Array(shape.element_type(), {}));
  scalar.sharding = Text(frame, kNoSharding, 0);
  Value* const element = AddConstant(frame, scalar, std::string(FirstElement(text)));
  Value* const made = Rebuild(frame, op, Opcode::kBroadcast, {element}, RowMajor(&shape),
                              Text(frame, op->result()));
  made->def()->role = role;
  made->def()->like_source = false;
  InfoOf(made).attributes = {{AttributeName::kDimensions, "{}"}};
  program_.Replace(op, {made});
}

void Lowering::LowerPart(const Frame& frame, Op* op) {
  Value* const value = op->result();
  const HloShardingId sharding = Text(frame, value);
  hlo::IntList dims;
  if (op->part == OpPart::kSortTranspose || op->part == OpPart::kSortedBroadcast) {
    dims = hlo::GetInts(program_.module(), op->source, AttributeName::kDimensions)
               .value_or(hlo::IntList());
  }
  switch (op->part) {
    case OpPart::kSortTranspose:
      Set(value, Opcode::kTranspose, HloRole::kPart, sharding);
      InfoOf(value).attributes = {{AttributeName::kDimensions, hlo::PrintInts(SortedOrder(dims))}};
      break;
    case OpPart::kSplatBroadcast:
    case OpPart::kPredZeros:
    case OpPart::kSortedBroadcast:
      Set(value, Opcode::kBroadcast,
          op->part == OpPart::kPredZeros ? HloRole::kPart : HloRole::kCounterpart, sharding);
      if (op->part != OpPart::kSortedBroadcast) value->set_shape(RowMajor(&value->shape()));
      std::sort(dims.begin(), dims.end());
      InfoOf(value).attributes = {{AttributeName::kDimensions, hlo::PrintInts(dims)}};
      break;
    default:
      Set(value, Opcode::kConvert, HloRole::kPart, sharding);
      break;
  }
}

}  // namespace tessera::sharding::passes
