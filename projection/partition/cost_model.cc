// Four models behind one interface; MultiLinear is the one with an idea. Widths of regions are
// affine in the extents of a block, so costs are sums of products of extents, one coefficient for
// each subset of axes. Costs at extents 1 and 2 give them all, by differences along one axis after
// the other:
//
//   a matrix product reads n k + k m: asked at the eight corners, all coefficients but those of
//   {n, k} and {k, m} come out as 0
//
// Cost: 2^axes evaluations once, then 2^axes products a query. Tested by cost_model_test.cc.
#include "tessera/projection/partition/cost_model.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Keeps what overflowed.
class Adder {
 public:
  explicit Adder(int64_t factor) : factor_(factor) {}
  int64_t operator()(int64_t a, int64_t b) {
    const Checked sum = Checked(b) * factor_ + a;
    ok_ = ok_ && sum.ok();
    return sum.value();
  }
  std::vector<int64_t> operator()(std::vector<int64_t> a, const std::vector<int64_t>& b) {
    a.resize(std::max(a.size(), b.size()));
    for (size_t i = 0; i < b.size(); ++i) a[i] = (*this)(a[i], b[i]);
    return a;
  }
  std::optional<double> operator()(std::optional<double> a, std::optional<double> b) {
    if (!a.has_value() || !b.has_value()) return std::nullopt;
    return *a + static_cast<double>(factor_) * *b;
  }
  bool ok() const { return ok_; }

 private:
  int64_t factor_;
  bool ok_ = true;
};

// `a` known as zero where it says nothing, so that `b` decides.
CostVector ZeroLike(const CostVector& b) {
  CostVector zero;
  if (b.seconds.has_value()) zero.seconds = 0;
  if (b.joules.has_value()) zero.joules = 0;
  return zero;
}

absl::StatusOr<int64_t> Product(const ZPoint& extents) {
  Checked product = 1;
  for (int64_t n : extents) product *= n;
  if (!product.ok()) return OverflowError("the indices of a block");
  return product.value();
}

}  // namespace

bool operator==(const CostVector& a, const CostVector& b) {
  return a.flops == b.flops && a.transcendentals == b.transcendentals && a.int_ops == b.int_ops &&
         a.bytes_read == b.bytes_read && a.bytes_written == b.bytes_written &&
         a.bytes_intermediate == b.bytes_intermediate && a.launches == b.launches &&
         a.seconds == b.seconds && a.joules == b.joules;
}

absl::StatusOr<CostVector> Plus(const CostVector& a, const CostVector& b, int64_t factor) {
  Adder add(factor);
  CostVector out;
  out.flops = add(a.flops, b.flops);
  out.transcendentals = add(a.transcendentals, b.transcendentals);
  out.int_ops = add(a.int_ops, b.int_ops);
  out.bytes_read = add(a.bytes_read, b.bytes_read);
  out.bytes_written = add(a.bytes_written, b.bytes_written);
  out.bytes_intermediate = add(a.bytes_intermediate, b.bytes_intermediate);
  out.launches = add(a.launches, b.launches);
  out.seconds = add(a.seconds, b.seconds);
  out.joules = add(a.joules, b.joules);
  if (!add.ok()) return OverflowError("a cost");
  return out;
}

absl::StatusOr<CostVector> Marginal(const CostModel& model, const ZPoint& extents, int axis) {
  ZPoint more = extents;
  ++more[axis];
  TESSERA_ASSIGN_OR_RETURN(const CostVector after, model.Cost(more));
  TESSERA_ASSIGN_OR_RETURN(const CostVector before, model.Cost(extents));
  return Plus(after, before, -1);
}

absl::StatusOr<CostVector> PointRate::Cost(const ZPoint& extents) const {
  TESSERA_ASSIGN_OR_RETURN(const int64_t points, Product(extents));
  return Plus(fixed_, rate_, points);
}

// With f(S) the cost where the axes of S have extent 2 and the others 1, the coefficients follow by
// adding and taking away: along one axis f = a + b n, so b = f(2) - f(1) and a = 2 f(1) - f(2).
absl::StatusOr<MultiLinear> MultiLinear::Fit(int rank, const Exact& exact) {
  if (rank > 12) return MakeError(ErrorCode::kTooLarge, absl::StrCat(rank, " axes"));
  MultiLinear out;
  out.rank_ = rank;
  const size_t subsets = size_t{1} << rank;
  for (size_t s = 0; s < subsets; ++s) {
    ZPoint extents = ZPoint::Filled(rank, 1);
    for (int c = 0; c < rank; ++c) extents[c] += static_cast<int64_t>(s >> c & 1);
    TESSERA_ASSIGN_OR_RETURN(CostVector cost, exact(extents));
    out.coefficients_.push_back(std::move(cost));
  }
  for (int c = 0; c < rank; ++c) {
    for (size_t s = 0; s < subsets; ++s) {
      if (s >> c & 1) continue;
      CostVector &one = out.coefficients_[s], &two = out.coefficients_[s | size_t{1} << c];
      TESSERA_ASSIGN_OR_RETURN(two, Plus(two, one, -1));
      TESSERA_ASSIGN_OR_RETURN(one, Plus(one, two, -1));
    }
  }
  return out;
}

absl::StatusOr<CostVector> MultiLinear::Cost(const ZPoint& extents) const {
  if (extents.rank() != rank_)
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat(extents.rank(), " extents for ", rank_, " axes"));
  CostVector sum = ZeroLike(coefficients_[0]);
  for (size_t s = 0; s < coefficients_.size(); ++s) {
    Checked product = 1;
    for (int c = 0; c < rank_; ++c) product *= s >> c & 1 ? extents[c] : 1;
    if (!product.ok()) return OverflowError("the indices of a block");
    TESSERA_ASSIGN_OR_RETURN(sum, Plus(sum, coefficients_[s], product.value()));
  }
  return sum;
}

absl::StatusOr<CostVector> InputBytes::Cost(const ZPoint& extents) const {
  TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, bytes_(extents));
  return Plus(fixed_, rate_, bytes);
}

absl::StatusOr<CostVector> Quantum::Cost(const ZPoint& extents) const {
  if (extents.rank() != quanta_.rank())
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat(extents.rank(), " extents for ", quanta_.rank(), " quanta"));
  ZPoint rounded = extents;
  for (int c = 0; c < extents.rank(); ++c) rounded[c] = NextCliff(extents, c);
  return model_.Cost(rounded);
}

}  // namespace tessera::projection
