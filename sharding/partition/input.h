// The module as the partitioner takes it: the sharding of every leaf, and the few instructions that
// it rewrites before it begins.

#ifndef TESSERA_SHARDING_PARTITION_INPUT_H_
#define TESSERA_SHARDING_PARTITION_INPUT_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/ops/rewrites.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

class Input {
 public:
  // InvalidArgument, with the offset in the text, for a sharding that does not read, or that the
  // partitioner refuses for an operation with a side effect.
  static absl::StatusOr<Input> Read(const hlo::Module& module,
                                    const reference::Behaviors& behaviors);

  // One per leaf of the shape; one for an empty tuple.
  const std::vector<Tiling>& leaves(hlo::InstructionId id) const { return At(leaves_, id); }
  // Its sums stay open.
  bool IsUnreduced(hlo::InstructionId id) const { return At(marks_, id) & kUnreduced; }
  bool HasSideEffect(hlo::InstructionId id) const { return At(marks_, id) & kEffect; }

  // --- With the rewrites ----------------------------------------------------------------------
  bool IsDropped(hlo::InstructionId id) const { return rewrites_.dropped.contains(id); }
  absl::Span<const hlo::InstructionId> operands(hlo::InstructionId id) const;
  // The instruction whose metadata its nodes carry.
  hlo::InstructionId cause(hlo::InstructionId id) const;
  absl::StatusOr<NodeId> Run(Visit& v, Handler handler) const;

 private:
  enum Mark : uint8_t { kUnreduced = 1, kEffect = 2 };

  Input(const hlo::Module& module, const reference::Behaviors& behaviors)
      : module_(&module), behaviors_(behaviors) {}
  // What a text says.
  struct Said {
    std::vector<Tiling> leaves;
    bool is_tuple = false;
    bool is_open = false;  // sums stay open
  };
  // A module has few texts of shardings, however many instructions.
  using Texts = absl::flat_hash_map<absl::string_view, Said>;

  Tiling TilingOf(const HloSharding& leaf) const;
  Said Understand(const HloSharding& sharding) const;
  absl::Status ReadSharding(hlo::InstructionId id, Texts* texts);
  absl::Status CheckDevices(hlo::InstructionId id) const;
  absl::Status CheckEffect(hlo::InstructionId id);

  const hlo::Module* module_;
  reference::Behaviors behaviors_;
  std::vector<std::vector<Tiling>> leaves_;  // by id
  std::vector<uint8_t> marks_;               // by id
  Rewrites rewrites_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_INPUT_H_
