// Results of tuples, calls, loops and ids.

#include "tessera/hlo/verify/inference_context.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using layout::ElementType;
using layout::Shape;

namespace {

// Tuples of one tuple grow twofold with each line of the text.
constexpr int64_t kMaxLeaves = int64_t{1} << 20;
constexpr int kMaxNested = 1000;

int64_t LeavesAtMost(const Shape& shape, int64_t most, int depth) {
  if (!shape.is_tuple()) return 1;
  if (depth > kMaxNested) return most + 1;
  int64_t leaves = 1;
  for (const Shape& element : shape.tuple_elements()) {
    leaves += LeavesAtMost(element, most - leaves, depth + 1);
    if (leaves > most) break;
  }
  return leaves;
}

bool HasRoomForOperands(const InferenceContext& c) {
  int64_t left = kMaxLeaves;
  for (size_t i = 0; i < c.count() && left >= 0; ++i) left -= LeavesAtMost(c.operand(i), left, 1);
  return left >= 0;
}

}  // namespace

bool IsTupleOfOperands(const InferenceContext& c) {
  const auto elements = c.module.shape(c.id).tuple_elements();
  if (elements.size() != c.count() || !HasRoomForOperands(c)) return false;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!layout::CompatibleIgnoringFloatPrecision(c.operand(i), elements[i])) return false;
  }
  return true;
}

ShapeOr InferTuple(const InferenceContext& c) {
  if (!HasRoomForOperands(c)) {
    return Mismatch("a tuple holds at most ", kMaxLeaves, " arrays and tuples, nested at most ",
                    kMaxNested, " deep");
  }
  std::vector<Shape> elements;
  for (size_t i = 0; i < c.count(); ++i) elements.push_back(c.operand(i));
  return Shape::Tuple(std::move(elements));
}

ShapeOr InferGetTupleElement(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  const int64_t index = GetTupleIndex(c.module, c.id);
  if (!s.is_tuple()) return Mismatch("the operand is a tuple, not ", layout::ShapeToString(s));
  if (index < 0 || index >= static_cast<int64_t>(s.tuple_elements().size())) {
    return Mismatch("there is no element ", index, " in ", layout::ShapeToString(s));
  }
  return &s.tuple_elements()[index];
}

ShapeOr InferCall(const InferenceContext& c) {
  if (c.callees() == 0) return Mismatch("there is no called computation");
  return &c.callee_result();
}

ShapeOr InferWhile(const InferenceContext& c) { return &c.operand(0); }

// Results of the callee: the last ones are carried, the others get the scanned dimension.
ShapeOr InferScan(const InferenceContext& c) {
  const int64_t carries = GetInt(c.module, c.id, AttributeName::kNumCarries).value_or(0);
  const int64_t d = GetDimension(c.module, c.id).value_or(0);
  if (carries < 0 || static_cast<int64_t>(c.count()) <= carries) {
    return Mismatch("scan needs an input");
  }
  const Shape& result = c.callee_result();
  const Shape& input = c.operand(0);
  if (d < 0 || d >= input.rank()) return Mismatch("the input has no dimension ", d);
  std::vector<Shape> results = {result};
  if (result.is_tuple())
    results.assign(result.tuple_elements().begin(), result.tuple_elements().end());
  const int64_t scanned = static_cast<int64_t>(results.size()) - carries;
  if (scanned < 0) return Mismatch("to_apply gives fewer results than num_carries");
  for (int64_t i = 0; i < scanned; ++i) {
    if (d > results[i].rank()) return Mismatch("result ", i, " has no place for dimension ", d);
    Shape::Dims dims(results[i].dims().begin(), results[i].dims().end());
    dims.insert(dims.begin() + d, input.dim(d));
    results[i] = Shape::Array(results[i].element_type(), dims);
  }
  return result.is_tuple() ? Shape::Tuple(std::move(results)) : results[0];
}

ShapeOr InferToken(const InferenceContext&) { return Shape::Token(); }

ShapeOr InferId(const InferenceContext&) { return Shape::Array(ElementType::kU32, {}); }

}  // namespace tessera::hlo
