// The value of `sharding={...}` of an HLO instruction, in its three generations.
//
//   V1  {devices=[2,2]0,2,1,3}                          a list of devices
//   V2  {devices=[2,1,2]<=[4] last_tile_dim_replicate}  a grid of devices, see tile_assignment.h
//   V3  {mesh['a'=2,'b'=2], [{'a'}, {}]}                axes of a mesh
//
//   absl::StatusOr<HloSharding> s = ParseHloSharding("{devices=[2,2]<=[4]}");
//   s->kind();           // HloSharding::Kind::kTiled
//   s->ToString();       // "{devices=[2,2]<=[4]}"
//
// A leaf belongs to one array (or token); a tuple sharding is the flat list of the leaves of a
// tuple shape. Text is in hlo_sharding_text.h, conversions are in hlo_conversions.h.

#ifndef TESSERA_SHARDING_HLO_SHARDING_H_
#define TESSERA_SHARDING_HLO_SHARDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding {

// The kind of a group of devices along a trailing dimension of the grid.
enum class SubgroupType : uint8_t { kMaximal, kManual, kUnreduced, kReplicated };

// "Shard as" and "shard like" groups: a note for the older propagation, carried along.
struct ShardGroup {
  enum class Kind : uint8_t { kNone, kAs, kLike };
  Kind kind = Kind::kNone;
  int64_t id = 0;

  friend bool operator==(const ShardGroup& a, const ShardGroup& b) {
    return a.kind == b.kind && a.id == b.id;
  }
};

// The contents of a V3 leaf. The axes refer to `mesh`.
struct NamedSharding {
  Mesh mesh;
  // Device order of the mesh as a transformed iota; unused unless `has_iota_order`. The mesh has
  // the same order as a list then.
  bool has_iota_order = false;
  TileAssignment iota_order;

  TensorSharding::Dims dims;  // without priorities
  AxisList replicated;
  AxisList unreduced;
  AxisList manual;

  // Every axis of the mesh, whole; axes of size 1 may be missing.
  bool CoversMesh(absl::Span<const AxisRef> axes) const;
  bool IsReplicated() const;
  bool IsManual() const { return CoversMesh(manual); }
  bool IsUnreduced() const { return CoversMesh(unreduced); }
  // Device order as an assignment of the shape of the mesh.
  TileAssignment DeviceGrid() const;
};

// The form of a text: its parts beside the sharding, and its spelling.
struct HloShardingForm {
  bool metadata = false;
  // With metadata: an entry for the reduction of every unreduced sharding that is not in V3, and of
  // every one other than sum, whatever entries there are. False: only for one other than sum that
  // has no entry.
  bool reductions = false;
  // V3 on one device is `single_device[device_id=3]`; false: `maximal_mesh[device_id=3]`.
  bool single_device = true;
};
inline constexpr HloShardingForm kWithMetadata = {true, false, true};

class HloSharding {
 public:
  enum class Kind : uint8_t {
    kReplicated,
    kMaximal,  // one device
    kManual,
    kUnreduced,
    kUnknown,
    kTiled,  // V1, V2
    kTuple,
    kNamed,  // V3
  };

  HloSharding() = default;  // replicated
  static HloSharding Replicated() { return HloSharding(Kind::kReplicated); }
  static HloSharding Manual() { return HloSharding(Kind::kManual); }
  static HloSharding Unreduced() { return HloSharding(Kind::kUnreduced); }
  static HloSharding Unknown() { return HloSharding(Kind::kUnknown); }
  static HloSharding Maximal(int64_t device);
  // The grid as it is; see FromSubgroups for one with trailing subgroup dimensions.
  static HloSharding Tiled(TileAssignment tiles);
  // The last types.size() dimensions of the grid are groups of these types. Normalises: groups of
  // size 1 go, equal types merge, types are sorted (maximal, manual, unreduced, replicated), the
  // order inside a replica group is forgotten; what is nothing but one group becomes that kind.
  static HloSharding FromSubgroups(const TileAssignment& tiles,
                                   absl::Span<const SubgroupType> types);
  static HloSharding Named(NamedSharding named);
  static HloSharding Tuple(std::vector<HloSharding> elements);

  Kind kind() const { return kind_; }
  bool IsTuple() const { return kind_ == Kind::kTuple; }
  bool IsTiled() const { return kind_ == Kind::kTiled; }
  bool IsNamed() const { return kind_ == Kind::kNamed; }
  // True for the V3 forms as well.
  bool IsReplicated() const;
  bool IsManual() const;
  bool IsUnreduced() const;
  bool IsMaximal() const;

  int64_t device() const { return device_; }              // kMaximal
  const TileAssignment& tiles() const { return tiles_; }  // kTiled
  absl::Span<const SubgroupType> subgroups() const { return subgroups_; }
  // Dimensions of the grid that split data: all but those of subgroups.
  int data_rank() const { return tiles_.num_dims() - static_cast<int>(subgroups_.size()); }
  const NamedSharding& named() const { return *named_; }                  // kNamed
  const std::vector<HloSharding>& elements() const { return elements_; }  // kTuple

  const ShardGroup& shard_group() const { return group_; }
  void set_shard_group(ShardGroup group) { group_ = group; }
  Reduction reduction() const { return reduction_; }
  void set_reduction(Reduction r) { reduction_ = r; }
  // Each entry as written, braces included. Never compared.
  const std::vector<std::string>& metadata() const { return metadata_; }
  void set_metadata(std::vector<std::string> entries) { metadata_ = std::move(entries); }

  // Number of devices of a grid or mesh; 1 for a maximal one, 0 where the kind names none.
  int64_t num_devices() const;

  // Canonical text. A reduction other than sum has no place in V2 text but a metadata entry.
  std::string ToString(const HloShardingForm& form = HloShardingForm()) const;

  // The meaning, as the reference compares: metadata never counts, an iota equals the list of its
  // devices, V3 equals V2 when its conversion does; two V3 compare axes, sizes and openness, not
  // names. A tuple of one is not its element.
  friend bool operator==(const HloSharding& a, const HloSharding& b);
  friend bool operator!=(const HloSharding& a, const HloSharding& b) { return !(a == b); }

 private:
  explicit HloSharding(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kReplicated;
  Reduction reduction_ = Reduction::kSum;
  ShardGroup group_;
  int64_t device_ = 0;
  TileAssignment tiles_;
  absl::InlinedVector<SubgroupType, 4> subgroups_;
  std::shared_ptr<const NamedSharding> named_;
  std::vector<HloSharding> elements_;
  std::vector<std::string> metadata_;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_HLO_SHARDING_H_
