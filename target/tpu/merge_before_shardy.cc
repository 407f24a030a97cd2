// cse-before-shardy: equal instructions become one in front of Shardy. What a user or a compiler has
// given a sharding stays, and so does what calls or has to happen.
//
//   a = f32[8] reshape(x), b = f32[8] reshape(x)     ->  a in the place of both

#include "tessera/target/passes/cse.h"
#include "tessera/target/simplify/simplifier.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {

namespace {

bool RunsPrograms(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kConditional ||
         opcode == Opcode::kCustomCall || opcode == Opcode::kWhile;
}

}  // namespace

absl::Status MergeBeforeShardy(Context& context) {
  DeviceProgram& program = context.program;
  MergeEqual(program, [&program](InstructionId id) {
    return !RunsPrograms(program.opcode(id)) && MayBeSimplified(program, id);
  });
  return absl::OkStatus();
}

}  // namespace tessera::target
