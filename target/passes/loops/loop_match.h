// The carry of a loop: its elements, its counter, sums that it adds up and results that it stacks.
//
//   std::optional<CarriedLoop> loop = FindLoop(program, loop_instruction);
//   FindCounter(program, *loop);             // element 0, 16 trips
//
// Tested by collective_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_LOOPS_LOOP_MATCH_H_
#define TESSERA_TARGET_PASSES_LOOPS_LOOP_MATCH_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/target/passes/loops/replication.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// A loop whose tuple is taken apart and put together in its body, and put together in front of it.
struct CarriedLoop {
  InstructionId loop = kNoId;
  InstructionId start = kNoId;         // the tuple in front
  InstructionId root = kNoId;          // the tuple of the body
  InstructionId parameter = kNoId;     // of the body
  InstructionId of_condition = kNoId;  // the parameter of the condition
};
std::optional<CarriedLoop> FindLoop(const DeviceProgram& program, InstructionId loop);

// The element of the loop's tuple that `id` reads in the body; nothing for other instructions.
std::optional<size_t> ElementRead(const DeviceProgram& program, const CarriedLoop& loop,
                                  InstructionId id);
bool IsReadByCondition(const DeviceProgram& program, const CarriedLoop& loop, size_t element);

// The element of the loop's tuple that `update` alone reads and changes.
std::optional<size_t> OnlyElement(const DeviceProgram& program, const CarriedLoop& loop,
                                  InstructionId update);

// By how many instructions each computation is called.
std::vector<int> CallerCounts(DeviceProgram& program);
// Nothing else calls the loop's body and its condition.
bool HasOwnBody(const DeviceProgram& program, const std::vector<int>& callers, InstructionId loop);

// Counts from 0 in steps of 1.
struct Counter {
  size_t element = 0;
  int64_t trips = 0;
};
std::optional<Counter> FindCounter(const DeviceProgram& program, const CarriedLoop& loop);

// A sum whose result only fills, trip by trip, an element of the loop's tuple.
struct Stacking {
  size_t element = 0;
  layout::Shape region;          // what all trips fill together
  std::vector<int64_t> offsets;  // where it begins
};
// Of at most so many bytes in all trips.
std::optional<Stacking> FindStacking(const DeviceProgram& program, const CarriedLoop& loop,
                                     const Counter& counter, InstructionId all_reduce,
                                     int64_t max_bytes);

// A sum that is only added to elements of the loop's tuple, which nothing else reads.
struct Accumulations {
  std::vector<size_t> elements;
};
std::optional<Accumulations> FindAccumulations(const DeviceProgram& program,
                                               const Replication& replication,
                                               const CarriedLoop& loop, InstructionId all_reduce);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_LOOPS_LOOP_MATCH_H_
