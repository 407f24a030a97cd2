// Slices at starts that are data. Dimension d starts somewhere in [L, H]: a constant start,
// clamped, is both; any other may be anything in [0, N - z]. A slice reads [s + L, e + H) for the
// block [s, e): a projection whose window is as wide as the uncertainty. An update overwrites for
// certain only what every start overwrites, [H, L + u) in all dimensions at once; the rest of the
// block still needs the old data.
#include <algorithm>

#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

struct Starts {
  ZPoint low, high;  // inclusive
  bool constant = true;
};

// `size` is the extent of the slice or update; starts are the operands from `first` on.
Starts StartsOf(const OpContext& op, int first, const ZPoint& data, const ZPoint& size) {
  Starts out;
  for (int d = 0; d < data.rank(); ++d) {
    const int64_t most = data[d] - size[d];
    const std::optional<int64_t> value =
        first + d < op.num_operands() && op.OperandShape(first + d).rank() == 0
            ? op.ConstantScalar(first + d)
            : std::nullopt;
    const int64_t clamped = std::min(std::max<int64_t>(value.value_or(0), 0), most);
    out.low.push_back(value.has_value() ? clamped : 0);
    out.high.push_back(value.has_value() ? clamped : most);
    out.constant &= value.has_value();
  }
  return out;
}

absl::Status ReadStarts(const OpContext& op, int first, Signature* s) {
  for (int k = first; k < op.num_operands(); ++k) {
    op.Role(k, "start", s);
    TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  }
  return absl::OkStatus();
}

// Rows of operand k whose start may be one of several.
void MarkStarts(const OpContext& op, int k, const Starts& starts, int sign, Signature* s) {
  OperandAccess& access = op.Entry(k, 0, s);
  for (int d = 0; d < starts.low.rank(); ++d) {
    const bool moves = starts.low[d] < starts.high[d];
    if (moves) access.starts.push_back({d, sign});
  }
}

void Judge(const Starts& starts, Signature* s) {
  s->exactness = starts.constant ? Exactness::kExactIfConstant : Exactness::kBound;
  s->note = starts.constant ? "constant starts, clamped" : "union over every clamped start";
}

}  // namespace

absl::Status DynamicSliceRule(const OpContext& op, Signature* s) {
  TESSERA_RETURN_IF_ERROR(ReadStarts(op, 1, s));
  if (op.options.indices == IndexPolicy::kWhole) {
    s->exactness = Exactness::kBound;
    return op.ReadWhole(0, s);
  }
  const Starts starts = StartsOf(op, 1, op.OperandDims(0), op.result);
  Judge(starts, s);
  MarkStarts(op, 0, starts, 1, s);
  Rows rows = op.RowsOf(0);
  for (int d = 0; d < op.rank(); ++d) {
    rows.Follow(d, d)
        .Offset(OffsetRole::kView, d, starts.low[d])
        .Window(d, starts.high[d] - starts.low[d] + 1);
  }
  return op.Read(0, rows, s);
}

absl::Status DynamicUpdateSliceRule(const OpContext& op, Signature* s) {
  op.Role(1, "update", s);
  TESSERA_RETURN_IF_ERROR(ReadStarts(op, 2, s));
  if (op.options.indices == IndexPolicy::kWhole) {
    s->exactness = Exactness::kBound;
    TESSERA_RETURN_IF_ERROR(op.ReadIdentity(0, s));
    return op.ReadWhole(1, s);
  }
  const ZPoint size = op.OperandDims(1);
  const Starts starts = StartsOf(op, 2, op.result, size);
  Judge(starts, s);
  MarkStarts(op, 1, starts, -1, s);
  // The hole that every start overwrites, cut out of the identity.
  ZRange whole = ZRange::FromShape(op.result), hole = whole;
  bool has_hole = true;
  Rows update = op.RowsOf(1), data = op.RowsOf(0);
  for (int d = 0; d < op.rank(); ++d) {
    const int64_t low = starts.high[d], high = starts.low[d] + size[d];
    has_hole &= low < high;
    if (low < high) hole = hole.WithDim(d, low, high);
    update.Follow(d, d)
        .Offset(OffsetRole::kView, d, -starts.high[d])
        .Window(d, starts.high[d] - starts.low[d] + 1);
    data.Follow(d, d);
  }
  TESSERA_RETURN_IF_ERROR(op.Read(1, update.Outside(OutOfBoundsPolicy::kDrop), s));
  if (!has_hole) return op.Read(0, data, s);
  TESSERA_ASSIGN_OR_RETURN(ZProjection identity, data.Build());
  std::vector<AccessPiece> pieces;
  for (const ZRange& part : whole.Subtract(hole)) pieces.push_back({part, identity});
  return op.Read(0, PiecesAccess(op.rank(), std::move(pieces)), s);
}

}  // namespace tessera::projection
