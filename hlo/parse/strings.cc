#include "tessera/hlo/parse/strings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tessera/hlo/parse/scanner.h"

namespace tessera::hlo {
namespace {

// Reads the number of an escape: up to `most` digits of this base. False without a digit.
bool ReadDigits(absl::string_view body, size_t* at, int base, size_t most, uint32_t* value) {
  const size_t begin = *at;
  *value = 0;
  for (; *at < body.size() && *at - begin < most; ++*at) {
    const char c = body[*at];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    if (digit >= base) break;
    if (*value < (1u << 27)) *value = *value * base + digit;
  }
  return *at != begin;
}

void AppendUtf8(uint32_t c, std::string* out) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
    return;
  }
  const int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLead[] = {0, 0xc0, 0xe0, 0xf0};
  *out += static_cast<char>(kLead[extra] | (c >> (6 * extra)));
  for (int i = extra - 1; i >= 0; --i) *out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3f));
}

bool DecodeUnicode(absl::string_view body, size_t* at, size_t digits, std::string* out) {
  const size_t begin = *at;
  uint32_t c = 0;
  ReadDigits(body, at, 16, digits, &c);
  if (*at - begin != digits || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
  AppendUtf8(c, out);
  return true;
}

// The escape whose letter is body[*at]; moves after it.
bool DecodeEscape(absl::string_view body, size_t* at, std::string* out) {
  static constexpr absl::string_view kLetters = "nrtabfv\\'\"?";
  static constexpr absl::string_view kValues = "\n\r\t\a\b\f\v\\'\"?";
  const char letter = body[*at];
  const size_t simple = kLetters.find(letter);
  if (simple != absl::string_view::npos) {
    *out += kValues[simple];
    ++*at;
    return true;
  }
  uint32_t value = 0;
  if (letter >= '0' && letter <= '7') {
    ReadDigits(body, at, 8, 3, &value);
  } else {
    ++*at;
    if (letter == 'u') return DecodeUnicode(body, at, 4, out);
    if (letter == 'U') return DecodeUnicode(body, at, 8, out);
    if ((letter != 'x' && letter != 'X') || !ReadDigits(body, at, 16, body.size(), &value)) {
      return false;
    }
  }
  *out += static_cast<char>(value);
  return value < 256;
}

}  // namespace

namespace {

#ifdef __SSE2__
// The first quote or backslash at or after `p`, sixteen bytes a step; the last few bytes before
// `end` are left to the caller.
const char* SkipPlain(const char* p, const char* end, char quote) {
  const __m128i quotes = _mm_set1_epi8(quote);
  const __m128i backslashes = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i found =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, backslashes));
    const int mask = _mm_movemask_epi8(found);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
  return p;
}
#else
const char* SkipPlain(const char* p, const char*, char) { return p; }
#endif

}  // namespace

const char* StringEnd(const char* p, const char* end) {
  const char quote = *p++;
  p = SkipPlain(p, end, quote);
  while (p < end) {
    if (*p == quote) return p + 1;
    if (*p == '\\' && (++p >= end || *p == '\n')) return nullptr;
    ++p;
  }
  return nullptr;
}

std::optional<std::string> UnquoteString(absl::string_view token) {
  if (token.size() < 2 || (token[0] != '"' && token[0] != '\'') || token.back() != token[0]) {
    return std::nullopt;
  }
  const absl::string_view body = token.substr(1, token.size() - 2);
  std::string out;
  out.reserve(body.size());
  for (size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      const size_t run = std::min(body.find('\\', at), body.size());
      out.append(body.data() + at, run - at);
      at = run;
    } else if (++at == body.size() || !DecodeEscape(body, &at, &out)) {
      return std::nullopt;
    }
  }
  return out;
}

// Names have long runs of characters that stay.
std::string CEscape(absl::string_view bytes) {
  static constexpr absl::string_view kSimple = "\n\r\t\"'\\";
  static constexpr absl::string_view kLetters = "nrt\"'\\";
  const auto is_escaped = [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return u < 32 || u >= 127 || c == '"' || c == '\'' || c == '\\';
  };
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  while (true) {
    const auto run = std::find_if(bytes.begin(), bytes.end(), is_escaped) - bytes.begin();
    out.append(bytes.data(), static_cast<size_t>(run));
    bytes.remove_prefix(static_cast<size_t>(run));
    if (bytes.empty()) return out;
    const unsigned char u = static_cast<unsigned char>(bytes[0]);
    const size_t simple = kSimple.find(bytes[0]);
    out += '\\';
    if (simple != absl::string_view::npos) {
      out += kLetters[simple];
    } else {
      for (const int unit : {64, 8, 1}) out += static_cast<char>('0' + u / unit % 8);
    }
    bytes.remove_prefix(1);
  }
}

bool LexesAsJson(absl::string_view text) {
  if (text.find('{') == absl::string_view::npos) return false;
  std::string padded(text);
  padded.append(64, '\0');
  Scanner in(padded, 0, text.size());
  absl::string_view token;
  return in.ReadJson(&token) && in.AtEnd();
}

}  // namespace tessera::hlo
