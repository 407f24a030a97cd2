// Files that are given for HLO text by mistake.
//
//   ForeignText("\x1f\x8b..");     // "this is gzip, not text: unpack it first"

#ifndef TESSERA_HLO_PARSE_RECOVERY_FOREIGN_TEXT_H_
#define TESSERA_HLO_PARSE_RECOVERY_FOREIGN_TEXT_H_

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// What the text is and what to do; empty when it may be HLO.
absl::string_view ForeignText(absl::string_view text);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_RECOVERY_FOREIGN_TEXT_H_
