// The result of an instruction: an array of cells, a tuple of values, or nothing (a token).
//
//   Array a = MakeArray(module.shape(id));          // zeros
//   a.cells[a.Linear({1, 2})].re = 0.5;
//   a.At({1, 2}).re                                 // 0.5
//
// A cell is wide enough for every element type, so that one piece of code moves cells of all types:
//
//   pred, integers   i, sign or zero extended (u64 in two's complement)
//   floats           re
//   complex          re, im
//
// Cells hold only numbers that their element type has: Fit() rounds after every operation. Cells
// are in row-major order of the dimensions, whatever the layout. Copies share their cells until one
// is written to (cell_array.h).
#ifndef TESSERA_TESTING_EVALUATOR_VALUE_H_
#define TESSERA_TESTING_EVALUATOR_VALUE_H_

#include <cstdint>
#include <vector>

#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/core/range.h"
#include "tessera/testing/evaluator/cell_array.h"

namespace tessera::testing::evaluator {

using layout::ElementType;
using projection::ZPoint;
using projection::ZRange;

// Equal bits; every NaN equals every other one.
bool SameCell(const Cell& a, const Cell& b);

// Row-major position of an index.
inline int64_t LinearOf(const ZPoint& index, const ZPoint& dims) {
  int64_t linear = 0;
  for (int d = 0; d < dims.rank(); ++d) linear = linear * dims[d] + index[d];
  return linear;
}

struct Array {
  ElementType type = ElementType::kF32;
  ZPoint dims;
  CellArray cells;

  int rank() const { return dims.rank(); }
  int64_t size() const { return static_cast<int64_t>(cells.size()); }
  int64_t Linear(const ZPoint& index) const { return LinearOf(index, dims); }
  bool Has(const ZPoint& index) const;
  const Cell& At(const ZPoint& index) const { return cells[Linear(index)]; }
  Cell& At(const ZPoint& index) { return cells[Linear(index)]; }
};

// Of an array shape: all cells 0.
Array MakeArray(const layout::Shape& shape);
Array MakeArray(ElementType type, const ZPoint& dims);
Array MakeScalar(ElementType type, const Cell& cell);

struct Value {
  bool is_array = false;  // else a tuple; a token is a tuple without elements
  Array array;
  std::vector<Value> elements;

  Value() = default;
  Value(Array a) : is_array(true), array(std::move(a)) {}  // NOLINT: an array is a value
};

Value MakeTuple(std::vector<Value> elements);
// Zeros of any shape.
Value MakeValue(const layout::Shape& shape);

// The arrays of a value, in order of the text.
std::vector<const Array*> Leaves(const Value& value);
std::vector<Array*> Leaves(Value* value);

// Equal bits everywhere.
bool SameValue(const Value& a, const Value& b);

// `cell` as the nearest number of `type`: integers wrap, floats round to nearest even.
Cell Fit(ElementType type, const Cell& cell);
// The bits of a cell, zero extended; of complex types, those of the real part.
uint64_t BitsOf(ElementType type, const Cell& cell);
Cell CellOfBits(ElementType type, uint64_t bits);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_VALUE_H_
