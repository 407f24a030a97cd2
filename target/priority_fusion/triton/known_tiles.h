// Tiles by numbers, and which one an operation needs of an operand, found once for each.
//
//   KnownTiles tiles(program);
//   const TileId row = tiles.IdOf({1, 64});
//   tiles.OfOperand(reduce, 0, row);          // nothing, or the number of the operand's tile
//
// Kernels that grow by one operation at a time ask for the same tiles of the same operations, again and again.
//
// Cost: a look-up in a table. Tested by triton_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TRITON_KNOWN_TILES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TRITON_KNOWN_TILES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/priority_fusion/triton/tiles_of_operands.h"
#include "tessera/target/program/device_program.h"
#include "tessera/text/interner.h"

namespace tessera::target {

using TileId = uint32_t;

class KnownTiles {
 public:
  // Reads the program as long as it is there.
  explicit KnownTiles(const DeviceProgram& program) : program_(program) {}

  const DeviceProgram& program() const { return program_; }
  TileId IdOf(const Tile& tile);
  const Tile& operator[](TileId id) const { return tiles_[id]; }
  // Elements, with each dimension a power of two.
  int64_t Padded(TileId id) const { return padded_[id]; }
  // TileOfOperand().
  std::optional<TileId> OfOperand(InstructionId op, size_t k, TileId tile);

 private:
  using Need = std::tuple<InstructionId, size_t, TileId>;  // of an operand, for a tile of the op

  const DeviceProgram& program_;
  text::Interner<Tile> tiles_;
  std::vector<int64_t> padded_;
  absl::flat_hash_map<Need, std::optional<TileId>> needs_;
};

// Elements, with each dimension a power of two.
int64_t Padded(const Tile& tile);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TRITON_KNOWN_TILES_H_
