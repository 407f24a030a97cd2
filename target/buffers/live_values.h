// The arrays of a finished program: which of them are one in memory, and when each is needed.
//
//   const LiveValues values = FindLiveValues(module, /*reuses_operands=*/true);
//   values.home[v];            // the first of the arrays that lie where v lies
//   values.spans               // {{v, first, last}, ..}: steps, in the order in which all runs
//   values.steps[values.spans[0].first];        // the instruction of a step
//
// These are the values of XLA's data-flow analysis. An array is known by its instruction and its
// number there: values.first[id] + leaf. Only an array that an instruction makes has a span; tuples,
// their elements, bitcasts, the parameters of calls and branches, and what an asynchronous operation
// hands on are the array that comes in.
//
// Steps follow the schedule, which is the order of the text, and go into called computations: a
// condition and a body stand once, in front of their loop. An element that a loop changes is several
// arrays in one memory. The initial value lives until the body has it, and condition and body have one
// array each while they read it. The body makes another, and the result is one more. So is the result
// of a conditional. Operands and results of a start live until its done. An argument and the result
// that input_output_alias gives it to lie in one memory, and so do updates in place
// (SharedLeaves()). With `reuses_operands`, kernels that may write their result over an operand
// after its last use are noted (reused_operands.h).
//
// Cost: linear in the arrays that the instructions name, a computation that is called twice counted
// twice. InvalidArgument with the offset of an instruction for calls without end. Tested by
// device_buffers_test.cc, and against the compilers by testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_LIVE_VALUES_H_
#define TESSERA_TARGET_BUFFERS_LIVE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

using ValueId = uint32_t;

struct LiveSpan {
  ValueId value = 0;
  int64_t first = 0, last = 0;  // steps, both included
  bool is_taken_over = false;   // in the last step, by the result of the loop
};

// The kernel of a step may write `made` over `operand`, which it is the last one to read.
struct Reuse {
  ValueId made = 0, operand = 0;
  int64_t step = 0;
  bool is_direct = false;  // the kernel names what makes the operand
};

struct LiveValues {
  std::vector<ValueId> first;  // by InstructionId, and the end
  std::vector<ValueId> home;   // by ValueId
  // By ValueId: what an array of a loop or conditional goes on from, as an instruction makes it. Those
  // arrays have the ids after first.back().
  std::vector<ValueId> origin;
  // By ValueId: the instruction; of those arrays a parameter, a loop or a conditional.
  std::vector<hlo::InstructionId> makers;
  std::vector<LiveSpan> spans;  // in order; several for a value in a computation that runs twice
  std::vector<hlo::InstructionId> steps;    // what runs
  std::vector<hlo::InstructionId> callers;  // by ComputationId; kNoId: the entry, or never called
  std::vector<ValueId> results;             // of the entry, leaf by leaf
  std::vector<Reuse> reuses;                // in the order of the steps
};

absl::StatusOr<LiveValues> FindLiveValues(const hlo::Module& module, bool reuses_operands);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_LIVE_VALUES_H_
