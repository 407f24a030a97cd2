#include "tessera/hlo/parser.h"

#include <algorithm>
#include <limits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "absl/strings/match.h"
#include "tessera/hlo/parse/by_grammar.h"
#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/parse/recovery/hints.h"

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

#ifdef __SSE2__
// Which of the sixteen bytes at `p` are line feeds that a slash follows.
unsigned SlashedLines(const char* p) {
  const auto is = [](const char* at, char c) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), _mm_set1_epi8(c));
  };
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(is(p, '\n'), is(p + 1, '/'))));
}
#endif

// The first line feed at or after `p` that a slash follows; `end` if there is none before it.
// After the text stand enough bytes to look at.
const char* FindSlashedLine(const char* p, const char* end) {
#ifdef __SSE2__
  for (; p < end; p += 32) {
    const unsigned found = SlashedLines(p) | SlashedLines(p + 16) << 16;
    if (found != 0) return std::min(p + __builtin_ctz(found), end);
  }
#else
  while (p < end && (p[0] != '\n' || p[1] != '/')) ++p;
#endif
  return std::min(p, end);
}

// Where the part of the file that begins at `begin` ends: at a line `// -----`, or with the file.
size_t PartEnd(absl::string_view text, size_t begin) {
  constexpr absl::string_view kSeparator = "// -----";
  if (begin == 0 && absl::StartsWith(text, kSeparator)) return 0;
  const char* feed = FindSlashedLine(text.data() + (begin == 0 ? 0 : begin - 1), text.end());
  while (feed != text.end() &&
         !absl::StartsWith(text.substr(static_cast<size_t>(feed + 1 - text.data())), kSeparator)) {
    feed = FindSlashedLine(feed + 1, text.end());
  }
  return static_cast<size_t>(feed - text.data()) + (feed == text.end() ? 0 : 1);
}

ParsedText ParseAll(const std::shared_ptr<const text::Source>& source, bool straight) {
  ParsedText out;
  if (!CheckText(*source, &out)) return out;
  const absl::string_view text = source->text();
  size_t begin = 0;
  while (true) {
    const size_t end = PartEnd(text, begin);
    while (begin < end) {
      ModuleParser parser(source, begin, end, &out.diagnostics);
      if (!straight) parser.LeaveOutStraightPath();
      const bool blank = parser.AtEnd();
      if (blank && (end != text.size() || !out.modules.empty())) break;
      out.modules.push_back(parser.Parse(/*several=*/true));
      // A text that is no HLO has one module after another with a mistake.
      if (out.diagnostics.errors() > text::Diagnostics::kMost) return out;
      if (parser.AtEnd() || !parser.AtNextModule()) break;
      begin = parser.offset();
    }
    if (end >= text.size()) break;
    begin = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return out;
}

}  // namespace

ParsedText ParseModules(const std::shared_ptr<const text::Source>& source) {
  return ParseAll(source, /*straight=*/true);
}

ParsedText ParseModulesByGrammar(const std::shared_ptr<const text::Source>& source) {
  return ParseAll(source, /*straight=*/false);
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
