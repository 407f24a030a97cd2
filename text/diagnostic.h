// Mistakes in a text as data: the place, the severity, the mistake, and a correction.
//
//   text::Diagnostics found;
//   found.Error(offset, "unknown opcode 'dott'; did you mean 'dot'?");
//   if (!found.ok()) std::cerr << found.Render(*source);
//
//   a.hlo:3:12: error: unknown opcode 'dott'; did you mean 'dot'?
//     y = f32[2] dott(x)
//                ^
//
// A parser of a small text (a layout, a sharding) fails at its first mistake with a Status from
// ErrorAt(), which carries the offset. The parser around it moves the error to its own text with
// Rebase().

#ifndef TESSERA_TEXT_DIAGNOSTIC_H_
#define TESSERA_TEXT_DIAGNOSTIC_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/text/source.h"

namespace tessera::text {

enum class Severity { kError, kWarning, kNote };

struct Diagnostic {
  Severity severity = Severity::kError;
  size_t offset = 0;
  std::string message;
};

// `file:line:column: error: message`, the source line, and a caret below the column. Long lines are
// cut to a window around the caret. Ends with a newline.
std::string Render(const Source& source, const Diagnostic& diagnostic);

// The mistakes of one text, in the order found. Holds at most kMost (the rest are counted), so that
// bad input cannot eat memory.
class Diagnostics {
 public:
  static constexpr size_t kMost = 100;

  void Add(Diagnostic diagnostic);
  void Error(size_t offset, std::string message) {
    Add({Severity::kError, offset, std::move(message)});
  }
  bool ok() const { return errors_ == 0; }
  size_t errors() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }

  std::string Render(const Source& source) const;
  // Ok, or InvalidArgument whose message is what Render() gives.
  absl::Status ToStatus(const Source& source) const;

 private:
  std::vector<Diagnostic> all_;
  size_t errors_ = 0;
};

// InvalidArgument that remembers the byte offset of the mistake.
absl::Status ErrorAt(size_t offset, absl::string_view message);
// The offset that ErrorAt() put in; 0 for any other Status.
size_t ErrorOffset(const absl::Status& status);
// The same error in a text in which the small text begins at `base`.
absl::Status Rebase(const absl::Status& status, size_t base);
// An ErrorAt() status as a Diagnostic.
Diagnostic ToDiagnostic(const absl::Status& status);
// InvalidArgument whose message has file, line, column and caret.
absl::Status Located(const absl::Status& status, const Source& source);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_DIAGNOSTIC_H_
