// ragged-gathers: a gathered matrix whose parts fill no whole rows of tiles is copied.
//
//   w = bf16[32000,1024] all-gather(bf16[500,1024] part), dimensions={0}
//   ->  w = ragged-copy(all-gather(part))
//
// Parts arrive whole, one after the other, each with its padding: bf16[64,500,1024], in tiles of eight rows. Who
// reads the matrix needs rows without gaps, so the compiler writes it anew, in a reshape. A matrix that is gathered
// along its columns lies transposed, so that its parts have rows, too. So are all eight such gathers above 16 MiB in
// the final modules of five steps on 64 to 256 v5e. A gather that becomes a sum has no parts.
// Found from outside. Only for memory and kernels. Cost: linear. Tested by tpu_passes_test.cc.

#include <cstdint>

#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

bool IsRagged(const DeviceProgram& program, InstructionId gather) {
  if (!program.shape(gather).is_array() || program.shape(gather).rank() != 2) return false;
  const layout::Shape& part = program.shape(program.operand(gather, 0));
  return part.dim(CollectiveDimension(program, gather)) % kTileRows != 0;
}

}  // namespace

absl::Status CopyRaggedGathers(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kAllGather || !IsRagged(program, id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const bool becomes_sum, BecomesSum(context, id));
    if (!becomes_sum) PutCopyAfter(program, id, "ragged-copy");
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
