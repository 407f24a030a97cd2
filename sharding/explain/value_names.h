// Which instruction of the module each value of the program is, and back.
//
//   ValueNames names(log);
//   names.Of(value).instruction;        // the id of `%while.7`
//   names.Of(value).leaf;               // 2: the third array of its shape
//   names.ValueOf(instruction, 2);      // the value; kNone if the pass dropped it
//
// To be made before the passes after propagation run. Of a computation that was copied the first
// copy counts, and so of a constant that was copied for its users. A capture of a loop is, in the
// loop, the constraint before it (sharding/passes/program/loop_captures.h). Tested by
// chain_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_VALUE_NAMES_H_
#define TESSERA_SHARDING_EXPLAIN_VALUE_NAMES_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/passes/program/loop_captures.h"

namespace tessera::sharding::explain {

struct ValueName {
  hlo::InstructionId instruction = hlo::kNoId;  // kNoId for what the pass added
  int leaf = 0;
  int num_leaves = 1;
};

class ValueNames {
 public:
  explicit ValueNames(const EventLog& log);

  const ValueName& Of(propagation::ValueId value) const {
    return names_[static_cast<size_t>(value)];
  }
  // kNone if propagation has no such value.
  propagation::ValueId ValueOf(hlo::InstructionId instruction, int leaf) const;
  int num_leaves(hlo::InstructionId instruction) const {
    return static_cast<int>(leaves_[instruction].size());
  }

 private:
  void ReadTable(const passes::InstructionValues& table);
  void ReadInstruction(const passes::InstructionValues& table, hlo::InstructionId id);
  void NameByOps();
  propagation::ValueId NumberOf(const passes::InstructionValues& table, hlo::InstructionId id,
                                passes::Value* leaf) const;

  const EventLog& log_;
  const passes::LoopCaptures captures_;
  std::vector<ValueName> names_;                           // by value
  std::vector<int> ranks_;                                 // how good the name is; 0 is best
  std::vector<std::vector<propagation::ValueId>> leaves_;  // by instruction
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_VALUE_NAMES_H_
