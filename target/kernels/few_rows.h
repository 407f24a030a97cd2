// Arrays whose tiles have few rows, because a reshape leaves their memory as it is: the tokens of a few chosen experts.
//
//   %g = bf16[4096,1536] gather(..)                      rows, in the order of their dimensions
//   %r = bf16[2048,2,1536] reshape(%g)                   the same memory: tiles of two rows
//   %b = bf16[2048,2,1536] broadcast(%x), dimensions={0,2}
//   %s = bf16[4096,1536] reshape(%b)
//
//   FewRows few(module, order);
//   few.Of(g), few.Of(r), few.Of(b);                     // r, r, b: a kernel walks over tiles of two rows
//
// So it is after a scatter, too. Found in the final module of experts by all-to-all. Probes of sorted tokens on v5e,
// v5p and v6e confirm it: their device time was 0.29 to 0.50 of the compiler's, and is 0.66 to 0.76.
//
// Cost: linear. Tested by kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_FEW_ROWS_H_
#define TESSERA_TARGET_KERNELS_FEW_ROWS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

// A broadcast that puts few copies of a row beside each other, which the reshape makes rows of a matrix. It is
// written: other tiles hold these.
bool IsRepeatedInFewRows(const hlo::Module& module, hlo::InstructionId broadcast,
                         hlo::InstructionId reshape);

class FewRows {
 public:
  // `order`: of one computation.
  FewRows(const hlo::Module& module, const std::vector<hlo::InstructionId>& order);

  // The array with few rows that lies where `id` does; kNoId for none.
  hlo::InstructionId Of(hlo::InstructionId id) const {
    const auto found = few_.find(id);
    return found == few_.end() ? hlo::kNoId : found->second;
  }

 private:
  void AddGathered(hlo::InstructionId reshape);

  const hlo::Module& module_;
  absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> few_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_FEW_ROWS_H_
