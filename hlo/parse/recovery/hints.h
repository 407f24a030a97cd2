// Guesses at the meaning of a text that does not parse.
//
//   ForeignText("\x1f\x8b..");     // "this is compressed by gzip; give .."
//   NearestOpcode("tanhh");        // ", did you mean 'tanh'?"

#ifndef TESSERA_HLO_PARSE_RECOVERY_HINTS_H_
#define TESSERA_HLO_PARSE_RECOVERY_HINTS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// Of a file that begins as another form does, such as MLIR or what gzip made; else empty.
absl::string_view OtherForm(absl::string_view text);

// Of a whole file that is given for HLO text by mistake, also one without such a beginning; empty when it may be HLO.
absl::string_view ForeignText(absl::string_view text);

// Empty when no opcode is near.
std::string NearestOpcode(absl::string_view word);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_RECOVERY_HINTS_H_
