// Sums whose results a loop only stacks, trip by trip.
//
//   std::optional<StackedSum> sum = FindStackedSum(program, loop, all_reduce);
//   sum->update;             // stack[i] <- .. of it
//
// Tested by ../multislice_test.cc.

#ifndef TESSERA_TARGET_TPU_MULTISLICE_STACKED_SUMS_H_
#define TESSERA_TARGET_TPU_MULTISLICE_STACKED_SUMS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// From a sum to the stack. What a trip hands to the next one are the operand of the sum and the indices.
struct StackedSum {
  std::vector<InstructionId> path;  // the sum, and what moves its elements
  InstructionId update = kNoId;     // the dynamic-update-slice
  size_t element = 0;               // of the loop's tuple
  std::vector<size_t> indices;      // operands of the update that are no constants

  InstructionId sum() const { return path[0]; }
};

// Nothing where another op reads the sum or what is made of it. Collectives and ops that move elements go with the sum,
// at places that no trip changes. Cost: constant for each.
std::optional<StackedSum> FindStackedSum(const DeviceProgram& program, const CarriedLoop& loop,
                                         InstructionId sum);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_MULTISLICE_STACKED_SUMS_H_
