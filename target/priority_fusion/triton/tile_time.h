// How long a kernel of Triton takes by XLA's cost model, with the best tile.
//
//   KnownTiles tiles(program);
//   TritonTicks(ids, facts, expression, &tiles);     // nothing: no tile fits into registers
//
// A block makes one tile of the result: rows from the last dimension on, 1, 2, 4, .. elements or the whole
// dimension. What it reads follows from operation to operation, a reduction needs whole rows. The
// number of threads follows from the largest tile. Tiles that the result or what is read does not fit
// into 0.4 of a core's registers are left out.
//
// Cost: some 15 tiles, each linear in the expression. Tested by triton_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILE_TIME_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILE_TIME_H_

#include <optional>

#include "absl/types/span.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/triton/known_tiles.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Triton makes code for it.
bool HasTritonCode(const DeviceProgram& program, InstructionId id);

// In ticks of roofline.h. `ids` and `facts` by op; kernels have the numbers of the ops whose results they are.
std::optional<double> TritonTicks(absl::Span<const InstructionId> ids,
                                  absl::Span<const OpFacts> facts, const Expression& expression,
                                  KnownTiles* tiles);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILE_TIME_H_
