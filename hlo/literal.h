// Constants, decoded at the first read.
//
//   absl::StatusOr<Literal> l = ParseLiteral(module.LiteralText(id), module.shape(id));
//   l->IntAt(0);                    // first element in row-major order
//   PrintLiteral(*l);               // as XLA prints it: "{1, 2, 3}"
//   IsSplat(module, id);            // are all elements the same?
//
// Elements are kept as bit patterns in row-major order of the logical shape, whatever the layout.

#ifndef TESSERA_HLO_LITERAL_H_
#define TESSERA_HLO_LITERAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

struct Literal {
  layout::Shape shape;
  bool elided = false;  // written `{...}`: the values are unknown
  // One entry an element, two for complex types (real, imaginary): the bits of the value in the
  // element type, zero extended. Integers in two's complement cut to their width, pred 0 or 1. What
  // is missing at the end is 0: of `f32[8] constant(5)` only the first is there, of an elided
  // literal none, so that no literal is larger than its text.
  std::vector<uint64_t> bits;
  std::vector<Literal> elements;  // of a tuple

  int64_t num_elements() const;
  // Entry `i` of `bits`, also one that is missing.
  uint64_t BitsAt(int64_t i) const {
    return i < static_cast<int64_t>(bits.size()) ? bits[static_cast<size_t>(i)] : 0;
  }
  // Value of an integer or pred element.
  int64_t IntAt(int64_t index) const;
};

// `text` as between the brackets of constant(..). Errors carry the offset in `text`.
absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const layout::Shape& shape);

// One line, as XLA prints it; {...} for what has more than 2^20 rows, and no element in them.
std::string PrintLiteral(const Literal& literal);

// Literals with their shapes, the value of the attribute `literal`. A tuple has none of its own:
// "( f32[] 1, s32[3]{0} {1, 2, 3} )".
absl::StatusOr<Literal> ParseTypedLiteral(absl::string_view text);
std::string PrintTypedLiteral(const Literal& literal);

// What is left of the shape of a constant: values are neither packed (the E of a layout) nor of
// dynamic sizes. s4[<=3]{0:E(4)} is stored as s4[3]{0}. Tuples by their elements.
layout::Shape StoredShape(const layout::Shape& shape);
// False for most shapes, of which StoredShape would be a copy.
bool HasStoredShape(const layout::Shape& shape);

// True if all elements of the constant have equal bits; false for tuples and elided literals. An
// array without elements is no splat.
bool IsSplat(const Module& module, InstructionId id);

// The value of a scalar integer constant, or of a splat of integers.
std::optional<int64_t> SplatInt(const Module& module, InstructionId id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_LITERAL_H_
