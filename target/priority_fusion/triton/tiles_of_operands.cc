#include "tessera/target/priority_fusion/triton/tiles_of_operands.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

using hlo::IntList;

IntList DimensionsOf(const DeviceProgram& program, InstructionId id) {
  return hlo::GetInts(program.module(), id, hlo::AttributeName::kDimensions).value_or(IntList());
}

Tile OfReduced(const layout::Shape& operand, const IntList& reduced, const Tile& tile) {
  Tile of;
  size_t next = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    of.push_back(absl::c_linear_search(reduced, d) ? operand.dim(d) : tile[next++]);
  }
  return of;
}

// A row of dimensions that as many elements share on both sides. In it a tile has elements that lie side by
// side: some of one dimension, and all of those after it.
struct Group {
  int64_t first_to = 0, end_to = 0, first_from = 0, end_from = 0;
};

bool FillGroup(const layout::Shape& from, const Group& group, int64_t elements, Tile* of) {
  for (int64_t d = group.end_from - 1; d >= group.first_from; --d) {
    const int64_t size = std::min(elements, from.dim(d));
    if (size == 0 || elements % size != 0) return false;
    (*of)[d] = size;
    elements /= size;
  }
  return elements == 1;
}

// Elements of the tile in the group; nothing if they do not lie side by side.
std::optional<int64_t> ElementsInGroup(const layout::Shape& to, const Group& group,
                                       const Tile& tile) {
  int64_t elements = 1;
  bool is_partial = false;
  for (int64_t d = group.end_to - 1; d >= group.first_to; --d) {
    if (is_partial && tile[d] != 1) return std::nullopt;
    elements *= tile[d];
    is_partial |= tile[d] != to.dim(d);
  }
  return elements;
}

// Triton makes each dimension of a tile a power of two. XLA asks that of a reshape, too; not of a dimension that
// stays as it is.
bool FitsAsPowersOfTwo(const layout::Shape& to, const layout::Shape& from, const Group& group,
                       Tile tile) {
  if (group.end_to - group.first_to == 1 && group.end_from - group.first_from == 1) return true;
  for (int64_t& size : tile) {
    size = static_cast<int64_t>(absl::bit_ceil(static_cast<uint64_t>(size)));
  }
  Tile of(from.rank(), 1);
  const auto elements = ElementsInGroup(to, group, tile);
  return elements.has_value() && FillGroup(from, group, *elements, &of);
}

std::optional<Tile> OfReshaped(const layout::Shape& to, const layout::Shape& from,
                               const Tile& tile) {
  Tile of(from.rank(), 1);
  Group group;
  int64_t size_to = 1, size_from = 1;
  while (group.end_to < to.rank() || group.end_from < from.rank()) {
    if (size_to <= size_from && group.end_to < to.rank()) {
      size_to *= to.dim(group.end_to++);
    } else if (group.end_from < from.rank()) {
      size_from *= from.dim(group.end_from++);
    } else {
      return std::nullopt;
    }
    if (size_to != size_from) continue;
    const auto elements = ElementsInGroup(to, group, tile);
    if (!elements.has_value() || !FillGroup(from, group, *elements, &of)) return std::nullopt;
    if (!FitsAsPowersOfTwo(to, from, group, tile)) return std::nullopt;
    group = {group.end_to, group.end_to, group.end_from, group.end_from};
    size_to = size_from = 1;
  }
  return of;
}

}  // namespace

std::optional<Tile> TileOfOperand(const DeviceProgram& program, InstructionId id, size_t k,
                                  const Tile& tile) {
  const layout::Shape& operand = program.shape(program.operand(id, k));
  const Opcode opcode = program.opcode(id);
  if (operand.rank() == 0) return Tile();
  if (projection::IsElementwise(opcode)) return tile;
  if (opcode == Opcode::kBitcast || opcode == Opcode::kReshape) {
    return OfReshaped(program.shape(id), operand, tile);
  }
  const IntList dimensions = DimensionsOf(program, id);
  if (opcode == Opcode::kReduce) return OfReduced(operand, dimensions, tile);
  Tile of(operand.rank(), 1);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (opcode == Opcode::kTranspose) of[dimensions[d]] = tile[d];
    if (opcode == Opcode::kBroadcast) of[d] = tile[dimensions[d]];
  }
  if (opcode == Opcode::kTranspose || opcode == Opcode::kBroadcast) return of;
  return std::nullopt;
}

}  // namespace tessera::target
