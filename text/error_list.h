// Several mistakes in one text as one Status, for code that goes on after a mistake.
//
//   absl::Status found;
//   for (const Item& item : items) Collect(Check(item), &found);     // Check() gives ErrorAt(..)
//   return found;                                    // ok, or the first mistake and all others
//
//   text::LocatedAll(found, source).message();
//   // a.hlo:3:12: error: ...
//   // a.hlo:9:4: error: ...
//
// The status reads like the first mistake to callers that do not know this class.

#ifndef TESSERA_TEXT_ERROR_LIST_H_
#define TESSERA_TEXT_ERROR_LIST_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::text {

// Adds the mistake (or mistakes) of `status`; nothing if it is ok. Beyond Diagnostics::kMost they
// are dropped.
void Collect(const absl::Status& status, absl::Status* found);

// The mistakes in the order of their collection; empty for an ok status.
std::vector<Diagnostic> ErrorList(const absl::Status& status);

// InvalidArgument whose message has file, line, column and caret of each mistake, in the order of
// the text.
absl::Status LocatedAll(const absl::Status& status, const Source& source);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_ERROR_LIST_H_
