// Reads a collective instruction as a partition::Collective.
//
//   CollectiveReader reader(module);
//   absl::StatusOr<Collective> c = reader.Read(id);    // all-gather, all-gather-start, ..
//
// Groups, pairs and dimensions are as written; groups and pairs that repeat are read once.

#ifndef TESSERA_TARGET_COLLECTIVES_GIVEN_H_
#define TESSERA_TARGET_COLLECTIVES_GIVEN_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/partition/reshard/given_groups.h"
#include "tessera/sharding/partition/shared_list.h"

namespace tessera::target {

class CollectiveReader {
 public:
  // `module` must outlive it.
  explicit CollectiveReader(const hlo::Module& module) : module_(module) {}

  // InvalidArgument with the offset of the instruction where the groups cannot be listed.
  absl::StatusOr<sharding::partition::Collective> Read(hlo::InstructionId id);

 private:
  using Pairs = sharding::partition::SharedList<std::pair<int64_t, int64_t>>;
  Pairs PairsOf(hlo::InstructionId id);

  const hlo::Module& module_;
  sharding::partition::GivenGroups groups_;
  absl::flat_hash_map<absl::string_view, Pairs> pairs_;  // by their text
};

// In a fusion that reduces an array and keeps this device's slice of it: the shape of what is kept,
// as a tuple where there are several. Nullopt where the computation does something else.
std::optional<layout::Shape> ReducedAndSliced(const hlo::Module& module, hlo::ComputationId fused);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COLLECTIVES_GIVEN_H_
