#include "tessera/sharding/graph/plan_layouts.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;

constexpr Opcode kFollowFirst[] = {
    Opcode::kSelect,
    Opcode::kAbs,
    Opcode::kAdd,
    Opcode::kAnd,
    Opcode::kAtan2,
    Opcode::kCbrt,
    Opcode::kCeil,
    Opcode::kCholesky,
    Opcode::kCompare,
    Opcode::kConvert,
    Opcode::kCopy,
    Opcode::kCosine,
    Opcode::kDivide,
    Opcode::kDynamicUpdateSlice,
    Opcode::kErf,
    Opcode::kExponential,
    Opcode::kExponentialMinusOne,
    Opcode::kFloor,
    Opcode::kImag,
    Opcode::kIsFinite,
    Opcode::kLog,
    Opcode::kLogPlusOne,
    Opcode::kLogistic,
    Opcode::kMaximum,
    Opcode::kMinimum,
    Opcode::kMultiply,
    Opcode::kNegate,
    Opcode::kNot,
    Opcode::kOr,
    Opcode::kPower,
    Opcode::kReal,
    Opcode::kReducePrecision,
    Opcode::kRemainder,
    Opcode::kReverse,
    Opcode::kRoundNearestAfz,
    Opcode::kRoundNearestEven,
    Opcode::kRsqrt,
    Opcode::kScatter,
    Opcode::kSelectAndScatter,
    Opcode::kSign,
    Opcode::kSine,
    Opcode::kSqrt,
    Opcode::kSubtract,
    Opcode::kTan,
    Opcode::kTanh,
    Opcode::kXor,
};

constexpr std::array<int8_t, hlo::kNumOpcodes> MakeTable() {
  std::array<int8_t, hlo::kNumOpcodes> table = {};
  for (int8_t& entry : table) entry = -1;
  for (Opcode opcode : kFollowFirst) table[static_cast<size_t>(opcode)] = 0;
  table[static_cast<size_t>(Opcode::kClamp)] = 1;
  return table;
}
constexpr std::array<int8_t, hlo::kNumOpcodes> kFollowed = MakeTable();

bool IsRowMajor(const layout::Layout& layout) {
  for (int64_t i = 0; i < layout.rank(); ++i) {
    if (layout.Major(i) != i) return false;
  }
  return true;
}

}  // namespace

bool HasDefaultLayout(const layout::Shape& shape) {
  if (!shape.is_array()) return true;
  // Most layouts differ in their order, if at all: a cheap look before the whole comparison.
  if (!shape.has_layout() || !IsRowMajor(shape.layout())) return false;
  return shape == layout::Shape::Array(shape.element_type(), shape.dims());
}

layout::Shape WithDefaultLayout(const layout::Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<layout::Shape> elements;
    for (const layout::Shape& element : shape.tuple_elements()) {
      elements.push_back(WithDefaultLayout(element));
    }
    return layout::Shape::Tuple(std::move(elements));
  }
  if (!shape.is_array() || shape.has_dynamic_dim()) return shape;
  return layout::Shape::Array(shape.element_type(), shape.dims());
}

int FollowedOperand(Opcode opcode) { return kFollowed[static_cast<size_t>(opcode)]; }

}  // namespace tessera::sharding::graph
