// An error at an instruction: one line makes it in every pass.
//
//   return ErrorAt(module, id, "a device sends more than 2^63 bytes up to here");
//   return ErrorAtName(module, id, "its operands differ");    // "%add.1: its operands differ"
//
// The status has the offset of the instruction in the text that the module was read from. A caller with the text shows
// line and caret (`text::Located`, tessera/text/diagnostic.h). Tested in hlo/ir/error_at_test.cc.

#ifndef TESSERA_HLO_ERROR_AT_H_
#define TESSERA_HLO_ERROR_AT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

// InvalidArgument at the instruction `id`.
absl::Status ErrorAt(const Module& module, InstructionId id, absl::string_view message);
// The same, and the message begins with the name of the instruction.
absl::Status ErrorAtName(const Module& module, InstructionId id, absl::string_view message);
// An error that may have a place already: `status` itself then, else its message at the instruction. An instruction that a pass has made is
// in no text, so the message begins with its name. Unimplemented stays Unimplemented.
absl::Status PlacedAt(const Module& module, InstructionId id, const absl::Status& status);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ERROR_AT_H_
