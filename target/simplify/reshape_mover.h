// reshape-mover: reshapes and transposes move from the operands of an element-wise instruction to
// its result.
//
//   add(reshape(x), reshape(y))                    ->  reshape(add(x, y))
//   multiply(reshape(x), broadcast(a number))      ->  reshape(multiply(x, broadcast))
//
// Only where the reshapes go: all users of each are instructions that move it. On TPUs a reshape that only inserts
// dimensions of size 1 stays for its other users.

#ifndef TESSERA_TARGET_SIMPLIFY_RESHAPE_MOVER_H_
#define TESSERA_TARGET_SIMPLIFY_RESHAPE_MOVER_H_

#include "tessera/target/program/device_program.h"
#include "tessera/target/target.h"

namespace tessera::target {

// Until nothing moves. Whether something did. Cost: one walk through the computation, and in each round what may move.
// Tested by simplify_test.cc.
bool MoveReshapes(DeviceProgram& program, ComputationId c, Platform platform);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_RESHAPE_MOVER_H_
