// Tables of gathers and scatters that a loop carries: caches with a position for each sequence.
//
//   body: %c = get-tuple-element(%p), index=2
//         %u = bf16[6,8,4096,576] scatter(%c, ..)      handed on as element 2
//
//   const RowTables tables(module);
//   tables.Carries(loop, 2), tables.IsCarried(c);       // true, true
//
// The loop carries such an array in the order of its dimensions. Where an argument or a result lies in another one, it
// is copied in front of the loop and after it, not in each trip: 36 of 36 probes on v5e, v5p and v6e.
//
// Cost: linear in the instructions of loops. Tested by loop_kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_CLUSTERS_ROW_TABLES_H_
#define TESSERA_TARGET_KERNELS_CLUSTERS_ROW_TABLES_H_

#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

// A gather or scatter that works on an array in the order of its dimensions: none of slabs (layout_preferences.h).
bool IsIndexed(const hlo::Module& module, hlo::InstructionId id);

class RowTables {
 public:
  explicit RowTables(const hlo::Module& module);

  // Element `k` of the loop.
  bool Carries(hlo::InstructionId loop, size_t k) const { return carried_.contains({loop, k}); }
  // An element of the parameter of a body, or a view of one.
  bool IsCarried(hlo::InstructionId table) const;

 private:
  void AddTables(hlo::InstructionId loop, hlo::ComputationId body);
  void AddElement(hlo::InstructionId loop, hlo::ComputationId body, hlo::InstructionId table);

  const hlo::Module& module_;
  absl::flat_hash_set<std::pair<hlo::InstructionId, size_t>> carried_;
  absl::flat_hash_set<hlo::InstructionId> parameters_;  // of bodies
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_CLUSTERS_ROW_TABLES_H_
