#include "tessera/projection/core/point.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

absl::Status RankMismatch(const ZPoint& a, const ZPoint& b) {
  return MakeError(ErrorCode::kRankMismatch, absl::StrCat("point ", a.ToString(), " and point ",
                                                          b.ToString(), " differ in rank"));
}

// Applies `op` to each pair of coordinates.
template <typename Op>
absl::StatusOr<ZPoint> Zip(const ZPoint& a, const ZPoint& b, Op op) {
  if (a.rank() != b.rank()) return RankMismatch(a, b);
  ZPoint out = a;
  for (int i = 0; i < a.rank(); ++i) {
    Checked value = op(Checked(a[i]), Checked(b[i]));
    if (!value.ok())
      return OverflowError(absl::StrCat("a sum of ", a.ToString(), " and ", b.ToString()));
    out[i] = value.value();
  }
  return out;
}

}  // namespace

ZPoint ZPoint::Filled(int rank, int64_t value) {
  ZPoint p;
  p.v_.assign(rank, value);
  return p;
}

absl::StatusOr<ZPoint> ZPoint::Plus(const ZPoint& other) const {
  return Zip(*this, other, [](Checked a, Checked b) { return a + b; });
}

absl::StatusOr<ZPoint> ZPoint::Times(int64_t factor) const {
  return Zip(*this, Filled(rank(), factor), [](Checked a, Checked b) { return a * b; });
}

ZPoint ZPoint::Part(int begin, int end) const {
  ZPoint out;
  for (int i = begin; i < end; ++i) out.push_back(v_[i]);
  return out;
}

absl::StatusOr<ZPoint> ZPoint::Permute(absl::Span<const int> permutation) const {
  absl::Status valid = CheckPermutation(permutation, rank());
  if (!valid.ok()) return valid;
  ZPoint out = *this;
  for (int i = 0; i < rank(); ++i) out[i] = v_[permutation[i]];
  return out;
}

absl::StatusOr<Dominance> ZPoint::Compare(const ZPoint& other) const {
  if (rank() != other.rank()) return RankMismatch(*this, other);
  bool less = false, greater = false;
  for (int i = 0; i < rank(); ++i) {
    less |= v_[i] < other[i];
    greater |= v_[i] > other[i];
  }
  if (less && greater) return Dominance::kIncomparable;
  if (less) return Dominance::kLess;
  return greater ? Dominance::kGreater : Dominance::kEqual;
}

std::string ZPoint::ToString() const { return absl::StrCat("[", absl::StrJoin(v_, ", "), "]"); }

std::string ZPoint::ToJson() const { return absl::StrCat("[", absl::StrJoin(v_, ","), "]"); }

absl::StatusOr<int> NormalizeDim(int64_t dim, int rank) {
  if (dim < -rank || dim >= rank) {
    return MakeError(ErrorCode::kBadDim,
                     absl::StrCat("dimension ", dim, " is not in [-", rank, ", ", rank, ")"));
  }
  return static_cast<int>(dim < 0 ? dim + rank : dim);
}

absl::Status CheckPermutation(absl::Span<const int> permutation, int rank) {
  std::vector<bool> seen(rank, false);
  bool ok = static_cast<int>(permutation.size()) == rank;
  for (int i = 0; ok && i < rank; ++i) {
    ok = permutation[i] >= 0 && permutation[i] < rank && !seen[permutation[i]];
    if (ok) seen[permutation[i]] = true;
  }
  if (ok) return absl::OkStatus();
  return MakeError(ErrorCode::kBadPermutation,
                   absl::StrCat("[", absl::StrJoin(permutation, ", "), "] is not a permutation of ",
                                rank, " dimensions"));
}

}  // namespace tessera::projection
