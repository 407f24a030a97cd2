// Two steps. Lift: every mesh gets a symbol, equal meshes the same one. De-duplicate: among the
// meshes with the same devices in the same order one is the main mesh, and the others are laid over
// it.
//
// Laying over: both meshes are ways to cut the same row of devices, so walk both lists of axes from
// the major end and cut off the smaller of the two remainders each time:
//
//   other  ["a"=4, "b"=2]        |   a   | b |
//   main   ["x"=2, "y"=2, "z"=2] | x | y | z |      a = x, y;  b = z
//   other  ["p"=2, "q"=4]        | p |   q   |
//   main   ["d"=8]               |     d     |      p = d:(1)2;  q = d:(2)4
//
// It fails where a remainder does not divide the other, and the mesh then stays. Costs: linear in
// the axes; a sharding is rewritten in time linear in its axes and their pieces. Tested by
// mesh_merge_test.cc, where both shardings must give every device the same tile.

#include "tessera/sharding/mesh_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// Symbols for meshes, as they are taken one after the other.
struct NamedMesh {
  std::string name;
  const Mesh* mesh;
};

class Symbols {
 public:
  const std::vector<NamedMesh>& all() const { return all_; }

  // Index of the symbol of an equal mesh.
  std::optional<size_t> Find(const Mesh& mesh) const {
    for (size_t i = 0; i < all_.size(); ++i) {
      if (*all_[i].mesh == mesh) return i;
    }
    return std::nullopt;
  }
  void Reserve(const std::string& name) { taken_.push_back(name); }
  size_t Add(std::string name, const Mesh& mesh) {
    all_.push_back({std::move(name), &mesh});
    return all_.size() - 1;
  }
  size_t AddInlined(const Mesh& mesh) {
    std::string base = mesh.is_empty() ? "empty_mesh" : "mesh";
    if (mesh.is_maximal()) base = absl::StrCat("maximal_mesh_", mesh.maximal_device_id());
    std::string name = base;
    for (int k = 0; IsTaken(name); ++k) name = absl::StrCat(base, "_", k);
    Reserve(name);
    return Add(name, mesh);
  }

 private:
  bool IsTaken(const std::string& name) const {
    return std::find(taken_.begin(), taken_.end(), name) != taken_.end();
  }

  std::vector<NamedMesh> all_;
  std::vector<std::string> taken_;
};

// Gives every mesh of the table a symbol; `symbol_of[id]` is its index in the result.
Symbols Lift(const MeshTable& meshes, absl::Span<const MeshId> inlined,
             std::vector<size_t>& symbol_of) {
  Symbols symbols;
  symbol_of.resize(meshes.size());
  std::vector<MeshId> later(inlined.begin(), inlined.end());
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.is_inlined(id)) {
      later.push_back(id);
      continue;
    }
    symbols.Reserve(meshes.name(id));
    const std::optional<size_t> equal = symbols.Find(meshes.mesh(id));
    symbol_of[id] = equal ? *equal : symbols.Add(meshes.name(id), meshes.mesh(id));
  }
  for (MeshId id : later) {
    const std::optional<size_t> equal = symbols.Find(meshes.mesh(id));
    symbol_of[id] = equal ? *equal : symbols.AddInlined(meshes.mesh(id));
  }
  return symbols;
}

using DeviceSet = std::pair<int64_t, std::vector<int64_t>>;

DeviceSet DevicesOf(const Mesh& mesh) {
  const int64_t count = mesh.num_axes() == 0 ? -1 : mesh.num_devices();
  return {count, std::vector<int64_t>(mesh.device_ids().begin(), mesh.device_ids().end())};
}

int CountAxesAboveOne(const Mesh& mesh) {
  return static_cast<int>(std::count_if(mesh.axes().begin(), mesh.axes().end(),
                                        [](const MeshAxis& axis) { return axis.size > 1; }));
}

// A mesh with made-up names (`_axis_0`) is worth less than any with real ones.
std::pair<bool, int> Worth(const Mesh& mesh) {
  const bool made_up =
      mesh.num_axes() > 0 && absl::string_view(mesh.axis(0).name).substr(0, 1) == "_";
  return {!made_up, CountAxesAboveOne(mesh)};
}

// Index of the main mesh of each set of devices.
std::map<DeviceSet, size_t> ChooseMains(const std::vector<NamedMesh>& meshes) {
  std::map<DeviceSet, size_t> mains;
  for (size_t i = 0; i < meshes.size(); ++i) {
    const auto [found, is_new] = mains.emplace(DevicesOf(*meshes[i].mesh), i);
    if (!is_new && Worth(*meshes[i].mesh) > Worth(*meshes[found->second].mesh)) found->second = i;
  }
  return mains;
}

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

// For each axis of `other` its pieces of `main`; none when they cannot be laid over each other.
std::optional<std::vector<AxisList>> LayOver(const Mesh& other, const Mesh& main) {
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

absl::Status CannotCut(AxisRef piece, const Mesh& mesh) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a sub-axis ends inside ", AxisRefToString(piece, mesh), " of size ", piece.size(mesh),
      " of the mesh that its own mesh is merged with (both have the same devices); write it in the "
      "axes of that mesh, as a divisor of the size"));
}

// Appends the part from `pre` on, of `size`, of an axis that consists of `pieces`.
absl::Status AppendPart(const AxisList& pieces, int64_t pre, int64_t size, const Mesh& mesh,
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

}  // namespace

MeshMerge::MeshMerge(const MeshTable& before, absl::Span<const MeshId> inlined) {
  std::vector<size_t> symbol_of;
  const Symbols symbols = Lift(before, inlined, symbol_of);
  const std::vector<NamedMesh>& meshes = symbols.all();
  const std::map<DeviceSet, size_t> mains = ChooseMains(meshes);

  std::vector<Move> symbol_moves(meshes.size());
  for (size_t i = 0; i < meshes.size(); ++i) {
    const size_t main = mains.at(DevicesOf(*meshes[i].mesh));
    std::optional<std::vector<AxisList>> pieces;
    if (main != i) pieces = LayOver(*meshes[i].mesh, *meshes[main].mesh);
    if (pieces) {
      symbol_moves[i].is_mapped = true;
      symbol_moves[i].pieces = *std::move(pieces);
    } else {
      symbol_moves[i].to = after_.Add(meshes[i].name, *meshes[i].mesh).value_or(kNoMesh);
    }
  }
  for (size_t i = 0; i < meshes.size(); ++i) {
    if (!symbol_moves[i].is_mapped) continue;
    symbol_moves[i].to = symbol_moves[mains.at(DevicesOf(*meshes[i].mesh))].to;
  }
  for (size_t symbol : symbol_of) moves_.push_back(symbol_moves[symbol]);
}

absl::StatusOr<AxisList> MeshMerge::RewriteAxes(const Move& move,
                                                absl::Span<const AxisRef> axes) const {
  const Mesh& mesh = after_.mesh(move.to);
  AxisList out;
  for (AxisRef axis : axes) {
    const AxisList& pieces = move.pieces[static_cast<size_t>(axis.axis())];
    const int64_t size = axis.is_full() ? ShardedSize(pieces, mesh) : axis.sub_size();
    TESSERA_RETURN_IF_ERROR(AppendPart(pieces, axis.pre_size(), size, mesh, out));
  }
  return out;
}

absl::StatusOr<TensorSharding> MeshMerge::Rewrite(const TensorSharding& sharding) const {
  TensorSharding out = sharding;
  if (sharding.mesh_id() == kNoMesh) return out;
  const Move& move = moves_[sharding.mesh_id()];
  out.set_mesh_id(move.to);
  if (!move.is_mapped) return out;
  for (DimensionSharding& dim : out.mutable_dims()) {
    TESSERA_ASSIGN_OR_RETURN(dim.axes, RewriteAxes(move, dim.axes));
  }
  TESSERA_ASSIGN_OR_RETURN(out.mutable_replicated_axes(),
                           RewriteAxes(move, sharding.replicated_axes()));
  TESSERA_ASSIGN_OR_RETURN(out.mutable_unreduced_axes(),
                           RewriteAxes(move, sharding.unreduced_axes()));
  out.set_reduction(Reduction::kSum);
  return out;
}

absl::StatusOr<std::vector<int>> MeshMerge::RewriteManualAxes(MeshId id,
                                                              absl::Span<const int> axes) const {
  const Move& move = moves_[id];
  std::vector<int> out(axes.begin(), axes.end());
  if (!move.is_mapped) return out;
  out.clear();
  for (int axis : axes) {
    for (AxisRef piece : move.pieces[static_cast<size_t>(axis)]) {
      if (piece.is_sub()) {
        return absl::InvalidArgumentError(
            "a manual axis must be a whole axis of the mesh that its own mesh is merged with");
      }
      out.push_back(piece.axis());
    }
  }
  return out;
}

}  // namespace tessera::sharding
