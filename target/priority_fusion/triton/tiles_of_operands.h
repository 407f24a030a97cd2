// Which tile of an operand an operation needs for a tile of its result.
//
//   TileOfOperand(program, reduce, 0, {4});     // {4,64}: of a sum over the rows of f32[8,64]
//
// Nothing where no tile holds all that is needed, and for operations that Triton has no code for.
// Tested by triton_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILES_OF_OPERANDS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILES_OF_OPERANDS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

using Tile = absl::InlinedVector<int64_t, 6>;  // elements of each dimension

std::optional<Tile> TileOfOperand(const DeviceProgram& program, InstructionId id, size_t k,
                                  const Tile& tile);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TRITON_TILES_OF_OPERANDS_H_
