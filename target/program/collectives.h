// The properties of a collective for passes.
//
//   IsCollective(Opcode::kAllReduce);               // true
//   *ReductionOf(program, all_reduce);              // Opcode::kAdd: the root of its reducer
//   CollectiveDimension(program, all_gather);           // 1
//
// Tested by collectives_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_COLLECTIVES_H_
#define TESSERA_TARGET_PROGRAM_COLLECTIVES_H_

#include <cstdint>
#include <optional>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

// What moves data between devices in one instruction. Pairs of start and done are none: they are
// not made before the schedule.
using hlo::IsCollective;

// The opcode at the root of the reducer of an all-reduce or reduce-scatter, if that is one binary
// operation of its two parameters.
std::optional<Opcode> ReductionOf(const DeviceProgram& program, InstructionId id);

// The one dimension that an all-gather gathers or a reduce-scatter scatters.
int64_t CollectiveDimension(const DeviceProgram& program, InstructionId id);

// The bytes of all arrays of the result.
int64_t ResultBytes(const DeviceProgram& program, InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_COLLECTIVES_H_
