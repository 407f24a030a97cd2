// Values that are written as XLA writes them need no decoding to be printed.
//
//   IsCanonicalIntList("{1,0}");                                 // true
//   IsCanonicalIntList("{1, 0}");                                // false: a blank
//
// All are conservative: they may return false for canonical text.

#ifndef TESSERA_HLO_VALUES_VALUE_FORM_H_
#define TESSERA_HLO_VALUES_VALUE_FORM_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// `text` is the written value of an integer and has no sign, no zero in front.
bool IsCanonicalInt(absl::string_view text);

// `text` is the written value of a list of integers: no blanks, no signs, no zeros in front.
bool IsCanonicalIntList(absl::string_view text);

// `text` is the written value of lists of integers, `{{0,1},{2,3}}`: none of them empty, no blanks, no
// signs, no zeros in front, at most eighteen digits.
bool IsCanonicalIntLists(absl::string_view text);

// `text` is a constant of one dimension, `{0, 16, 32}`: one blank after each comma, no zeros in
// front, no minus unless `is_signed`, at most nine digits.
bool IsCanonicalIntVector(absl::string_view text, bool is_signed);

// `text` is the written value of frontend_attributes: sorted keys, strings that need no other
// escapes and would not print as JSON.
bool IsPrintedFrontendAttributes(absl::string_view text);

// After the metadata that begins at `p`, if decoding and printing it would give the same text;
// null if not. `frame` gets its stack frame, 0 for none.
const char* PrintedMetadataEnd(const char* p, const char* end, int64_t* frame);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_VALUE_FORM_H_
