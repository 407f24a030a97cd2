// Scatter. The index space is the data; a block needs its own cells, every index, and the updates
// whose windows reach it. Starts are not clamped: a window that does not fit is left out as a
// whole. With constant indices every batch position is a piece, namely the data cells under its
// window; otherwise a window may start anywhere it fits.
#include "tessera/projection/signatures/indexed/indexed.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Rows of the updates for any start: an update cell at window coordinate c of data dimension d
// lands on start + c.
Rows AnyStart(const Indexed& x, const ZPoint& updates, int index_rank) {
  Rows rows(updates, index_rank);
  rows.Outside(OutOfBoundsPolicy::kDrop);
  for (int d : x.batch_dims) rows.Whole(d);
  for (int d = 0; d < x.data.rank(); ++d) {
    const int window = x.WindowDimOf(d);
    if (window < 0) continue;
    rows.Follow(window, d);
    if (x.IsIndexed(d)) {
      const int64_t most = x.data[d] - x.slice[d];
      rows.Offset(OffsetRole::kView, window, -most).Window(window, most + 1);
    }
  }
  for (size_t j = 0; j < x.data_batch_dims.size(); ++j) {
    rows.Window(x.data_batch_outer[j], 1).Follow(x.data_batch_outer[j], x.data_batch_dims[j]);
  }
  return rows;
}

absl::StatusOr<Access> PiecePerStart(const Indexed& x, const ZPoint& updates, int index_rank,
                                     const std::vector<ZPoint>& starts) {
  std::vector<AccessPiece> pieces;
  ZPoint batch;
  for (int d : x.batch_dims) batch.push_back(updates[d]);
  absl::Status status;
  size_t at = 0;
  ForEachCell(ZRange::FromShape(batch), [&](const ZPoint& position) {
    const ZPoint& start = starts[at++];
    ZRange under = ZRange::FromShape(x.data);
    bool fits = true;
    Rows rows(updates, index_rank);
    for (size_t b = 0; b < x.batch_dims.size(); ++b) {
      rows.Offset(OffsetRole::kView, x.batch_dims[b], position[static_cast<int>(b)]);
    }
    for (int d = 0; d < x.data.rank(); ++d) {
      fits &= start[d] >= 0 && start[d] <= x.data[d] - x.slice[d];
      if (fits) under = under.WithDim(d, start[d], start[d] + x.slice[d]);
      const int window = x.WindowDimOf(d);
      if (window >= 0) rows.Follow(window, d).Offset(OffsetRole::kView, window, -start[d]);
    }
    if (!fits) return true;
    absl::StatusOr<ZProjection> p = rows.Build();
    status = p.status();
    if (status.ok()) pieces.push_back({under, *std::move(p)});
    return status.ok();
  });
  TESSERA_RETURN_IF_ERROR(status);
  return PiecesAccess(updates.rank(), std::move(pieces));
}

}  // namespace

absl::Status ScatterRule(const OpContext& op, Signature* s) {
  const int arrays = (op.num_operands() - 1) / 2;
  const Indexed x = IndexedOfScatter(op);
  op.Role(arrays, "indices", s);
  TESSERA_RETURN_IF_ERROR(op.ReadWhole(arrays, s));
  std::optional<std::vector<ZPoint>> starts;
  if (op.options.indices == IndexPolicy::kConstant)
    starts = ConstantStarts(op, arrays, x, kDefaultLimit);
  s->exactness = starts.has_value() ? Exactness::kExactIfConstant : Exactness::kBound;
  s->note = starts.has_value() ? "constant indices; whole windows out of bounds are dropped"
                               : "union over every in-bounds start";
  for (int k = 0; k < arrays; ++k) {
    const int update = arrays + 1 + k;
    op.Role(update, "updates", s);
    TESSERA_RETURN_IF_ERROR(op.ReadIdentity(k, s));
    if (op.options.indices == IndexPolicy::kWhole) {
      TESSERA_RETURN_IF_ERROR(op.ReadWhole(update, s));
    } else if (starts.has_value()) {
      TESSERA_ASSIGN_OR_RETURN(Access access,
                               PiecePerStart(x, op.OperandDims(update), op.rank(), *starts));
      TESSERA_RETURN_IF_ERROR(op.Read(update, std::move(access), s));
    } else {
      TESSERA_RETURN_IF_ERROR(op.Read(update, AnyStart(x, op.OperandDims(update), op.rank()), s));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::projection
