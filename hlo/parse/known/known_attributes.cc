#include "tessera/hlo/parse/known/known_attributes.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::hlo {
namespace {

constexpr absl::string_view kMetadata = ", metadata={";

// What is known stays small where no two lists are alike, and numbers do.
constexpr size_t kMaxLists = 0xffff - KnownAttributes::kNothing;

// Longer lists are read each time: of a text without line feeds, all that is left would be one.
constexpr size_t kLongest = 4096;

bool IsMetadata(const char* p) { return std::memcmp(p, kMetadata.data(), kMetadata.size()) == 0; }

// The first `, metadata={`, line feed or zero at or behind `p`; somewhere behind kLongest bytes if
// it is not among them. Behind the text stand enough bytes to read on (scanner.h).
const char* ListEnd(const char* p) {
  const char* const last = p + kLongest;
#ifdef __SSE2__
  for (; p <= last; p += 16) {
    const auto load = [](const char* at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    };
    const auto is = [](__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i bytes = load(p);
    const __m128i begins = _mm_and_si128(is(bytes, ','), is(load(p + 2), 'm'));
    const __m128i ends = _mm_or_si128(is(bytes, '\n'), is(bytes, '\0'));
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(begins, ends)));
    for (; mask != 0; mask &= mask - 1) {
      const char* const at = p + __builtin_ctz(mask);
      if (*at != ',' || IsMetadata(at)) return at;
    }
  }
#else
  while (p <= last && *p != '\n' && *p != '\0' && (*p != ',' || !IsMetadata(p))) ++p;
#endif
  return p;
}

}  // namespace

KnownAttributes::Guessed KnownAttributes::Guess(absl::string_view rest) {
  const char* const end = ListEnd(rest.data());
  const size_t size = static_cast<size_t>(end - rest.data());
  if (size > kLongest) return {};
  return {rest.substr(0, size), *end == ',' && size < rest.size()};
}

uint16_t KnownAttributes::Add(Opcode opcode, absl::string_view text,
                              absl::Span<const Attribute> attributes, const AttributeNameSet& names,
                              const CanonicalFormTracker& form) {
  if (lists_.size() == kMaxLists) return 0;
  numbers_.Add(text, HashText(text), static_cast<uint32_t>(opcode));
  lists_.push_back({text, static_cast<uint32_t>(attributes_.size()),
                    static_cast<uint32_t>(attributes.size()), names, form});
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  return NumberOf(lists_.back());
}

}  // namespace tessera::hlo
