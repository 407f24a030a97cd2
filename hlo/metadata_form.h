// File: metadata_form.h
//
// Metadata that is written as XLA writes it needs no decoding to be printed.
//
//   IsPrintedMetadata("{op_name=\"a\" source_line=3}", 0);     // true
//   IsPrintedMetadata("{source_line=3, op_name=\"a\"}", 0);    // false: order, comma

#ifndef TESSERA_HLO_METADATA_FORM_H_
#define TESSERA_HLO_METADATA_FORM_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// True if decoding `text` and printing it with this frame would give `text` again. May be false
// where true would be right.
bool IsPrintedMetadata(absl::string_view text, int64_t stack_frame_id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_METADATA_FORM_H_
