// Idea. A sweep, dimension by dimension. In dimension d the walls of all boxes cut the axis into
// elementary intervals, inside which nothing changes. For each of them the boxes that cover it are
// combined in the remaining dimensions. Neighbours with equal cross sections are merged. Below the
// last dimension a list of boxes is a truth value: it is not empty, and the operation is applied to
// the two truth values. One recursion so serves union, intersection and difference alike.
//
// Example, union of [0,2)x[0,2) and [1,3)x[1,3): cuts 0 1 2 3; cross sections [0,2), [0,3), [1,3).
//
// Cost: O(cuts * boxes) in each dimension. Tested by set_test.cc against sets of points.
#include "tessera/projection/set/slab.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// A slab box of the dimensions from some dimension on, in this order.
struct Tail {
  std::vector<int64_t> walls;  // first, end, first, end, ...
  friend bool operator==(const Tail& a, const Tail& b) { return a.walls == b.walls; }
};
using Tails = std::vector<Tail>;
using Boxes = std::vector<const ZRange*>;

class Sweep {
 public:
  Sweep(int rank, SetOp op, int64_t limit) : rank_(rank), op_(op), limit_(limit) {}

  absl::StatusOr<Tails> Run(const Boxes& a, const Boxes& b, int dim) const {
    if (Dead(a, b)) return Tails();
    if (dim == rank_) return Holds(!a.empty(), !b.empty()) ? Tails{Tail{}} : Tails{};
    std::vector<int64_t> cuts = Cuts(a, b, dim);
    Tails out, section;  // `section` is the cross section of the run that began at cuts[begin]
    size_t begin = 0;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      TESSERA_ASSIGN_OR_RETURN(Tails next,
                               Run(Covering(a, dim, cuts[i]), Covering(b, dim, cuts[i]), dim + 1));
      if (next == section) continue;
      Emit(cuts[begin], cuts[i], section, &out);
      section = std::move(next);
      begin = i;
      if (static_cast<int64_t>(out.size()) > limit_) return TooLarge();
    }
    if (!cuts.empty()) Emit(cuts[begin], cuts.back(), section, &out);
    if (static_cast<int64_t>(out.size()) > limit_) return TooLarge();
    return out;
  }

 private:
  bool Holds(bool in_a, bool in_b) const {
    if (op_ == SetOp::kUnion) return in_a || in_b;
    return op_ == SetOp::kIntersect ? in_a && in_b : in_a && !in_b;
  }

  // Nothing can come of these lists.
  bool Dead(const Boxes& a, const Boxes& b) const {
    return !Holds(!a.empty(), !b.empty()) && !(op_ == SetOp::kSubtract && !a.empty());
  }

  static std::vector<int64_t> Cuts(const Boxes& a, const Boxes& b, int dim) {
    std::vector<int64_t> cuts;
    for (const Boxes* list : {&a, &b}) {
      for (const ZRange* box : *list) {
        cuts.push_back(box->start()[dim]);
        cuts.push_back(box->end()[dim]);
      }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
  }

  static Boxes Covering(const Boxes& list, int dim, int64_t at) {
    Boxes out;
    for (const ZRange* box : list) {
      if (box->start()[dim] <= at && at < box->end()[dim]) out.push_back(box);
    }
    return out;
  }

  static void Emit(int64_t first, int64_t end, const Tails& section, Tails* out) {
    for (const Tail& tail : section) {
      Tail whole{{first, end}};
      whole.walls.insert(whole.walls.end(), tail.walls.begin(), tail.walls.end());
      out->push_back(std::move(whole));
    }
  }

  absl::Status TooLarge() const {
    return MakeError(ErrorCode::kTooLarge,
                     absl::StrCat("an exact set of more than ", limit_, " boxes"));
  }

  int rank_;
  SetOp op_;
  int64_t limit_;
};

Boxes NotEmpty(absl::Span<const ZRange> list) {
  Boxes out;
  for (const ZRange& box : list) {
    if (!box.empty()) out.push_back(&box);
  }
  return out;
}

ZRange ToRange(const Tail& tail) {
  ZPoint start, end;
  for (size_t i = 0; i < tail.walls.size(); i += 2) {
    start.push_back(tail.walls[i]);
    end.push_back(tail.walls[i + 1]);
  }
  return *ZRange::Create(std::move(start), std::move(end));
}

}  // namespace

absl::StatusOr<std::vector<ZRange>> CombineSlabs(int rank, absl::Span<const ZRange> a,
                                                 absl::Span<const ZRange> b, SetOp op,
                                                 int64_t limit) {
  TESSERA_ASSIGN_OR_RETURN(Tails tails, Sweep(rank, op, limit).Run(NotEmpty(a), NotEmpty(b), 0));
  std::vector<ZRange> out;
  out.reserve(tails.size());
  for (const Tail& tail : tails) out.push_back(ToRange(tail));
  return out;
}

}  // namespace tessera::projection
