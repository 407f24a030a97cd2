#include "tessera/projection/set/split.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

absl::Status BadCount(absl::string_view what, int64_t value) {
  return MakeError(ErrorCode::kBadChunk, absl::StrCat(what, " ", value, " must be at least 1"));
}

}  // namespace

EvenPart EvenPartOf(int64_t extent, int64_t parts, int64_t index) {
  int64_t tile = CeilDiv(extent, parts);
  // A part beyond the extent is empty, also where index * tile would not fit.
  int64_t start = tile != 0 && index > extent / tile ? extent : std::min(index * tile, extent);
  return {start, start + std::min(tile, extent - start)};
}

absl::StatusOr<std::vector<ZRange>> SplitEven(const ZRange& range, int64_t dim, int64_t parts) {
  absl::StatusOr<int> d = NormalizeDim(dim, range.rank());
  if (!d.ok()) return d.status();
  if (parts < 1) return BadCount("the number of parts", parts);
  std::vector<ZRange> out;
  out.reserve(parts);
  for (int64_t i = 0; i < parts; ++i) {
    EvenPart part = EvenPartOf(range.extent(*d), parts, i);
    out.push_back(range.WithDim(*d, range.start()[*d] + part.start, range.start()[*d] + part.end));
  }
  return out;
}

absl::StatusOr<std::vector<ZRange>> SplitGrid(const ZRange& range,
                                              absl::Span<const int64_t> parts) {
  if (static_cast<int>(parts.size()) != range.rank()) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat(parts.size(), " part counts for a range of rank ", range.rank()));
  }
  std::vector<ZRange> out = {range};
  for (int d = 0; d < range.rank(); ++d) {
    std::vector<ZRange> next;
    for (const ZRange& piece : out) {
      absl::StatusOr<std::vector<ZRange>> split = SplitEven(piece, d, parts[d]);
      if (!split.ok()) return split.status();
      next.insert(next.end(), split->begin(), split->end());
    }
    out = std::move(next);
  }
  return out;
}

}  // namespace tessera::projection
