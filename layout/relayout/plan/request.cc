#include "tessera/layout/relayout/plan/request.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/error.h"
#include "tessera/layout/validate.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout::relayout {
namespace {

absl::Status CheckTypes(const Shape& src, const Shape& dst) {
  if (!src.array().is_array() || !dst.array().is_array()) {
    return MakeError("R_ARRAY", absl::StrCat("the ", src.array().is_array() ? "to" : "from",
                                             " side is not an array"));
  }
  const ElementType from = src.array().element_type(), to = dst.array().element_type();
  if (from == to) return absl::OkStatus();
  return MakeError("R_TYPE", absl::StrCat("elements of ", ElementTypeName(from), " cannot become ",
                                          ElementTypeName(to)));
}

absl::Status BadDims(absl::Span<const int64_t> perm, const Shape& src, const Shape& dst) {
  return MakeError("R_DIMS", absl::StrCat("sizes [", absl::StrJoin(src.dims(), ","),
                                          "] permuted by [", absl::StrJoin(perm, ","),
                                          "] are not [", absl::StrJoin(dst.dims(), ","), "]"));
}

// The permutation, written out.
absl::StatusOr<Shape::Dims> CheckDims(const std::vector<int64_t>& given, const Shape& src,
                                      const Shape& dst) {
  Shape::Dims perm(given.begin(), given.end());
  if (given.empty()) {
    for (int64_t i = 0; i < src.rank(); ++i) perm.push_back(i);
  }
  const auto rank = static_cast<int64_t>(perm.size());
  if (rank != src.rank() || rank != dst.rank()) return BadDims(perm, src, dst);
  absl::InlinedVector<bool, 8> seen(rank, false);
  for (int64_t i = 0; i < rank; ++i) {
    if (perm[i] < 0 || perm[i] >= rank || seen[perm[i]]) return BadDims(perm, src, dst);
    if (dst.dim(i) != src.dim(perm[i])) return BadDims(perm, src, dst);
    seen[perm[i]] = true;
  }
  return perm;
}

bool HasPlaces(int64_t bits) {
  return bits == 1 || bits == 2 || bits == 4 || (bits > 0 && bits % 8 == 0);
}

absl::Status CheckBits(const Request& request, bool repack) {
  const int64_t from = request.src_bits, to = request.dst_bits;
  const bool repacks = repack && IsSubByte(request.src.element_type()) &&
                       ((from == 4 && to == 8) || (from == 8 && to == 4));
  if (repacks || (from == to && HasPlaces(from))) return absl::OkStatus();
  return MakeError("R_BITS", absl::StrCat("elements of ", from, " bits cannot be moved to ", to,
                                          " bits: both must be 1, 2, 4 or the same multiple of 8"));
}

absl::Status CheckSize(const IndexMap& map, int64_t bits) {
  if ((Checked(map.total()) * bits).ok()) return absl::OkStatus();
  return MakeError("V_PADDED_OVERFLOW", "the bits of the array do not fit into 64 bits");
}

Shape WithSomeLayout(Shape array) {
  if (!array.has_layout()) array.set_layout(Layout::Descending(array.rank()));
  return array;
}

}  // namespace

absl::StatusOr<Request> CheckRequest(const Shape& src, const Shape& dst, const Options& options) {
  TESSERA_RETURN_IF_ERROR(CheckTypes(src, dst));
  const Shape &from = src.array(), &to = dst.array();
  TESSERA_ASSIGN_OR_RETURN(Shape::Dims perm, CheckDims(options.perm, from, to));
  if (from.has_unbounded_dim() || to.has_unbounded_dim()) {
    return MakeError("R_UNBOUNDED", "an unbounded dimension has no size to copy");
  }
  TESSERA_ASSIGN_OR_RETURN(IndexMap src_map, IndexMap::Create(from));
  TESSERA_ASSIGN_OR_RETURN(IndexMap dst_map, IndexMap::Create(to));
  Request request{
      WithSomeLayout(from), WithSomeLayout(to), std::move(perm), std::move(src_map),
      std::move(dst_map),   StoredBits(from),   StoredBits(to),  from.NumElements().value_or(0)};
  TESSERA_RETURN_IF_ERROR(CheckBits(request, options.repack));
  TESSERA_RETURN_IF_ERROR(CheckSize(request.src_map, request.src_bits));
  TESSERA_RETURN_IF_ERROR(CheckSize(request.dst_map, request.dst_bits));
  return request;
}

}  // namespace tessera::layout::relayout
