// Gather. Result coordinates are batch coordinates (which start) and window coordinates (where in
// the slice). With constant indices every batch position is a piece of the index space with its
// own, clamped, start. Otherwise an indexed dimension may start anywhere in [0, N - z], which
// widens its window by N - z.
#include <algorithm>

#include "tessera/projection/signatures/indexed/indexed.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Rows of the data operand for a known start, or for any.
Rows DataRows(const Indexed& x, int index_rank, const ZPoint* start) {
  Rows rows(x.data, index_rank);
  for (int d = 0; d < x.data.rank(); ++d) {
    if (x.WindowDimOf(d) >= 0) rows.Follow(d, x.WindowDimOf(d));
    const int64_t most = x.data[d] - x.slice[d];
    if (!x.IsIndexed(d)) continue;
    if (start != nullptr) {
      rows.Offset(OffsetRole::kView, d, std::min(std::max<int64_t>((*start)[d], 0), most));
    } else {
      rows.Window(d, most + 1);
    }
  }
  for (size_t j = 0; j < x.data_batch_dims.size(); ++j)
    rows.Follow(x.data_batch_dims[j], x.data_batch_outer[j]);
  return rows;
}

Rows IndexRows(const Indexed& x, int index_rank) {
  Rows rows(x.indices, index_rank);
  if (x.index_vector_dim < x.indices.rank()) rows.Whole(x.index_vector_dim);
  for (size_t b = 0; b < x.index_batch_dims.size(); ++b)
    rows.Follow(x.index_batch_dims[b], x.batch_dims[b]);
  return rows;
}

absl::StatusOr<Access> PiecePerStart(const OpContext& op, const Indexed& x,
                                     const std::vector<ZPoint>& starts) {
  std::vector<AccessPiece> pieces;
  ZPoint batch;
  for (int d : x.batch_dims) batch.push_back(op.result[d]);
  absl::Status status;
  size_t at = 0;
  ForEachCell(ZRange::FromShape(batch), [&](const ZPoint& position) {
    ZRange part = ZRange::FromShape(op.result);
    for (size_t b = 0; b < x.batch_dims.size(); ++b) {
      const int64_t here = position[static_cast<int>(b)];
      part = part.WithDim(x.batch_dims[b], here, here + 1);
    }
    absl::StatusOr<ZProjection> p = DataRows(x, op.rank(), &starts[at++]).Build();
    status = p.status();
    if (status.ok()) pieces.push_back({part, *std::move(p)});
    return status.ok();
  });
  TESSERA_RETURN_IF_ERROR(status);
  return PiecesAccess(x.data.rank(), std::move(pieces));
}

}  // namespace

absl::Status GatherRule(const OpContext& op, Signature* s) {
  const Indexed x = IndexedOfGather(op);
  op.Role(1, "indices", s);
  TESSERA_RETURN_IF_ERROR(op.Read(1, IndexRows(x, op.rank()), s));
  s->exactness = Exactness::kBound;
  s->note = "union over every clamped start";
  if (op.options.indices == IndexPolicy::kWhole) return op.ReadWhole(0, s);
  if (op.options.indices == IndexPolicy::kConstant) {
    const std::optional<std::vector<ZPoint>> starts = ConstantStarts(op, 1, x, kDefaultLimit);
    if (starts.has_value()) {
      s->exactness = Exactness::kExactIfConstant;
      s->note = "constant indices, clamped";
      TESSERA_ASSIGN_OR_RETURN(Access access, PiecePerStart(op, x, *starts));
      return op.Read(0, std::move(access), s);
    }
  }
  return op.Read(0, DataRows(x, op.rank(), nullptr), s);
}

}  // namespace tessera::projection
