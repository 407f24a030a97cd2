// One step of the aggressive strategy: conflicts are decided, the larger source wins.
//
//   dot A[i,k] B[k,j] -> C[i,j], i=8 j=16 k=32; A has `a` on i, B has `a` on j
//
//   C can be sharded on `a` in one place only. The source of i is A with 8*32 elements, that of j
//   is B with 32*16: j goes first, C takes `a` on j. (The basic strategy moves nothing.)
//
// Each tensor decides for itself, so tensors may end with different parts of what a factor offers.

#ifndef TESSERA_SHARDING_PROPAGATION_STEP_AGGRESSIVE_STEP_H_
#define TESSERA_SHARDING_PROPAGATION_STEP_AGGRESSIVE_STEP_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/step_mode.h"

namespace tessera::sharding::propagation {

// Holds memory to be used again by the next step, nothing else.
class AggressiveStep {
 public:
  // As BasicStep.
  bool Run(const StepMode& mode, factors::FactorTable& table, std::vector<bool>& updated,
           Observer* observer = nullptr);

 private:
  bool FindWants();
  void RankFactors();
  RankedFactor Rank(int f) const;
  bool UpdateTensor(int t);
  bool UpdateFactor(int t, int f);
  void TruncateWithin(int t, int f, int cell);
  void TruncateAcross(int t, int f);
  void CapByResults(int t, int f);
  std::optional<AxisRef> Note(const Cut& cut) const;

  StepMode mode_;
  factors::FactorTable* table_ = nullptr;
  Observer* observer_ = nullptr;
  std::vector<AxisList> compatible_axes_;  // by factor: the axes found
  std::vector<int64_t> sizes_;             // by tensor: elements, by the factors that it has
  std::vector<RankedFactor> ranked_;       // the factors that want something, best first
  AxisList axes_;                          // what is left of them for the tensor and factor at hand
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_STEP_AGGRESSIVE_STEP_H_
