// FindInLine: a byte of the same line, sixteen at a time.

#ifndef TESSERA_HLO_PARSE_FIND_IN_LINE_H_
#define TESSERA_HLO_PARSE_FIND_IN_LINE_H_

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tessera::hlo {

// The first `stop`, line feed or zero at or after `p`. A zero stands after the text, and enough
// bytes to read on to the end of a block.
inline const char* FindInLine(const char* p, char stop) {
#ifdef __SSE2__
  while (true) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const int mask = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(is(stop), is('\n')), is('\0')));
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
    p += 16;
  }
#else
  while (*p != stop && *p != '\n' && *p != '\0') ++p;
  return p;
#endif
}

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_FIND_IN_LINE_H_
