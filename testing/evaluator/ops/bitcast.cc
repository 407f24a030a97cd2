// Bitcast: the same memory seen in another shape, perhaps as numbers of another width. Bits keep
// their places, little end first; padding of tiles reads as zero.
#include <utility>

#include "tessera/hlo/number_format.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

// The real numbers of an array in memory: a complex cell is two of them.
struct Memory {
  static absl::StatusOr<Memory> Of(const layout::Shape& shape) {
    TESSERA_ASSIGN_OR_RETURN(layout::IndexMap map, layout::IndexMap::Create(shape));
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
    const ElementType type = shape.array().element_type();
    const int64_t each = layout::IsComplex(type) ? 2 : 1;
    return Memory{std::move(map), hlo::PartType(type), each, sizes.bits_per_element / each};
  }

  layout::IndexMap map;
  ElementType type;    // of one number
  int64_t each, bits;  // numbers in a cell; bits of one of them
};

uint64_t NumberBits(const Memory& memory, const Array& a, int64_t number) {
  if (number / memory.each >= memory.map.total()) return 0;
  const auto index = memory.map.IndexOf(number / memory.each);
  if (!index.has_value()) return 0;
  const Cell& cell = a.At(ZPoint(*index));
  return BitsOf(memory.type, {cell.i, number % memory.each == 0 ? cell.re : cell.im, 0});
}

// `width` bits from bit `first` on.
uint64_t ReadBits(const Memory& memory, const Array& a, int64_t first, int64_t width) {
  uint64_t bits = 0;
  for (int64_t n = first / memory.bits; n * memory.bits < first + width; ++n) {
    const int64_t shift = n * memory.bits - first;  // where the number begins in the result
    const uint64_t part = NumberBits(memory, a, n);
    bits |= shift >= 0 ? part << shift : part >> -shift;
  }
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

}  // namespace

absl::StatusOr<Value> Bitcast(const Op& op) {
  Array out = op.Out();
  const Array& in = op.in(0);
  TESSERA_ASSIGN_OR_RETURN(const Memory from,
                           Memory::Of(op.module.shape(op.module.operands(op.id)[0])));
  TESSERA_ASSIGN_OR_RETURN(const Memory to, Memory::Of(op.shape()));
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) {
    const int64_t first = to.map.OffsetOf(o) * to.each * to.bits;
    cells[i] = CellOfBits(to.type, ReadBits(from, in, first, to.bits));
    if (to.each == 2)
      cells[i].im = CellOfBits(to.type, ReadBits(from, in, first + to.bits, to.bits)).re;
  });
  return out;
}

}  // namespace tessera::testing::evaluator
