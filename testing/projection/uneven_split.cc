#include "tessera/testing/projection/uneven_split.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

absl::Status BadSize(int64_t size) {
  return MakeError(ErrorCode::kBadChunk, absl::StrCat("chunk ", size, " must be at least 1"));
}

absl::Status CheckSizes(absl::Span<const int64_t> sizes, int64_t extent) {
  Checked sum = 0;
  for (int64_t size : sizes) {
    if (size < 1) return BadSize(size);
    sum += size;
  }
  if (sum.ok() && sum.value() == extent) return absl::OkStatus();
  return MakeError(ErrorCode::kBadChunk,
                   absl::StrCat("chunks [", absl::StrJoin(sizes, ", "), "] sum to ",
                                sum.ok() ? absl::StrCat(sum.value()) : "more than 64 bits hold",
                                ", dimension has ", extent));
}

}  // namespace

absl::StatusOr<std::vector<ZRange>> SplitByChunk(const ZRange& range, int64_t dim, int64_t chunk) {
  absl::StatusOr<int> d = NormalizeDim(dim, range.rank());
  if (!d.ok()) return d.status();
  if (chunk < 1) return BadSize(chunk);
  if (chunk >= range.extent(*d)) return std::vector<ZRange>{range};
  int64_t count = CeilDiv(range.extent(*d), chunk);
  std::vector<ZRange> parts;
  parts.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t start = range.start()[*d] + i * chunk;
    int64_t size = std::min(chunk, range.end()[*d] - start);
    parts.push_back(range.WithDim(*d, start, start + size));
  }
  return parts;
}

absl::StatusOr<std::vector<ZRange>> SplitBySizes(const ZRange& range, int64_t dim,
                                                 absl::Span<const int64_t> sizes) {
  absl::StatusOr<int> d = NormalizeDim(dim, range.rank());
  if (!d.ok()) return d.status();
  absl::Status valid = CheckSizes(sizes, range.extent(*d));
  if (!valid.ok()) return valid;
  std::vector<ZRange> parts;
  int64_t start = range.start()[*d];
  for (int64_t size : sizes) {
    parts.push_back(range.WithDim(*d, start, start + size));
    start += size;
  }
  return parts;
}

}  // namespace tessera::projection
