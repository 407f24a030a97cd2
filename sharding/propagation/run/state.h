// State: the shardings of a program while propagation changes them, one id for each value and each
// output of the main function. All changes go through here, so that all of them are reported.
//
//   State state(program, tables, observer);
//   state.Write(value, sharding, {Cause::kStep, /*tensor=*/1});
//   for (ValueId v : state.written()) ...      // `value`, and siblings that became fully open
//   state[value];
//
// The first write to a result of an op with several results, none of which has a sharding, makes
// the others fully open: shardings live on the op, for all results or for none. A program that says
// something about some results only is completed likewise.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_STATE_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_STATE_H_

#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

// Why something is written; `tensor` is that of the step, if it is a step.
struct WriteReason {
  Cause cause = Cause::kStep;
  int tensor = -1;
};

class State {
 public:
  State(const NumberedProgram& program, const Tables& tables, Observer* observer);

  // Of the value's own slot: ask with owners.
  ShardingId operator[](ValueId v) const { return shardings_[v]; }
  ShardingId output(int k) const { return outputs_[k]; }

  // Writes the slot of the owner `v`.
  void Write(ValueId v, ShardingId sharding, WriteReason reason);
  void WriteOutput(int k, ShardingId sharding, WriteReason reason);

  // The values that the last Write() changed.
  absl::Span<const ValueId> written() const { return written_; }
  int64_t writes() const { return writes_; }

  std::vector<ShardingId> TakeShardings() && { return std::move(shardings_); }
  std::vector<ShardingId> TakeOutputs() && { return std::move(outputs_); }

 private:
  void CompleteResults(OpId o);
  ShardingId Open(MeshId mesh, ValueId v);
  void Set(ValueId v, ShardingId sharding, WriteReason reason);
  bool FillsSiblings(ValueId v) const;
  void FillSiblings(ValueId v, MeshId mesh);

  const NumberedProgram& program_;
  Tables tables_;
  Observer* observer_;
  std::vector<ShardingId> shardings_;
  std::vector<ShardingId> outputs_;
  std::vector<ValueId> written_;
  int64_t writes_ = 0;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_STATE_H_
