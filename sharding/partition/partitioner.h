// The collectives that XLA's SPMD partitioner inserts into a module, and the per-device module.
//
//   absl::StatusOr<sharding::reference::Reference> jaxlib = sharding::reference::FindReference("0.10");   // reference.h
//   absl::StatusOr<Partitioned> p = FindCollectives(module, jaxlib->behaviors);   // without: the newest
//   for (const Collective& c : p->collectives) {
//     c.opcode;     // kAllGather
//     c.shape;      // f32[16,32], per device
//     c.cause;      // the instruction whose partitioning inserted it
//   }
//
// The input is a module immediately after ShardyXLA: every instruction has its `sharding=`. Nothing
// is evaluated: shapes and shardings determine which collectives are inserted, and which have a
// user. XLA: SpmdPartitioner::Run. Cost: linear in the instructions, and in the devices where a
// sharding is no iota.

#ifndef TESSERA_SHARDING_PARTITION_PARTITIONER_H_
#define TESSERA_SHARDING_PARTITION_PARTITIONER_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/partition/shared_list.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::partition {

struct Collective {
  hlo::Opcode opcode = hlo::Opcode::kAllReduce;
  layout::Shape shape;                            // per device
  SharedList<layout::Shape> operands;             // per device
  SharedList<std::vector<int64_t>> groups;        // devices in the order of shards
  SharedList<std::pair<int64_t, int64_t>> pairs;  // of a permute: source, target
  SharedList<int64_t> dimensions;                 // gathered or split
  std::string reduction;                          // opcode at the root of the reducer
  // The instruction whose partitioning made it; kNoId for the reshard of a computation's result.
  hlo::InstructionId cause = hlo::kNoId;
  // The one whose metadata the reference gives it; kNoId: none.
  hlo::InstructionId named = hlo::kNoId;
  // The instruction whose value is moved; kNoId where it is made on the way.
  hlo::InstructionId producer = hlo::kNoId;
  bool given = false;  // the user's own
  bool own = false;    // moves what `cause` computed, not what it reads
  // Replicates an array only because no way leads from its sharding to another one. XLA warns of it:
  // "Involuntary full rematerialization".
  bool rematerializes = false;
  int32_t body = 0;  // index into Partitioned::bodies

  auto AllOf() const {
    return std::tie(opcode, shape, operands, groups, pairs, dimensions, reduction, cause, named,
                    producer, given, own, rematerializes, body);
  }
  friend bool operator==(const Collective& a, const Collective& b) {
    return a.AllOf() == b.AllOf();
  }
};

// A partitioned computation: one for each caller and each sharding of its arguments.
struct Body {
  enum class Role : uint8_t { kEntry, kLoop, kCondition, kBranch, kCall };
  Role role = Role::kEntry;
  hlo::ComputationId computation = hlo::kNoId;
  hlo::InstructionId caller = hlo::kNoId;  // the loop, branch or call
  int32_t parent = -1;                     // the body of the caller
  int64_t trips = 0;  // of a loop that the partitioner makes for `caller`; 0: of the module

  auto AllOf() const { return std::tie(role, computation, caller, parent, trips); }
  friend bool operator==(const Body& a, const Body& b) { return a.AllOf() == b.AllOf(); }
};

struct Partitioned {
  std::vector<Collective> collectives;  // body by body, in the order in which they are made
  std::vector<Body> bodies;             // the entry first

  friend bool operator==(const Partitioned& a, const Partitioned& b) {
    return a.collectives == b.collectives && a.bodies == b.bodies;
  }
};

// Replays the visits of repeated instructions (many times faster), or visits every instruction. The
// answer is the same.
enum class Visits : uint8_t { kRepeated, kEach };

// InvalidArgument for an input that XLA's partitioner refuses, Unimplemented for one that is not
// described; both carry the offset of the instruction in the text (text::ErrorOffset).
absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors = {},
                                            Visits visits = Visits::kRepeated);

// What one device runs, and what it comes from.
struct PartitionedModule {
  // Every computation with the shapes of shards, collectives, offsets and masks between them, as
  // XLA's partitioner leaves it.
  hlo::Module module;
  // As of FindCollectives(), unless the options ask for other collectives, or for none.
  Partitioned found;
  // By instruction of `module`: the one of the input whose value it is, in shards; kNoId for what the
  // partitioner inserts.
  std::vector<hlo::InstructionId> sources;
  // By instruction of `module`: the one of the input whose visit made it, inserted or not; kNoId for
  // parameters, for the reshard of a computation's result, and in computations that are kept as they
  // are. Tables and numbers of a device that several visits share have the first of them. Empty
  // unless Options::lists_causes.
  std::vector<hlo::InstructionId> causes;
  // An instruction of `module`, and an element of a tuple in the input whose value it also is: the
  // tuple is not written down. Likewise.
  std::vector<std::pair<hlo::InstructionId, hlo::InstructionId>> elements;
};

// `module` is as for FindCollectives().
//
//   absl::StatusOr<PartitionedModule> device = PartitionModule(module);
//   hlo::PrintModule(device->module, hlo::PrintOptions::Default());
//
// Errors as of FindCollectives(); Unimplemented for an instruction whose shards cannot be written
// down yet (docs/partition.md).
absl::StatusOr<PartitionedModule> PartitionModule(const hlo::Module& module,
                                                  const reference::Behaviors& behaviors = {},
                                                  const Options& options = {});

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_PARTITIONER_H_
