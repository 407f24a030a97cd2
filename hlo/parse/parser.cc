#include "tessera/hlo/parser.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/parse/recovery/foreign_text.h"

namespace tessera::hlo {
namespace {

bool CheckText(const text::Source& source, ParsedText* out) {
  if (const absl::string_view foreign = ForeignText(source.text()); !foreign.empty()) {
    out->diagnostics.Error(0, std::string(foreign));
    return false;
  }
  // Offsets are 32-bit numbers.
  if (source.text().size() < std::numeric_limits<uint32_t>::max() - text::Source::kPadding) {
    return true;
  }
  out->diagnostics.Error(0, "the text exceeds the limit of 4 GiB");
  return false;
}

// Where the part of the file that begins at `begin` ends: at a line `// -----`, or with the file.
size_t PartEnd(absl::string_view text, size_t begin) {
  constexpr absl::string_view kSeparator = "// -----";
  if (begin == 0 && absl::StartsWith(text, kSeparator)) return 0;
  size_t feed = text.find('\n', begin == 0 ? 0 : begin - 1);
  while (feed != text.npos && text.substr(feed + 1, kSeparator.size()) != kSeparator) {
    feed = text.find('\n', feed + 1);
  }
  return feed == text.npos ? text.size() : feed + 1;
}

}  // namespace

ParsedText ParseModules(const std::shared_ptr<const text::Source>& source) {
  ParsedText out;
  if (!CheckText(*source, &out)) return out;
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
  return out;
}

ParsedText ParseOneModule(const std::shared_ptr<const text::Source>& source) {
  ParsedText out;
  if (!CheckText(*source, &out)) return out;
  ModuleParser parser(source, 0, source->text().size(), &out.diagnostics);
  out.modules.push_back(parser.Parse(/*several=*/false));
  return out;
}

absl::StatusOr<Module> ParseModule(absl::string_view text, std::string name) {
  return ParseModule(text::Source::FromString(std::move(name), text));
}

absl::StatusOr<Module> ParseModule(const std::shared_ptr<const text::Source>& source) {
  ParsedText parsed = ParseOneModule(source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(*source);
  return std::move(parsed.modules[0]);
}

}  // namespace tessera::hlo
