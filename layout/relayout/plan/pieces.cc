// Offsets of regular layouts are sums over the dimensions, so each dimension is cut by itself and
// the pieces are all combinations.
//
// Separable dimension (all cuts divide each other): digits of a mixed radix have constant strides;
// a ragged end makes a box for each place, see regular_form.h.
//
// Else (tiles of 3 against tiles of 2): with P the least common multiple of all cuts, moving by P
// moves both offsets by constants. So one period is walked element by element and cut where a
// stride changes. Each segment is repeated for all whole periods. The rest is walked in the same
// way.
//
// Cost: small, except for periods: proportional to their length. Tested by plan_test.cc.

#include "tessera/layout/relayout/plan/pieces.h"

#include <algorithm>
#include <numeric>

#include "tessera/text/checked.h"

namespace tessera::layout::relayout {
namespace {

// A part of one dimension.
struct Part {
  int64_t src = 0;
  int64_t dst = 0;
  Loops loops;
};
using Parts = std::vector<Part>;

// One dimension: its terms on both sides.
struct Dimension {
  int64_t size = 1;
  const RegularForm* src;
  const RegularForm* dst;
  int64_t src_dim;
  int64_t dst_dim;
};

int64_t OffsetAt(const RegularForm& form, int64_t dim, int64_t index) {
  int64_t offset = 0;
  for (const Term& term : form) {
    if (term.dim != dim) continue;
    const int64_t quotient = index / term.div;
    offset += term.stride * (term.mod == 0 ? quotient : quotient % term.mod);
  }
  return offset;
}

int64_t SrcAt(const Dimension& d, int64_t index) { return OffsetAt(*d.src, d.src_dim, index); }
int64_t DstAt(const Dimension& d, int64_t index) { return OffsetAt(*d.dst, d.dst_dim, index); }

Parts DigitParts(const Dimension& d, absl::Span<const int64_t> radices) {
  Parts parts;
  for (const DigitBox& box : DigitBoxes(d.size, radices)) {
    Part& part = parts.emplace_back(Part{SrcAt(d, box.base), DstAt(d, box.base), {}});
    for (size_t i = 0; i < radices.size(); ++i) {
      if (box.extents[i] == 1) continue;
      part.loops.push_back({box.extents[i], DigitStride(*d.src, d.src_dim, radices[i]),
                            DigitStride(*d.dst, d.dst_dim, radices[i])});
    }
  }
  return parts;
}

// The least common multiple of `period` and the cuts below `size`; 0 if that is too long.
int64_t PeriodWith(int64_t period, const RegularForm& form, int64_t dim, int64_t size) {
  for (const Term& term : form) {
    if (term.dim != dim) continue;
    for (const int64_t factor : {int64_t{1}, term.mod}) {
      int64_t cut = 0;
      if (factor == 0 || !MultiplyFits(term.div, factor, &cut)) continue;
      if (cut >= std::max<int64_t>(size, 2)) continue;
      if (cut > kLongestPeriod) return 0;
      period = std::lcm(period, cut);
      if (period > kLongestPeriod) return 0;
    }
  }
  return period;
}

// Cuts [begin, end) into runs along which both offsets grow evenly, each done `repeats` times.
void AddSegments(const Dimension& d, int64_t begin, int64_t end, const Loop& repeats,
                 Parts* parts) {
  for (int64_t at = begin; at < end;) {
    Part part{SrcAt(d, at), DstAt(d, at), {}};
    Loop run{1, 0, 0};
    for (int64_t next = at + 1; next < end; ++next, ++run.extent) {
      const int64_t src = SrcAt(d, next) - SrcAt(d, next - 1);
      const int64_t dst = DstAt(d, next) - DstAt(d, next - 1);
      if (run.extent == 1) run = {1, src, dst};
      if (src != run.src || dst != run.dst || src < 0 || dst < 0) break;
    }
    if (repeats.extent > 1) part.loops.push_back(repeats);
    if (run.extent > 1) part.loops.push_back(run);
    at += run.extent;
    parts->push_back(std::move(part));
  }
}

Parts PeriodParts(const Dimension& d) {
  int64_t period = PeriodWith(1, *d.src, d.src_dim, d.size);
  if (period > 0) period = PeriodWith(period, *d.dst, d.dst_dim, d.size);
  if (period == 0 || period > d.size) period = d.size;
  Parts parts;
  if (period > kLongestPeriod) return parts;
  const int64_t whole = d.size / period;
  const Loop repeats{whole, SrcAt(d, period) - SrcAt(d, 0), DstAt(d, period) - DstAt(d, 0)};
  AddSegments(d, 0, period, whole > 1 ? repeats : Loop{1, 0, 0}, &parts);
  AddSegments(d, whole * period, d.size, {1, 0, 0}, &parts);
  return parts;
}

// Empty if the dimension cannot be cut into few parts.
Parts PartsOf(const Dimension& d) {
  const auto radices = CommonRadices(d.size, *d.src, d.src_dim, *d.dst, d.dst_dim);
  return radices.has_value() ? DigitParts(d, *radices) : PeriodParts(d);
}

std::vector<Nest> Combine(const std::vector<Nest>& nests, const Parts& parts) {
  std::vector<Nest> all;
  all.reserve(nests.size() * parts.size());
  for (const Nest& nest : nests) {
    for (const Part& part : parts) {
      Nest& both = all.emplace_back(nest);
      both.src += part.src;
      both.dst += part.dst;
      both.loops.insert(both.loops.end(), part.loops.begin(), part.loops.end());
    }
  }
  return all;
}

}  // namespace

std::optional<std::vector<Nest>> PiecesOf(const Sides& sides) {
  std::vector<Nest> nests(1);
  for (size_t i = 0; i < sides.perm.size(); ++i) {
    const int64_t dim = sides.perm[i];
    const Parts parts =
        PartsOf({sides.dims[dim], sides.src, sides.dst, dim, static_cast<int64_t>(i)});
    const int64_t count = static_cast<int64_t>(nests.size() * parts.size());
    if (count == 0 || count > kMaxPieces) return std::nullopt;
    nests = Combine(nests, parts);
  }
  return nests;
}

}  // namespace tessera::layout::relayout
