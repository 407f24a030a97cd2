// Puts reshards and changes of unreduced axes into a program, between values and their users.
// Internal to the package.
//
//   ReshardInserter inserter(program);
//   inserter.Sum(use, result_sharding);              // an all-reduce, if the operand is unreduced
//   status = inserter.Convert(use, target, Version::kMinimal);

#ifndef TESSERA_SHARDING_PASSES_EXPORT_RESHARD_INSERTER_H_
#define TESSERA_SHARDING_PASSES_EXPORT_RESHARD_INSERTER_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/reshard/explicit_reshards.h"
#include "tessera/sharding/reshard/to_target.h"

namespace tessera::sharding::passes {

inline bool HasUnreduced(const TensorSharding* s) {
  return s != nullptr && !s->unreduced_axes().empty();
}

class ReshardInserter {
 public:
  explicit ReshardInserter(HloProgram& program) : program_(program) {}

  // The sharding that readers of the value see; null for none.
  const TensorSharding* Of(const Value* value);

  Op* AddReshard(Value* operand, const TensorSharding& sharding, InsertPoint where);
  Op* AddStep(const reshard::Conversion& step, Value* operand, InsertPoint where);

  // Inserts the steps from the operand to `target`; null: no target sharding. The steps precede the
  // user, or with ConvertAtValue() follow the value, outside the region that captures it.
  absl::Status Convert(Use& use, const TensorSharding* target, reshard::Version version) {
    return Convert(use, target, version, InsertPoint::Before(use.user()));
  }
  absl::Status ConvertAtValue(Use& use, const TensorSharding* target, reshard::Version version) {
    return Convert(use, target, version, InsertPoint::After(use.value()));
  }
  // Sums the unreduced axes of an operand that the result of its op does not keep.
  void Sum(Use& use, const TensorSharding* result);
  // The steps in the place of `op`, which is one of them: the last takes its source.
  void ReplaceBySteps(Op* op, const std::vector<reshard::Conversion>& steps);

 private:
  absl::Status Convert(Use& use, const TensorSharding* target, reshard::Version version,
                       InsertPoint where);
  Op* Add(OpKind kind, Value* operand, const TensorSharding& sharding, InsertPoint where);

  HloProgram& program_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_RESHARD_INSERTER_H_
