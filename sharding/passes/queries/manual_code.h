// The manual computations around blocks.
//
//   ManualCode manual;
//   manual.Of(op->block).axes;     // manual for the op; of a shard_map in another one those of both
//
// A block takes what was said of the one around it, so that calls in calls cost no more than their
// number. Blocks that were asked about must not have moved since.

#ifndef TESSERA_SHARDING_PASSES_QUERIES_MANUAL_CODE_H_
#define TESSERA_SHARDING_PASSES_QUERIES_MANUAL_CODE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

class ManualCode {
 public:
  struct Around {
    std::vector<int> axes;  // outermost first
    MeshId mesh = kNoMesh;  // of the innermost
  };

  // Good until the next question.
  const Around& Of(const Block* block);

 private:
  absl::flat_hash_map<const Block*, Around> around_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_QUERIES_MANUAL_CODE_H_
