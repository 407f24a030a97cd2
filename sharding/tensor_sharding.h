// How one tensor is spread over a mesh: per dimension a list of axes, and more.
//
//   // mesh ["data"=4, "model"=2], sdy text <@mesh, [{"data"}, {"model", ?}p1]>
//   TensorSharding s(mesh_id, 2);
//   s.dim(0).axes = {AxisRef::Full(0)};
//   s.dim(1) = {{AxisRef::Full(1)}, /*is_closed=*/false, /*priority=*/1};
//
// An axis that occurs nowhere is free: propagation may use it. `replicated_axes` are kept from it.
// Axes refer to the mesh `mesh_id()` of the module's MeshTable.
//
// A TensorSharding has no heap memory up to rank 4 with two axes a dimension. Code that touches
// millions of them holds ids of a ShardingTable instead (sharding_table.h).

#ifndef TESSERA_SHARDING_TENSOR_SHARDING_H_
#define TESSERA_SHARDING_TENSOR_SHARDING_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

// Priority of a dimension that has none written; what it counts as is 0, the strongest.
inline constexpr int64_t kNoPriority = -1;

struct DimensionSharding {
  AxisList axes;                   // major to minor
  bool is_closed = true;           // open (`?`): propagation may append axes at the minor end
  int64_t priority = kNoPriority;  // lower is stronger

  bool has_priority() const { return priority != kNoPriority; }
  // The priority that counts: 0 when none is written.
  int64_t effective_priority() const { return has_priority() ? priority : 0; }

  friend bool operator==(const DimensionSharding& a, const DimensionSharding& b) {
    return a.is_closed == b.is_closed && a.priority == b.priority && a.axes == b.axes;
  }
  friend bool operator!=(const DimensionSharding& a, const DimensionSharding& b) {
    return !(a == b);
  }
  template <typename H>
  friend H AbslHashValue(H h, const DimensionSharding& d) {
    return H::combine(std::move(h), d.axes, d.is_closed, d.priority);
  }
};

// The reduction that combines partial results along unreduced axes.
enum class Reduction : uint8_t { kSum, kMax, kMin };

class TensorSharding {
 public:
  using Dims = absl::InlinedVector<DimensionSharding, 4>;

  TensorSharding() = default;
  // `rank` empty dimensions, all closed or all open.
  explicit TensorSharding(MeshId mesh_id, int rank = 0, bool is_closed = true)
      : mesh_id_(mesh_id), dims_(static_cast<size_t>(rank)) {
    for (DimensionSharding& d : dims_) d.is_closed = is_closed;
  }
  static TensorSharding FullyClosed(MeshId mesh_id, int rank) {
    return TensorSharding(mesh_id, rank, true);
  }
  static TensorSharding FullyOpen(MeshId mesh_id, int rank) {
    return TensorSharding(mesh_id, rank, false);
  }

  MeshId mesh_id() const { return mesh_id_; }
  void set_mesh_id(MeshId id) { mesh_id_ = id; }

  int rank() const { return static_cast<int>(dims_.size()); }
  const Dims& dims() const { return dims_; }
  Dims& mutable_dims() { return dims_; }
  const DimensionSharding& dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  DimensionSharding& dim(int i) { return dims_[static_cast<size_t>(i)]; }

  // Kept replicated, in mesh order.
  const AxisList& replicated_axes() const { return replicated_; }
  AxisList& mutable_replicated_axes() { return replicated_; }

  // The value is a partial result along these, in mesh order, to be combined by `reduction`.
  const AxisList& unreduced_axes() const { return unreduced_; }
  AxisList& mutable_unreduced_axes() { return unreduced_; }
  Reduction reduction() const { return reduction_; }
  void set_reduction(Reduction r) { reduction_ = r; }

  // --- predicates ---
  // No dimension has axes (whatever is replicated or unreduced).
  bool IsFullyReplicated() const;
  bool IsFullyClosed() const;
  // Open and empty everywhere, nothing replicated or unreduced: says nothing at all.
  bool IsFullyOpen() const;
  // Some dimension, or one of the lists, uses any part of that axis.
  bool UsesAxis(int axis) const;
  // Calls f(AxisRef) for all axes: dimensions in order, then replicated, then unreduced ones.
  template <typename F>
  void ForEachAxis(F&& f) const {
    for (const DimensionSharding& d : dims_) {
      for (AxisRef a : d.axes) f(a);
    }
    for (AxisRef a : replicated_) f(a);
    for (AxisRef a : unreduced_) f(a);
  }

  friend bool operator==(const TensorSharding& a, const TensorSharding& b) {
    return a.mesh_id_ == b.mesh_id_ && a.dims_ == b.dims_ && a.replicated_ == b.replicated_ &&
           a.unreduced_ == b.unreduced_ && a.reduction_ == b.reduction_;
  }
  friend bool operator!=(const TensorSharding& a, const TensorSharding& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const TensorSharding& s) {
    return H::combine(std::move(h), s.mesh_id_, s.dims_, s.replicated_, s.unreduced_,
                      static_cast<int>(s.reduction_));
  }

 private:
  MeshId mesh_id_ = kNoMesh;
  Reduction reduction_ = Reduction::kSum;
  Dims dims_;
  absl::InlinedVector<AxisRef, 2> replicated_;
  absl::InlinedVector<AxisRef, 2> unreduced_;
};

// --- derived forms -------------------------------------------------------------------------------
//
//   form              dimensions                 replicated  unreduced  priorities
//   ClosedLike        same axes, all closed      dropped     kept       kept
//   FullyClosedLike   all empty, all closed      dropped     dropped    none
//   FullyOpenLike     all empty, all open        dropped     dropped    none
//   WithOpenDims      the listed ones opened     kept        kept       kept
TensorSharding ClosedLike(const TensorSharding& s);
TensorSharding FullyClosedLike(const TensorSharding& s);
TensorSharding FullyOpenLike(const TensorSharding& s);
// Dimensions that `s` does not have are ignored.
TensorSharding WithOpenDims(const TensorSharding& s, absl::Span<const int64_t> dims);

// Same placement: both nowhere sharded nor unreduced, or the same mesh, unreduced list and axes.
// Openness, priorities and replicated axes do not count. Null stands for "replicated".
bool AreEquivalent(const TensorSharding* a, const TensorSharding* b);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TENSOR_SHARDING_H_
