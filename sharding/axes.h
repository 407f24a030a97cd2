// References to a mesh axis, or to a part of one.
//
// An axis of size 8 can be split into major-to-minor parts, say of sizes 2, 2, 2. The part in the
// middle is the sub-axis `"a":(2)2`: it has pre-size 2 (the product of the parts before it) and
// size 2; its next pre-size is 4.
//
//   AxisRef a = AxisRef::Full(0);          // "a", the first axis of the mesh
//   AxisRef mid = AxisRef::Sub(0, 2, 2);   // "a":(2)2
//   Contains(a, mid);                      // true
//   PrefixWithoutOverlap(a, mid);          // "a":(1)2
//   SuffixWithoutOverlap(a, mid, mesh);    // "a":(4)2
//
// An AxisRef is one 64-bit word, so that copies, comparisons and hashes are free. It does not know
// its mesh: what needs the full size of the axis takes the mesh, and comparing references of
// different meshes means nothing.
//
// Two references to different axes never overlap, always coexist, and are left alone by the
// "without overlap" operations.

#ifndef TESSERA_SHARDING_AXES_H_
#define TESSERA_SHARDING_AXES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

class AxisRef {
 public:
  // The first axis of the mesh, whole.
  constexpr AxisRef() : AxisRef(Full(0)) {}

  static constexpr AxisRef Full(int axis) { return AxisRef(Pack(axis, 1, kWhole)); }
  // `pre_size` and `size` must lie in [0, 2^26 - 1). No other check: that is the verifier's work.
  static constexpr AxisRef Sub(int axis, int64_t pre_size, int64_t size) {
    return AxisRef(Pack(axis, static_cast<uint64_t>(pre_size), static_cast<uint64_t>(size)));
  }

  constexpr int axis() const { return static_cast<int>(bits_ >> 52); }
  constexpr bool is_full() const { return (bits_ & kField) == kWhole; }
  constexpr bool is_sub() const { return !is_full(); }
  // 1 for a full axis.
  constexpr int64_t pre_size() const { return static_cast<int64_t>((bits_ >> 26) & kField); }
  // Only of a sub-axis.
  constexpr int64_t sub_size() const { return static_cast<int64_t>(bits_ & kField); }

  // Number of parts that this reference divides a dimension into.
  constexpr int64_t size(int64_t full_size) const { return is_full() ? full_size : sub_size(); }
  int64_t size(const Mesh& mesh) const { return size(mesh.axis_size(axis())); }
  constexpr int64_t next_pre_size(int64_t full_size) const {
    return is_full() ? full_size : pre_size() * sub_size();
  }
  int64_t next_pre_size(const Mesh& mesh) const { return next_pre_size(mesh.axis_size(axis())); }

  // The word itself. Ordered as below; equal references have equal words.
  constexpr uint64_t bits() const { return bits_; }

  friend constexpr bool operator==(AxisRef a, AxisRef b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(AxisRef a, AxisRef b) { return a.bits_ != b.bits_; }
  // Mesh order: by axis, then by (pre-size, size); a full axis counts as pre-size 1 and comes after
  // every sub-axis with that pre-size.
  friend constexpr bool operator<(AxisRef a, AxisRef b) { return a.bits_ < b.bits_; }

  template <typename H>
  friend H AbslHashValue(H h, AxisRef a) {
    return H::combine(std::move(h), a.bits_);
  }

 private:
  static constexpr uint64_t kField = (uint64_t{1} << 26) - 1;
  static constexpr uint64_t kWhole = kField;

  explicit constexpr AxisRef(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t Pack(int axis, uint64_t pre_size, uint64_t size) {
    return static_cast<uint64_t>(axis) << 52 | (pre_size & kField) << 26 | (size & kField);
  }

  uint64_t bits_;  // axis: 12 bits, pre-size: 26, size: 26 (all ones: the whole axis)
};

// Axes of one dimension, major to minor, or a set of axes in mesh order. Two fit without heap.
using AxisList = absl::InlinedVector<AxisRef, 2>;

// Order by axis name (bytewise) instead of by position in the mesh; same axis: as operator<.
class AxisNameLess {
 public:
  explicit AxisNameLess(const Mesh& mesh) : mesh_(&mesh) {}
  bool operator()(AxisRef a, AxisRef b) const {
    if (a.axis() == b.axis()) return a < b;
    return mesh_->name_rank(a.axis()) < mesh_->name_rank(b.axis());
  }
  // Shorter lists first, then the first difference decides.
  bool operator()(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b) const;

 private:
  const Mesh* mesh_;
};

// --- two references ------------------------------------------------------------------------------

// Some device differs along both.
bool Overlaps(AxisRef a, AxisRef b);

// Both can come out of one split of the axis: "a":(1)2 and "a":(3)2 of an axis of size 6 cannot.
bool CanCoexist(AxisRef a, AxisRef b);

// `b` lies within `a`, judged by the two ends only: "a":(1)6 contains "a":(2)2.
bool Contains(AxisRef a, AxisRef b);

// `a` is the major part, or all, of `b`. ("a":(1)2 is a prefix of "a".)
bool IsPrefixOf(AxisRef a, AxisRef b);
bool IsStrictPrefixOf(AxisRef a, AxisRef b);
// `a` is the minor part, or all, of `b`.
bool IsSuffixOf(AxisRef a, AxisRef b, const Mesh& mesh);

// The common part of both. With a full axis: the other one, unchecked.
std::optional<AxisRef> Overlap(AxisRef a, AxisRef b);

// The largest major part of `a` that does not overlap `b`; `a` itself when nothing overlaps; none
// when `b` begins where `a` begins, or when they cannot coexist.
std::optional<AxisRef> PrefixWithoutOverlap(AxisRef a, AxisRef b);
// The same for the minor part.
std::optional<AxisRef> SuffixWithoutOverlap(AxisRef a, AxisRef b, const Mesh& mesh);

// The one that is a prefix of the other, if any.
std::optional<AxisRef> GreatestCommonPrefix(AxisRef a, AxisRef b);

// Both are sub-axes and `b` begins where `a` ends. The order matters: `a` is the major one.
bool CanMerge(AxisRef a, AxisRef b);
// Requires CanMerge. The full axis when the two make it up.
AxisRef Merge(AxisRef a, AxisRef b, const Mesh& mesh);

// --- text ----------------------------------------------------------------------------------------

// "a" or "a":(2)2, quoted and escaped as in sdy text.
std::string AxisRefToString(AxisRef ref, const Mesh& mesh);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_AXES_H_
