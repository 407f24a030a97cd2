// Errors of this package: an absl::Status that also carries a short stable code.
//
//   absl::Status s = Validate(shape);
//   ErrorCode(s);      // "V_M2M_DUP"; "" for OK and for errors of other packages
//   s.message();       // "the order {1,1} of f32[2,3] names dimension 1 twice"
//
// Codes begin with E_ for a text that does not parse, V_ for a shape that contradicts itself, R_
// for an impossible relayout. kRange, kUnbounded and kOddElementBits are for questions that a good
// shape cannot answer. docs/layout.md lists all codes.

#ifndef TESSERA_LAYOUT_ERROR_H_
#define TESSERA_LAYOUT_ERROR_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::layout {

// An invalid-argument (or, for code kRange, out-of-range) status with the code attached.
absl::Status MakeError(absl::string_view code, absl::string_view message);
// The same for a mistake at a byte offset of a text, which text::ErrorOffset gives back.
absl::Status MakeErrorAt(size_t offset, absl::string_view code, absl::string_view message);

// The code MakeError attached.
std::string ErrorCode(const absl::Status& status);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_ERROR_H_
