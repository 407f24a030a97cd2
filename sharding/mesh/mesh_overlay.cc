// Both meshes are ways to cut the same row of devices. So both lists of axes are walked from the
// major end, and the smaller of the two remainders is cut off each time:
//
//   other  ["a"=4, "b"=2]        |   a   | b |
//   main   ["x"=2, "y"=2, "z"=2] | x | y | z |      a = x, y;  b = z
//   other  ["p"=2, "q"=4]        | p |   q   |
//   main   ["d"=8]               |     d     |      p = d:(1)2;  q = d:(2)4
//
// It fails where a remainder does not divide the other. Linear in the axes. Tested by
// mesh_merge_test.cc.

#include "tessera/sharding/mesh/mesh_overlay.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding {
namespace {

// A place in the list of a mesh's axes; axes of size 1 are passed over.
class AxisWalk {
 public:
  explicit AxisWalk(const Mesh& mesh) : mesh_(mesh) { Settle(); }

  bool AtEnd() const { return axis_ == mesh_.num_axes(); }
  int axis() const { return axis_; }
  int64_t rest() const { return mesh_.axis_size(axis_) / pre_; }
  // The next piece of `size`, which must divide rest().
  AxisRef Take(int64_t size) {
    const AxisRef piece =
        size == mesh_.axis_size(axis_) ? AxisRef::Full(axis_) : AxisRef::Sub(axis_, pre_, size);
    pre_ *= size;
    if (rest() == 1) {
      ++axis_;
      Settle();
    }
    return piece;
  }

 private:
  void Settle() {
    pre_ = 1;
    while (!AtEnd() && mesh_.axis_size(axis_) == 1) ++axis_;
  }

  const Mesh& mesh_;
  int axis_ = 0;
  int64_t pre_ = 1;
};

absl::Status CannotCut(AxisRef piece, const Mesh& mesh) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a sub-axis ends inside ", AxisRefToString(piece, mesh), " of size ", piece.size(mesh),
      " of the mesh that its own mesh is merged with (both have the same devices); write it in the "
      "axes of that mesh, as a divisor of the size"));
}

}  // namespace

std::optional<std::vector<AxisList>> LayMeshOver(const Mesh& other, const Mesh& main) {
  std::vector<AxisList> pieces(static_cast<size_t>(other.num_axes()));
  AxisWalk from(other);
  AxisWalk to(main);
  while (!from.AtEnd() && !to.AtEnd()) {
    const int64_t size = std::min(from.rest(), to.rest());
    if (from.rest() % size != 0 || to.rest() % size != 0) return std::nullopt;
    pieces[static_cast<size_t>(from.axis())].push_back(to.Take(size));
    from.Take(size);
  }
  return pieces;
}

absl::Status AppendPartOfAxis(const AxisList& pieces, int64_t pre, int64_t size, const Mesh& mesh,
                              AxisList& out) {
  for (AxisRef piece : pieces) {
    const int64_t have = piece.size(mesh);
    if (size == 1) break;
    if (pre >= have) {
      if (pre % have != 0) return CannotCut(piece, mesh);
      pre /= have;
      continue;
    }
    if (have % pre != 0) return CannotCut(piece, mesh);
    const int64_t take = std::min(have / pre, size);
    if (have / pre % take != 0 || size % take != 0) return CannotCut(piece, mesh);
    AddOrMerge(out, take == have ? piece : AxisRef::Sub(piece.axis(), piece.pre_size() * pre, take),
               mesh);
    size /= take;
    pre = 1;
  }
  return size == 1 ? absl::OkStatus() : CannotCut(pieces.back(), mesh);
}

}  // namespace tessera::sharding
