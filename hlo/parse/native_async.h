// Operations whose start and done are opcodes of their own; all others are wrapped by async-start.
//
//   kPlainOfStart[Opcode::kAllGatherStart];         // Opcode::kAllGather
//   kPlainOfDone.Contains(Opcode::kAsyncDone);      // false

#ifndef TESSERA_HLO_PARSE_NATIVE_ASYNC_H_
#define TESSERA_HLO_PARSE_NATIVE_ASYNC_H_

#include "tessera/hlo/opcode.h"
#include "tessera/hlo/schema/opcode_table.h"

namespace tessera::hlo {

inline constexpr OpcodeTable<Opcode> kPlainOfStart({
    {Opcode::kAllGatherStart, Opcode::kAllGather},
    {Opcode::kAllReduceStart, Opcode::kAllReduce},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermute},
    {Opcode::kCopyStart, Opcode::kCopy},
});

inline constexpr OpcodeTable<Opcode> kPlainOfDone({
    {Opcode::kAllGatherDone, Opcode::kAllGather},
    {Opcode::kAllReduceDone, Opcode::kAllReduce},
    {Opcode::kCollectivePermuteDone, Opcode::kCollectivePermute},
    {Opcode::kCopyDone, Opcode::kCopy},
});

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_NATIVE_ASYNC_H_
