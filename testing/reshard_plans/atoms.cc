#include "tessera/testing/reshard_plans/atoms.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::testing::reshard_plans {
namespace {

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
        return absl::InvalidArgumentError(
            absl::StrCat("sub-axes of axis ", axis, " with borders at ", borders[i], " and ",
                         borders[i + 1], ": one must divide the other"));
      }
      const bool whole = borders.size() == 2;
      table.atoms_.push_back(whole ? AxisRef::Full(axis)
                                   : AxisRef::Sub(axis, borders[i], borders[i + 1] / borders[i]));
    }
  }
  if (table.size() <= kMaxAtoms) return table;
  return absl::InvalidArgumentError(
      absl::StrCat("a mesh of ", table.size(), " parts of axes; at most ", kMaxAtoms));
}

int64_t AtomTable::Parts(const AtomList& list) const {
  int64_t parts = 1;
  for (int atom : list) parts *= this->parts(atom);
  return parts;
}

AtomList AtomTable::ListOf(absl::Span<const AxisRef> axes) const {
  AtomList list;
  for (AxisRef ref : axes) {
    const int64_t begin = ref.pre_size(), end = ref.next_pre_size(mesh_);
    for (int atom = 0; atom < size(); ++atom) {
      const AxisRef piece = axis(atom);
      if (piece.axis() == ref.axis() && piece.pre_size() >= begin &&
          piece.next_pre_size(mesh_) <= end) {
        list.push_back(static_cast<int8_t>(atom));
      }
    }
  }
  return list;
}

AtomState AtomTable::StateOf(const TensorSharding& s) const {
  AtomState state;
  for (const sharding::DimensionSharding& d : s.dims()) state.push_back(ListOf(d.axes));
  return state;
}

AxisList AtomTable::AxesOf(const AtomList& list) const {
  AxisList axes;
  for (int atom : list) sharding::AddOrMerge(axes, axis(atom), mesh_);
  return axes;
}

int64_t NewElements(absl::Span<const TileRange> before, absl::Span<const TileRange> after) {
  int64_t all = 1, held = 1;
  for (size_t d = 0; d < after.size(); ++d) {
    const TileRange b = before[d], a = after[d];
    all *= a.limit - a.first;
    held *= std::max<int64_t>(0, std::min(a.limit, b.limit) - std::max(a.first, b.first));
  }
  return all - held;
}

StatePricer::StatePricer(const Mesh& mesh, const AtomTable& atoms, absl::Span<const int64_t> shape)
    : atoms_(atoms), shape_(shape), devices_(mesh.num_devices()) {
  const sharding::DeviceGrid grid(mesh);
  for (int64_t position = 0; position < devices_; ++position) {
    for (int atom = 0; atom < atoms.size(); ++atom)
      coordinates_.push_back(grid.Coordinate(position, atoms.axis(atom)));
  }
}

StatePricer::Tile StatePricer::TileAt(int64_t position, const AtomState& state) const {
  Tile tile;
  for (size_t d = 0; d < state.size(); ++d) {
    int64_t index = 0;
    for (int atom : state[d]) {
      index = index * atoms_.parts(atom) +
              coordinates_[static_cast<size_t>(position * atoms_.size() + atom)];
    }
    tile.push_back(sharding::TileOfPart(shape_[d], atoms_.Parts(state[d]), index));
  }
  return tile;
}

int64_t StatePricer::Elements(const AtomState& before, const AtomState& after) const {
  int64_t total = 0;
  for (int64_t position = 0; position < devices_; ++position)
    total += NewElements(TileAt(position, before), TileAt(position, after));
  return total;
}

}  // namespace tessera::testing::reshard_plans
