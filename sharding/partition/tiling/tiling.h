// The sharding of one array as the partitioner sees it.
//
//   Tiling t = Tiling::Partial(TileAssignment::Plain({2, 1, 4}));   // [2,1,4]<=[8] replicated
//   t.dim(0);             // 2: the first dimension has two shards
//   t.data_rank();        // 2: the last dimension of the grid is a subgroup
//   t.tiles();            // 2: distinct shards
//
// A value: cheap to copy, compared by meaning. It is an HloSharding of one array: replicated, on a
// single device, manual, or a grid of devices with trailing subgroups (manual or replicated;
// hlo_sharding.h has their normal form). Unreduced subgroups are replicated here; the instruction
// has a mark instead.

#ifndef TESSERA_SHARDING_PARTITION_TILING_TILING_H_
#define TESSERA_SHARDING_PARTITION_TILING_TILING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding::partition {

class Tiling {
 public:
  using Types = absl::InlinedVector<SubgroupType, 4>;

  Tiling() = default;  // replicated
  static Tiling Replicated() { return Tiling(); }
  static Tiling Single(int64_t device);
  static Tiling Manual();
  // All dimensions of the grid are data dimensions.
  static Tiling Tiled(const TileAssignment& grid);
  // The last dimension is a group of replicas.
  static Tiling Partial(const TileAssignment& grid);
  // The last types.size() dimensions are subgroups, in any order.
  static Tiling WithSubgroups(const TileAssignment& grid, absl::Span<const SubgroupType> types);
  // A grid derived from that of `like`, with as many subgroups of the same types; mesh order is
  // kept.
  static Tiling Like(const TileAssignment& grid, const Tiling& like) {
    return Derived(grid, like.types(), like);
  }
  static Tiling Derived(const TileAssignment& grid, absl::Span<const SubgroupType> types,
                        const Tiling& like);
  // A leaf of any generation.
  static Tiling Of(const HloSharding& leaf);
  // The same; a named leaf keeps mesh order for replicas and for the groups of collectives. Where
  // `known` is of an equal mesh, both share it.
  static Tiling InMesh(const HloSharding& leaf, const Tiling& known);
  static Tiling InMesh(const HloSharding& leaf) { return InMesh(leaf, Tiling()); }

  bool IsReplicated() const { return kind_ == Kind::kReplicated; }
  bool IsSingle() const { return kind_ == Kind::kSingle; }
  bool IsManual() const { return kind_ == Kind::kManual; }
  bool IsTiled() const { return kind_ == Kind::kTiled; }
  // One tile: replicated or on a single device.
  bool IsMaximal() const { return IsReplicated() || IsSingle(); }
  int64_t device() const { return device_; }  // of a single one

  // --- Tiled ones -------------------------------------------------------------------------------
  const TileAssignment& grid() const { return form_->grid; }
  Ints dims() const { return form_->grid.dims(); }  // subgroups included
  int64_t num_dims() const { return Size(form_->grid.dims()); }
  const Types& types() const { return form_->types; }
  int64_t data_rank() const { return num_dims() - Size(types()); }
  int64_t num_devices() const { return form_->grid.num_devices(); }
  // The only subgroup is one of replicas.
  bool LastIsReplicated() const;
  bool HasReplicas() const { return SubgroupDim(SubgroupType::kReplicated) >= 0; }
  bool HasManual() const { return SubgroupDim(SubgroupType::kManual) >= 0; }
  // The mesh position of each device; null: groups are listed in grid order.
  const std::vector<int64_t>* mesh_positions() const {
    return IsNamed() ? &mesh_->positions : nullptr;
  }
  // Mesh order is the order of the devices.
  bool IsInOrder() const { return !IsNamed() || mesh_->in_order; }
  // In named form, as from a sharding with a mesh.
  bool IsNamed() const { return mesh_ != nullptr; }
  // Both are in named form, in one mesh.
  static bool ShareMesh(const Tiling& a, const Tiling& b);
  // Of one in named form: the sizes of the mesh's axes, major to minor.
  Ints mesh_axes() const { return mesh_->axes; }
  // The same in tile form.
  Tiling AsV1() const;
  // For a named tiling: the grid of mesh positions.
  TileAssignment PlacesInMesh() const;
  // In the mesh of `like`, which is in named form; the subgroups stand last.
  static Tiling OfPlacesInMesh(const TileAssignment& places, absl::Span<const SubgroupType> types,
                               const Tiling& like) {
    return PartitionedLeaves(WithSubgroups(places, types), like.mesh_);
  }
  // The dimension of the grid of that subgroup; -1 if there is none.
  int64_t SubgroupDim(SubgroupType type) const;

  // --- Any --------------------------------------------------------------------------------------
  // Cuts of a dimension; 1 for a tiling without a grid.
  int64_t dim(int64_t i) const { return IsTiled() ? At(form_->grid.dims(), i) : 1; }
  // Product over the dimensions of data.
  int64_t tiles() const;
  // Replicas of each tile in the subgroup of replicas, 1 without one.
  int64_t replicas() const;
  std::string ToString() const;
  // All that it is, its form included, as numbers: equal for those that are the same in every way.
  void AppendNumbers(std::vector<uint64_t>* out) const;

  // What a tiling shares with its copies alone, for as long as one of them lives. Others that are
  // equal may be told apart.
  using Identity = std::tuple<int, int64_t, const void*, const void*>;
  Identity identity() const { return {static_cast<int>(kind_), device_, form_.get(), mesh_.get()}; }

  size_t IdentityHash() const {
    return reinterpret_cast<uintptr_t>(form_.get()) / sizeof(Form) + static_cast<size_t>(device_);
  }

  friend bool operator==(const Tiling& a, const Tiling& b);
  friend bool operator!=(const Tiling& a, const Tiling& b) { return !(a == b); }

 private:
  struct MeshOrder {
    TileAssignment devices;
    std::vector<int64_t> positions;  // by device
    bool in_order = true;            // each device stands at its own number
    Dims axes;                       // sizes
  };
  using SharedMesh = std::shared_ptr<const MeshOrder>;
  static SharedMesh MeshOf(const NamedSharding& named, const SharedMesh& known);
  // The grid of mesh positions.
  static TileAssignment InMeshOrder(const TileAssignment& grid, const MeshOrder& mesh);
  // `ordered` names devices by their positions.
  static Tiling PartitionedLeaves(Tiling ordered, const SharedMesh& mesh);

  enum class Kind : uint8_t { kReplicated, kSingle, kManual, kTiled };
  struct Form {
    TileAssignment grid;
    Types types;
  };
  static Tiling OfForm(Form form);

  Kind kind_ = Kind::kReplicated;
  int64_t device_ = 0;
  std::shared_ptr<const Form> form_;
  SharedMesh mesh_;
};

// The shape of a shard: sizes divided by the number of shards and rounded up.
layout::Shape ShardShape(const layout::Shape& shape, const Tiling& tiling);
// Every dimension divides evenly into its shards.
bool IsEven(const layout::Shape& shape, const Tiling& tiling);
// Sizes of the shards put together again, padding included.
layout::Shape PaddedShape(const layout::Shape& shape, const Tiling& tiling);
// Bytes of all elements.
int64_t Bytes(const layout::Shape& shape);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_TILING_H_
