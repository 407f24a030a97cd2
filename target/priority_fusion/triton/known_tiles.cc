#include "tessera/target/priority_fusion/triton/known_tiles.h"

#include "absl/numeric/bits.h"

namespace tessera::target {

int64_t Padded(const Tile& tile) {
  int64_t elements = 1;
  for (const int64_t size : tile) {
    elements *= static_cast<int64_t>(absl::bit_ceil(static_cast<uint64_t>(size)));
  }
  return elements;
}

TileId KnownTiles::IdOf(const Tile& tile) {
  const TileId id = tiles_.Intern(tile);
  if (id == padded_.size()) padded_.push_back(target::Padded(tile));
  return id;
}

std::optional<TileId> KnownTiles::OfOperand(InstructionId op, size_t k, TileId tile) {
  const auto [need, is_new] = needs_.try_emplace(Need(op, k, tile));
  if (is_new) {
    const auto of_operand = TileOfOperand(program_, op, k, tiles_[tile]);
    if (of_operand.has_value()) need->second = IdOf(*of_operand);
  }
  return need->second;
}

}  // namespace tessera::target
