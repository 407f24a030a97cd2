#include "tessera/projection/cost/demand/reshard_state.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/split.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;

constexpr int kMaxAtoms = 100;

// The borders of axis `a` that `s` uses, as sizes of the part in front of them.
void AddBorders(const Mesh& mesh, const TensorSharding& s, int a, std::vector<int64_t>* borders) {
  s.ForEachAxis([&](AxisRef ref) {
    if (ref.axis() != a || ref.is_full()) return;
    borders->push_back(ref.pre_size());
    borders->push_back(ref.next_pre_size(mesh));
  });
}

}  // namespace

absl::StatusOr<AtomTable> AtomTable::Create(const Mesh& mesh, const TensorSharding& a,
                                            const TensorSharding& b) {
  AtomTable table(mesh);
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    std::vector<int64_t> borders = {1, mesh.axis_size(axis)};
    AddBorders(mesh, a, axis, &borders);
    AddBorders(mesh, b, axis, &borders);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    for (size_t i = 0; i + 1 < borders.size(); ++i) {
      if (borders[i] < 1 || borders[i + 1] % borders[i] != 0) {
        return MakeError(ErrorCode::kNotSupported,
                         absl::StrCat("sub-axes of axis ", axis, " with borders at ", borders[i],
                                      " and ", borders[i + 1]));
      }
      const bool whole = borders.size() == 2;
      table.atoms_.push_back(whole ? AxisRef::Full(axis)
                                   : AxisRef::Sub(axis, borders[i], borders[i + 1] / borders[i]));
    }
  }
  if (table.size() <= kMaxAtoms) return table;
  return MakeError(ErrorCode::kTooLarge,
                   absl::StrCat("a mesh of ", table.size(), " parts of axes"));
}

int64_t AtomTable::Parts(const AtomList& list) const {
  int64_t parts = 1;
  for (int atom : list) parts *= this->parts(atom);
  return parts;
}

AtomList AtomTable::ListOf(absl::Span<const AxisRef> axes) const {
  AtomList list;
  for (AxisRef ref : axes) {
    const int64_t begin = ref.is_full() ? 1 : ref.pre_size(), end = ref.next_pre_size(mesh_);
    for (int atom = 0; atom < size(); ++atom) {
      const AxisRef piece = axis(atom);
      const int64_t from = piece.is_full() ? 1 : piece.pre_size();
      if (piece.axis() == ref.axis() && from >= begin && piece.next_pre_size(mesh_) <= end) {
        list.push_back(static_cast<int8_t>(atom));
      }
    }
  }
  return list;
}

ReshardState AtomTable::StateOf(const TensorSharding& s) const {
  ReshardState state;
  for (const sharding::DimensionSharding& d : s.dims()) state.push_back(ListOf(d.axes));
  return state;
}

StatePricer::StatePricer(const Mesh& mesh, const AtomTable& atoms, const ZPoint& shape,
                         int64_t element_bytes)
    : atoms_(atoms), shape_(shape), element_bytes_(element_bytes), devices_(mesh.num_devices()) {
  const DeviceGrid grid(mesh);
  for (int64_t position = 0; position < devices_; ++position) {
    for (int atom = 0; atom < atoms.size(); ++atom)
      coordinates_.push_back(grid.Coordinate(position, atoms.axis(atom)));
  }
}

Interval StatePricer::Tile(int64_t position, int dim, const AtomList& list) const {
  int64_t index = 0;
  for (int atom : list)
    index = index * atoms_.parts(atom) + coordinates_[position * atoms_.size() + atom];
  const EvenPart part = EvenPartOf(shape_[dim], atoms_.Parts(list), index);
  return {part.start, part.end};
}

int64_t StatePricer::BytesAt(int64_t position, const ReshardState& before,
                             const ReshardState& after) const {
  int64_t cells = 1, kept = 1;
  for (int d = 0; d < shape_.rank(); ++d) {
    const Interval b = Tile(position, d, before[d]), a = Tile(position, d, after[d]);
    cells *= a.end - a.first;
    kept *= std::max<int64_t>(0, std::min(a.end, b.end) - std::max(a.first, b.first));
  }
  return (cells - kept) * element_bytes_;
}

int64_t StatePricer::Bytes(const ReshardState& before, const ReshardState& after) const {
  int64_t total = 0;
  for (int64_t position = 0; position < devices_; ++position)
    total += BytesAt(position, before, after);
  return total;
}

}  // namespace tessera::projection
