// Operations that see the same bytes in another shape.
//
// A bitcast keeps linear positions of buffers, not of logical cells: transposing by the layouts on
// both sides makes it a reshape of the physical shapes. Tiled layouts, and element types of
// different width, have no such form unless both sides are the same; then the whole operand is
// given, as a bound.
#include "tessera/projection/reshape.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using layout::Shape;

// The logical dimensions from the most major to the most minor one.
std::vector<int> MajorToMinor(const Shape& shape) {
  std::vector<int> order;
  for (int i = 0; i < shape.rank(); ++i) {
    order.push_back(shape.has_layout() ? static_cast<int>(shape.layout().Major(i)) : i);
  }
  return order;
}

std::vector<int> Inverse(const std::vector<int>& p) {
  std::vector<int> out(p.size());
  for (size_t i = 0; i < p.size(); ++i) out[p[i]] = static_cast<int>(i);
  return out;
}

absl::StatusOr<ZSet> PermuteSet(const ZSet& set, const std::vector<int>& p, int64_t limit) {
  if (set.empty()) return set;
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, set.Slabs(limit));
  for (ZRange& box : boxes) {
    TESSERA_ASSIGN_OR_RETURN(box, box.Permute(p));
  }
  return ZSet::OfBoxes(set.rank(), boxes, limit);
}

bool IsUntiled(const Shape& shape) { return !shape.has_layout() || shape.layout().tiles.empty(); }

// The need of a bitcast between untiled layouts.
NeedFunction ThroughLayouts(const Shape& operand, const Shape& result) {
  std::vector<int> from = MajorToMinor(result), to = MajorToMinor(operand);
  ZPoint physical_result = *ZPoint(result.dims()).Permute(from),
         physical_operand = *ZPoint(operand.dims()).Permute(to);
  return [=](const ZRange& block, int64_t limit) -> absl::StatusOr<ZSet> {
    TESSERA_ASSIGN_OR_RETURN(ZRange physical, block.Permute(from));
    TESSERA_ASSIGN_OR_RETURN(ZSet cells,
                             ReshapeImage(physical_operand, physical_result, physical, limit));
    return PermuteSet(cells, Inverse(to), limit);
  };
}

bool SameDims(const Shape& a, const Shape& b) { return a.dims() == b.dims(); }

}  // namespace

absl::Status ReshapeRule(const OpContext& op, Signature* s) {
  return op.Read(0, ReshapeAccess(op.OperandDims(0), op.result), s);
}

absl::Status BitcastRule(const OpContext& op, Signature* s) {
  const Shape& operand = op.OperandShape(0);
  const Shape& result = op.module.shape(op.id);
  if (!operand.is_array() || !result.is_array()) return FirstOperandRule(op, s);
  const bool same_layout = operand.has_layout() == result.has_layout() &&
                           (!operand.has_layout() || operand.layout() == result.layout());
  const bool same_width =
      layout::BitWidth(operand.element_type()) == layout::BitWidth(result.element_type());
  if (same_width && same_layout && SameDims(operand, result)) return op.ReadIdentity(0, s);
  if (same_width && IsUntiled(operand) && IsUntiled(result) &&
      operand.NumElements() == result.NumElements()) {
    return op.Read(
        0, ComposedAccess(ThroughLayouts(operand, result), "linear positions of the buffer"), s);
  }
  s->exactness = Exactness::kBound;
  s->note = "bitcast through tiles or between element widths: whole operand";
  return op.ReadWhole(0, s);
}

absl::Status BitcastConvertRule(const OpContext& op, Signature* s) {
  const int operand_rank = static_cast<int>(op.OperandShape(0).rank());
  Rows rows = op.RowsOf(0);
  for (int d = 0; d < std::min(operand_rank, op.rank()); ++d) rows.Follow(d, d);
  if (operand_rank > op.rank()) rows.Whole(operand_rank - 1);
  return op.Read(0, rows, s);
}

}  // namespace tessera::projection
