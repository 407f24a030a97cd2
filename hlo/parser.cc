#include "tessera/hlo/parser.h"

#include <algorithm>
#include <limits>

#include "tessera/hlo/module_parser.h"

namespace tessera::hlo {
namespace {

constexpr absl::string_view kSeparator = "// -----";

bool CheckSize(const text::Source& source, ParsedText* out) {
  // Offsets are 32-bit numbers.
  if (source.text().size() < std::numeric_limits<uint32_t>::max() - text::Source::kPadding) {
    return true;
  }
  out->diagnostics.Error(0, "texts of 4 GiB and more are not read");
  return false;
}

// Where the part of the file that begins at `begin` ends: at a line `// -----`, or with the file.
size_t PartEnd(absl::string_view text, size_t begin) {
  while (true) {
    const size_t at = text.find(kSeparator, begin);
    if (at == absl::string_view::npos) return text.size();
    if (at == 0 || text[at - 1] == '\n') return at;
    begin = at + 1;
  }
}

}  // namespace

ParsedText ParseModules(const std::shared_ptr<const text::Source>& source) {
  ParsedText out;
  if (!CheckSize(*source, &out)) return out;
  const absl::string_view text = source->text();
  size_t begin = 0;
  while (true) {
    const size_t end = PartEnd(text, begin);
    while (begin < end) {
      ModuleParser parser(source, begin, end, &out.diagnostics);
      const bool blank = parser.AtEnd();
      if (blank && (end != text.size() || !out.modules.empty())) break;
      out.modules.push_back(parser.Parse(/*several=*/true));
      if (parser.AtEnd() || !parser.AtNextModule()) break;
      begin = parser.offset();
    }
    if (end >= text.size()) break;
    begin = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  if (text.empty()) out.diagnostics.Error(0, "the text is empty");
  return out;
}

ParsedText ParseOneModule(const std::shared_ptr<const text::Source>& source) {
  ParsedText out;
  if (!CheckSize(*source, &out)) return out;
  ModuleParser parser(source, 0, source->text().size(), &out.diagnostics);
  out.modules.push_back(parser.Parse(/*several=*/false));
  return out;
}

absl::StatusOr<Module> ParseModule(absl::string_view text, std::string name) {
  const auto source = text::Source::FromString(std::move(name), text);
  ParsedText parsed = ParseOneModule(source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(*source);
  return std::move(parsed.modules[0]);
}

}  // namespace tessera::hlo
