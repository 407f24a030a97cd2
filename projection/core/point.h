// ZPoint: a fixed sequence of integers; a place, a displacement, an extent or a list of strides in
// Z^n.
//
//   ZPoint a = {1, 2}, b = {1, 3};
//   a.Compare(b)          // Dominance::kLess: nowhere greater, somewhere smaller
//   a.ToString()          // "[1, 2]"
//   *a.Plus(b)            // [2, 5]; overflow is an error
//
// Rank 0 is allowed everywhere: the one point of the 0-dimensional space. No allocation up to
// rank 6.
#ifndef TESSERA_PROJECTION_CORE_POINT_H_
#define TESSERA_PROJECTION_CORE_POINT_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::projection {

// How two points of one rank lie to each other, coordinate by coordinate.
enum class Dominance { kEqual, kLess, kGreater, kIncomparable };

class ZPoint {
 public:
  ZPoint() = default;
  ZPoint(std::initializer_list<int64_t> values) : v_(values) {}
  explicit ZPoint(absl::Span<const int64_t> values) : v_(values.begin(), values.end()) {}
  // `rank` times the same value.
  static ZPoint Filled(int rank, int64_t value);

  int rank() const { return static_cast<int>(v_.size()); }
  int64_t operator[](int i) const { return v_[i]; }
  int64_t& operator[](int i) { return v_[i]; }
  auto begin() const { return v_.begin(); }
  auto end() const { return v_.end(); }
  void push_back(int64_t value) { v_.push_back(value); }
  operator absl::Span<const int64_t>() const { return absl::MakeConstSpan(v_); }  // NOLINT: a view

  // Sums and products: kRankMismatch for different ranks, kOverflow.
  absl::StatusOr<ZPoint> Plus(const ZPoint& other) const;
  absl::StatusOr<ZPoint> Times(int64_t factor) const;

  // The dimensions begin .. end - 1.
  ZPoint Part(int begin, int end) const;

  // result[i] = (*this)[permutation[i]]; kBadPermutation.
  absl::StatusOr<ZPoint> Permute(absl::Span<const int> permutation) const;

  // kRankMismatch for different ranks.
  absl::StatusOr<Dominance> Compare(const ZPoint& other) const;

  std::string ToString() const;  // "[1, 2]"
  std::string ToJson() const;    // "[1,2]"

  friend bool operator==(const ZPoint& a, const ZPoint& b) { return a.v_ == b.v_; }
  friend bool operator!=(const ZPoint& a, const ZPoint& b) { return !(a == b); }
  friend bool operator<(const ZPoint& a, const ZPoint& b) { return a.v_ < b.v_; }  // lexicographic
  template <typename H>
  friend H AbslHashValue(H h, const ZPoint& p) {
    return H::combine(std::move(h), absl::MakeConstSpan(p.v_));
  }

 private:
  absl::InlinedVector<int64_t, 6> v_;
};

// `dim` counted from the end when negative: NormalizeDim(-1, 3) == 2; kBadDim outside [-rank,
// rank).
absl::StatusOr<int> NormalizeDim(int64_t dim, int rank);

// Ok when `permutation` holds each of 0..rank-1 once, else kBadPermutation.
absl::Status CheckPermutation(absl::Span<const int> permutation, int rank);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_POINT_H_
