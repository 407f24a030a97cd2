// Data of single kinds of ops beyond operands, results and blocks.
//
//   if (op->kind == OpKind::kManualComputation) {
//     const ManualInfo& info = *op->As<ManualInfo>();
//     info.manual_axes;            // axes of the mesh, in mesh order
//   }

#ifndef TESSERA_SHARDING_PROGRAM_PAYLOAD_H_
#define TESSERA_SHARDING_PROGRAM_PAYLOAD_H_

#include <string>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/program/op.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::program {

struct Function;

struct Payload {
  virtual ~Payload() = default;
  // For copies of ops.
  virtual Payload* Clone() const = 0;
};

// kWhile. The HLO loop carries a tuple; its leaves are numbered flat. Result k of the op is leaf
// `leaves[k]`; a leaf that never changes has left the loop and lives on as an outer value.
struct LoopInfo : Payload {
  std::vector<int> leaves;

  Payload* Clone() const override { return new LoopInfo(*this); }
};

// kCall.
struct CallInfo : Payload {
  Function* callee = nullptr;

  Payload* Clone() const override { return new CallInfo(*this); }
};

// kNamedComputation. The op is a call, inlined; in-shardings are the slots of the block's
// arguments, out-shardings those of the results.
struct NamedInfo : Payload {
  std::string name;  // of the function that was called, before any copy was made

  Payload* Clone() const override { return new NamedInfo(*this); }
};

// kManualComputation. The slots of the block's arguments hold the in-shardings and those of the
// results the out-shardings. Both are as the outside sees them, with the manual axes in front in
// each dimension. The body sees LocalSharding() of sharding_access.h.
struct ManualInfo : Payload {
  MeshId mesh = kNoMesh;         // kNoMesh while there is no axis
  std::vector<int> manual_axes;  // in mesh order after the import
  // Operands that had no sharding and took that of their in-sharding.
  std::vector<int> bound_operands;
  // The three instructions that make up a shard_map. The op's source is the call.
  OriginId global_to_local = kNoOrigin;
  OriginId local_to_global = kNoOrigin;

  Payload* Clone() const override { return new ManualInfo(*this); }
};

// kHlo without results: the sharding of the call itself (a callback that runs on one device).
struct CallSharding : Payload {
  ShardingId sharding = kNoSharding;

  Payload* Clone() const override { return new CallSharding(*this); }
};

// kAllReduce, kReplicatedToUnreduced: axes[0] is the list; kShardedToUnreduced: one a dimension.
struct AxesInfo : Payload {
  std::vector<AxisList> axes;

  Payload* Clone() const override { return new AxesInfo(*this); }
};

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_PAYLOAD_H_
