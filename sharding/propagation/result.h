// The result of a run of propagation.
//
//   result.ShardingOf(program, value);    // kNoSharding, or an id of the table

#ifndef TESSERA_SHARDING_PROPAGATION_RESULT_H_
#define TESSERA_SHARDING_PROPAGATION_RESULT_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

struct Statistics {
  int64_t runs = 0;        // runs of the worklist
  int64_t steps = 0;       // steps done, remembered ones included
  int64_t remembered = 0;  // of these: answered from memory
  int64_t writes = 0;
};

struct Result {
  std::vector<ShardingId> shardings;  // of each value's own slot
  std::vector<ShardingId> outputs;    // of each output of the main function
  std::vector<RuleId> rules;          // of each op; kNoRule where there is none or it was not asked
  std::vector<bool> erased;           // of each op: it was dead, and went
  Statistics statistics;

  // The sharding of `v`, read where it is kept: at its edge if it has one.
  ShardingId ShardingOf(const NumberedProgram& p, ValueId v) const {
    return shardings[p.sharding_owner(v)];
  }
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RESULT_H_
