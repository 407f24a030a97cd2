// The values of scalar integers of a computation, where constants decide them.
//
//   ScalarValues values(module, {3, std::nullopt});     // carried elements: the first one is 3
//   values.Get(id)                                      // none: not known
//
// Arithmetic wraps as the types do. Unknown spreads.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_SCALAR_VALUES_H_
#define TESSERA_PROJECTION_COST_COMPUTE_SCALAR_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"

namespace tessera::projection {

// Keeps the low bits of a value, as its type does.
int64_t WrapToType(int64_t value, layout::ElementType type);

class ScalarValues {
 public:
  using Value = std::optional<int64_t>;
  using Tuple = std::vector<Value>;  // the elements of the computation's one parameter

  // `carried` must outlive it.
  ScalarValues(const hlo::Module& module, const Tuple& carried)
      : module_(module), carried_(carried) {}

  Value Get(hlo::InstructionId id);

 private:
  Value Compute(hlo::InstructionId id);
  Value Carried(hlo::InstructionId id) const;
  template <typename F>
  Value Map(hlo::InstructionId operand, F f) {
    const Value a = Get(operand);
    return a.has_value() ? Value(f(*a)) : std::nullopt;
  }
  Value Choose(hlo::InstructionId which, hlo::InstructionId yes, hlo::InstructionId no);
  Value Binary(hlo::InstructionId id, Value a, Value b);

  const hlo::Module& module_;
  const Tuple& carried_;
  int depth_ = 0;
  absl::flat_hash_map<hlo::InstructionId, Value> values_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_SCALAR_VALUES_H_
