#include "tessera/hlo/parser.h"

#include <algorithm>
#include <limits>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tessera/hlo/parse/foreign_text.h"
#include "tessera/hlo/parse/module_parser.h"

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

// The first `// -----` at or behind `at`, the size of the text if there is none. Slashes are
// frequent in names of operations, so three of its bytes are looked for at once.
size_t FindSeparator(absl::string_view text, size_t at) {
  constexpr absl::string_view kSeparator = "// -----";
#ifdef __SSE2__
  const auto places = [&](size_t offset, char c) {
    const char* p = text.data() + at + offset;
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), _mm_set1_epi8(c));
  };
  for (; at + 16 <= text.size(); at += 16) {  // there are bytes to read behind the text
    const __m128i found =
        _mm_and_si128(_mm_and_si128(places(0, '/'), places(1, '/')), places(3, '-'));
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    for (; mask != 0; mask &= mask - 1) {
      const size_t place = at + static_cast<size_t>(__builtin_ctz(mask));
      if (text.substr(place, kSeparator.size()) == kSeparator) return place;
    }
  }
#endif
  return std::min(text.find(kSeparator, at), text.size());
}

// Where the part of the file that begins at `begin` ends: at a line `// -----`, or with the file.
size_t PartEnd(absl::string_view text, size_t begin) {
  while (true) {
    const size_t at = FindSeparator(text, begin);
    if (at == text.size() || at == 0 || text[at - 1] == '\n') return at;
    begin = at + 1;
  }
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
  const auto source = text::Source::FromString(std::move(name), text);
  ParsedText parsed = ParseOneModule(source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(*source);
  return std::move(parsed.modules[0]);
}

}  // namespace tessera::hlo
