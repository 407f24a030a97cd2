// The single passes of clean_up.h. Each returns whether it changed anything; new instructions go to
// the end of their computation.

#ifndef TESSERA_PIPELINE_PASSES_PASSES_H_
#define TESSERA_PIPELINE_PASSES_PASSES_H_

#include <cstddef>

#include "tessera/hlo/builder.h"

namespace tessera::pipeline::passes {

// The instructions that single passes change. A module without such, in which each computation is
// named once and each array has elements, is clean.
bool IsPlacementMark(const hlo::Module& module, hlo::InstructionId id);
bool IsInlinedCall(const hlo::Module& module, hlo::InstructionId id);
bool IsLooseConditional(const hlo::Module& module, hlo::InstructionId id);

// annotate_device_placement, MoveToHost and MoveToDevice calls are replaced by their operand, which
// takes the call's sharding if it has none.
bool RemovePlacementMarks(hlo::Builder* builder);

// Callees first: of all mentions of a computation the first keeps it, if its instruction names it
// once; every other one gets a copy (NAME.clone, NAME.clone.1, ..) with copies of all that it
// calls.
bool FlattenCalls(hlo::Builder* builder);

// Callees of several calls that have `least` instructions or more, with what is inlined into them: their
// calls get the frontend attribute `inlineable="false"`.
bool KeepSharedCallees(hlo::Builder* builder, size_t least);

// Replaces calls by the instructions of their callees. Left alone are bodies of shard_maps, calls
// with a backend_config, calls whose frontend attribute `inlineable` is false or xla_late, and
// async computations. The op_name of what is copied begins with that of the call.
bool InlineCalls(hlo::Builder* builder);

// Instructions whose array has no elements become constants, but for those with side effects or
// control dependencies; parameters stay, their uses read a constant.
bool RemoveZeroSized(hlo::Builder* builder);

// Operands, parameters and results of conditionals that are no tuples become tuples of one.
bool CanonicalizeConditionals(hlo::Builder* builder);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_PASSES_H_
