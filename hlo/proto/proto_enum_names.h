// Names of enumerators in the text form of binary HLO.
//
//   WithEnumNumbers("element_type: F32 name: \"F32\"");   // "element_type: 11  name: \"F32\""
//
// Protocol buffers write an enumeration by its names, and hlo.proto declares most as numbers.

#ifndef TESSERA_HLO_PROTO_PROTO_ENUM_NAMES_H_
#define TESSERA_HLO_PROTO_PROTO_ENUM_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// A number takes the place of each known name, and blanks fill it: offsets stay. Linear in the text.
std::string WithEnumNumbers(absl::string_view text);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_ENUM_NAMES_H_
