// Axis references as intervals.
//
// An axis of size S is cut into major-to-minor parts. The part from pre-size p to next pre-size q
// is the interval [p, q) on the divisors of S. A full axis is [1, S). Two parts of one cut are
// disjoint intervals, a prefix of an axis is an interval with the same start, and so on. Intervals
// of numbers do not have divisibility. [1, 2) and [3, 6) are disjoint, but no cut of an axis gives
// both, for 2 does not divide 3. CanCoexist() is that test; the other predicates look at the ends
// only.
//
// Tested by axes_test.cc against sets of devices for all parts of all axes up to a small size.

#include "tessera/sharding/axes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/text/quote.h"

namespace tessera::sharding {
namespace {

// The ends of two sub-axes of one axis, smaller and larger one.
struct Ends {
  int64_t min_pre, max_pre, min_next, max_next;

  Ends(AxisRef a, AxisRef b)
      : min_pre(std::min(a.pre_size(), b.pre_size())),
        max_pre(std::max(a.pre_size(), b.pre_size())),
        min_next(std::min(Next(a), Next(b))),
        max_next(std::max(Next(a), Next(b))) {}

  static int64_t Next(AxisRef sub) { return sub.pre_size() * sub.sub_size(); }
};

// `b % a == 0`, where a zero (a malformed sub-axis) divides nothing.
bool Divides(int64_t a, int64_t b) { return a != 0 && b % a == 0; }

AxisRef Between(AxisRef of, int64_t pre, int64_t next) {
  return AxisRef::Sub(of.axis(), pre, pre == 0 ? 0 : next / pre);
}

}  // namespace

bool AxisNameLess::operator()(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b) const {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [this](AxisRef x, AxisRef y) { return (*this)(x, y); });
}

bool Overlaps(AxisRef a, AxisRef b) {
  if (a.axis() != b.axis()) return false;
  if (a.is_full() || b.is_full()) return true;
  return a.pre_size() < Ends::Next(b) && b.pre_size() < Ends::Next(a);
}

bool CanCoexist(AxisRef a, AxisRef b) {
  if (a.axis() != b.axis() || a.is_full() || b.is_full()) return true;
  const Ends e(a, b);
  if (e.min_next <= e.max_pre) return Divides(e.min_next, e.max_pre);
  return Divides(e.max_pre, e.min_next) && Divides(e.min_pre, e.max_pre) &&
         Divides(e.min_next, e.max_next);
}

bool Contains(AxisRef a, AxisRef b) {
  if (a.axis() != b.axis()) return false;
  if (a.is_full() || b.is_full()) return a.is_full();
  return a.pre_size() <= b.pre_size() && Ends::Next(a) >= Ends::Next(b);
}

bool IsPrefixOf(AxisRef a, AxisRef b) { return Contains(b, a) && a.pre_size() == b.pre_size(); }

bool IsStrictPrefixOf(AxisRef a, AxisRef b) { return a != b && IsPrefixOf(a, b); }

bool IsSuffixOf(AxisRef a, AxisRef b, const Mesh& mesh) {
  return Contains(b, a) && a.next_pre_size(mesh) == b.next_pre_size(mesh);
}

std::optional<AxisRef> Overlap(AxisRef a, AxisRef b) {
  if (a.axis() != b.axis()) return std::nullopt;
  if (a.is_full()) return b;
  if (b.is_full()) return a;
  const Ends e(a, b);
  if (e.min_next <= e.max_pre || !CanCoexist(a, b)) return std::nullopt;
  return Between(a, e.max_pre, e.min_next);
}

std::optional<AxisRef> PrefixWithoutOverlap(AxisRef a, AxisRef b) {
  if (!CanCoexist(a, b)) return std::nullopt;
  if (!Overlaps(a, b)) return a;
  if (a.pre_size() >= b.pre_size()) return std::nullopt;
  return Between(a, a.pre_size(), b.pre_size());
}

std::optional<AxisRef> SuffixWithoutOverlap(AxisRef a, AxisRef b, const Mesh& mesh) {
  if (!CanCoexist(a, b)) return std::nullopt;
  if (!Overlaps(a, b)) return a;
  const int64_t next_a = a.next_pre_size(mesh);
  const int64_t next_b = b.next_pre_size(mesh);
  if (next_a <= next_b) return std::nullopt;
  return Between(a, next_b, next_a);
}

std::optional<AxisRef> GreatestCommonPrefix(AxisRef a, AxisRef b) {
  if (!CanCoexist(a, b)) return std::nullopt;
  if (IsPrefixOf(a, b)) return a;
  if (IsPrefixOf(b, a)) return b;
  return std::nullopt;
}

bool CanMerge(AxisRef a, AxisRef b) {
  return a.axis() == b.axis() && a.is_sub() && b.is_sub() && Ends::Next(a) == b.pre_size();
}

AxisRef Merge(AxisRef a, AxisRef b, const Mesh& mesh) {
  const int64_t size = a.sub_size() * b.sub_size();
  if (size == mesh.axis_size(a.axis())) return AxisRef::Full(a.axis());
  return AxisRef::Sub(a.axis(), a.pre_size(), size);
}

std::string AxisRefToString(AxisRef ref, const Mesh& mesh) {
  std::string name = QuoteName(mesh.axis(ref.axis()).name);
  if (ref.is_full()) return name;
  return absl::StrCat(name, ":(", ref.pre_size(), ")", ref.sub_size());
}

}  // namespace tessera::sharding
