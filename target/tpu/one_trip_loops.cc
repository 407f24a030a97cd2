// one-trip-loops: the body of a loop that runs once stands in its place.
//
//   w = while(t), body=b       ->   what b makes of t
//
// The partitioner writes the product of a gathered operand over four devices as a loop of one trip.
// Its last exchanges feed a second trip that never comes; they die with the loop (dce).
// The pipeliner of sums between slices leaves one trip of a loop of two (multislice/collective_pipeliner.cc).

#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

bool RunsOnce(const DeviceProgram& program, InstructionId id) {
  if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) return false;
  return projection::TripCount(program.module(), id) == 1;
}

}  // namespace

absl::Status UnrollOneTripLoops(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!RunsOnce(program, id)) continue;
    const ComputationId body = program.module().called(id)[0];
    const InstructionId call = program.Add(program.computation(id), Opcode::kCall, "once",
                                           program.shape(id), {program.operand(id, 0)});
    program.SetCalled(call, {body});
    program.ReplaceUses(id, call);
    program.Remove(id);
  }
  return InlineCalls(context);
}

}  // namespace tessera::target
