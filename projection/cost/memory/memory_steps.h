// How instructions use memory: in what order, which of them make new buffers, and on which array of
// their operands the others stand.
#ifndef TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_
#define TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/projection/cost/memory/liveness.h"

namespace tessera::projection {

BufferKind KindOf(const hlo::Module& module, hlo::InstructionId id);

// How one array of a result uses memory.
struct LeafPlace {
  BufferKind kind;
  int source;  // of kAlias and kInPlace: the array that it stands on, among all of all operands
};

// Where arrays begin in a tuple: before element `e` stand StartOf(tuple, e) arrays. Each tuple is
// counted once, so that taking a wide one apart is linear.
class LeafStarts {
 public:
  explicit LeafStarts(const hlo::Module& module) : module_(module) {}
  int StartOf(hlo::InstructionId tuple, int64_t element);

 private:
  const hlo::Module& module_;
  absl::flat_hash_map<hlo::ShapeId, std::vector<int>> starts_;
};

// One for each of the `leaves` arrays of the result. An array of a loop that its body only hands on
// is an alias: it stands where the loop's operand stands.
std::vector<LeafPlace> PlacesOf(const hlo::Module& module, hlo::InstructionId id, size_t leaves,
                                LeafStarts* starts);

// The executed instructions of a computation, in their order: the text's where the module is
// scheduled, else hlo::PostOrder() without dead code. Alive is what the root, an instruction with a
// side effect or something alive needs, as an operand or by control.
//
//   ExecutionOrder order(module);      // as long as the module stays as it is
//   order.Of(module.entry_id())
class ExecutionOrder {
 public:
  explicit ExecutionOrder(const hlo::Module& module)
      : module_(module), walk_(module), effects_(module), is_alive_(module.num_instructions()) {}
  std::vector<hlo::InstructionId> Of(hlo::ComputationId computation);

 private:
  const hlo::Module& module_;
  hlo::PostOrderWalk walk_;
  hlo::SideEffects effects_;
  std::vector<bool> is_alive_;  // by instruction
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_MEMORY_STEPS_H_
