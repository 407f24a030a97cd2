// A question behind an unknown opcode.
//
//   NearestOpcode("tanhh");   // ", did you mean 'tanh'?"

#ifndef TESSERA_HLO_PARSE_RECOVERY_NEAREST_OPCODE_H_
#define TESSERA_HLO_PARSE_RECOVERY_NEAREST_OPCODE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// Empty when no opcode is near.
std::string NearestOpcode(absl::string_view word);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_RECOVERY_NEAREST_OPCODE_H_
