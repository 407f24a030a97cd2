// The tables of pointers that a program for a CPU keeps for its tuples, as XLA assigns them.
//
//   // %t = (f32[8], f32[2]) tuple(%a, %b); a loop carries it
//   TablesOf(module, values);      // {16}: one table, which the loop and its body share
//
// Each instruction that makes a tuple has a table of 8 bytes for each element; tuples within tuples
// have their own. An operation that hands a tuple on shares its table: elements, calls, parameters.
// So do all tuples that a loop carries, and those that the branches of a conditional return. The
// table of the result of the program is part of the results. Cost: linear in the instructions.
// Tested by cpu_heap_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_TUPLE_TABLES_H_
#define TESSERA_TARGET_BUFFERS_TUPLE_TABLES_H_

#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/buffers/live_values.h"

namespace tessera::target {

// Bytes of each, the largest first.
std::vector<int64_t> TablesOf(const hlo::Module& module, const LiveValues& values);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_TUPLE_TABLES_H_
