// HLO text -> modules.
//
//   auto source = text::Source::FromString("a.hlo", "ENTRY e { ROOT p = f32[2] parameter(0) }");
//   ParsedText parsed = ParseModules(source);
//   if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(*source);
//   Module& module = parsed.modules[0];
//
// The parser accepts what XLA's parser accepts of the August 2026 text format and of older ones. It
// also refuses a few texts on which XLA's aborts, or which that reads by accident (empty operands,
// duplicate device lists, ..). Errors stand at the place where XLA finds them. After an error the
// parser goes on with the next instruction, so that one run shows several.
//
// The text is walked once. Literals of constants are checked for form, not decoded.

#ifndef TESSERA_HLO_PARSER_H_
#define TESSERA_HLO_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

struct ParsedText {
  // Usable only when diagnostics.ok(); then at least one, except for a text without any module.
  std::vector<Module> modules;
  text::Diagnostics diagnostics;
};

// One file with one or more modules. A new one begins at each `HloModule` that stands where a
// computation could, and after a line `// -----`.
ParsedText ParseModules(const std::shared_ptr<const text::Source>& source);

// Exactly one module, or a single instruction, as XLA reads it: a second `HloModule` is an error.
ParsedText ParseOneModule(const std::shared_ptr<const text::Source>& source);

// ParseOneModule on a string or a text; the status carries all diagnostics.
absl::StatusOr<Module> ParseModule(absl::string_view text, std::string name = "<text>");
absl::StatusOr<Module> ParseModule(const std::shared_ptr<const text::Source>& source);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSER_H_
