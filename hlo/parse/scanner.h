// The tokens of HLO text, read on demand: the parser asks for the token that its grammar expects.
//
//   Scanner in(text, 0, text.size());      // text: "x = f32[2] add(p, q)"
//   absl::string_view name;
//   in.ReadName(&name) && in.Eat('=');
//
// The scanner always stands at the first byte of the next token: blanks and comments after a token
// go with it. Every Read* and Eat* moves only when it succeeds, so offset() is the place of the
// token that was not what was expected. After the text must stand at least 64 readable bytes, of
// which the first is 0 (as in text::Source) or ends every token (the text around a value).

#ifndef TESSERA_HLO_PARSE_SCANNER_H_
#define TESSERA_HLO_PARSE_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "absl/strings/string_view.h"
#include "tessera/hlo/parse/json_end.h"

namespace tessera::hlo {

enum CharClass : uint8_t {
  kNameChar = 1,   // [A-Za-z0-9_.-]
  kNameStart = 2,  // [A-Za-z_]
  kBlankChar = 4,  // space, tab, CR, LF and the slash that may begin a comment
  kDigitChar = 8,  // [0-9]
  kAfterInt = 16,  // may make more than an integer out of digits: . e E x _ b f ?
};

struct CharClasses {
  uint8_t of[256] = {};
  constexpr CharClasses() {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = kNameChar | kNameStart;
    for (int c = 'A'; c <= 'Z'; ++c) of[c] = kNameChar | kNameStart;
    for (int c = '0'; c <= '9'; ++c) of[c] = kNameChar | kDigitChar;
    for (int c : {'_'}) of[c] = kNameChar | kNameStart;
    for (int c : {'.', '-'}) of[c] = kNameChar;
    for (int c : {' ', '\t', '\r', '\n', '/'}) of[c] |= kBlankChar;
    for (int c : {'.', 'e', 'E', 'x', '_', 'b', 'f', '?'}) of[c] |= kAfterInt;
  }
};
inline constexpr CharClasses kCharClasses;

// The text from `begin` to `end`.
inline absl::string_view Between(const char* begin, const char* end) {
  return absl::string_view(begin, static_cast<size_t>(end - begin));
}

inline bool HasClass(char c, uint8_t mask) {
  return (kCharClasses.of[static_cast<unsigned char>(c)] & mask) != 0;
}

// The first byte at or after `p` that is no kNameChar; `end` if there is none before it.
inline const char* NameCharsEnd(const char* p, const char* end) {
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // Whether the bytes of `x` are `first` .. `first + more`.
    const auto within = [](__m128i x, char first, char more) {
      const __m128i from_first = _mm_sub_epi8(x, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(more)), from_first);
    };
    const __m128i letters = within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 25);
    const __m128i others =
        _mm_or_si128(within(bytes, '-', 1), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
    const __m128i good = _mm_or_si128(_mm_or_si128(letters, within(bytes, '0', 9)), others);
    const unsigned bad = static_cast<unsigned>(_mm_movemask_epi8(good)) ^ 0xffffu;
    if (bad != 0) return p + __builtin_ctz(bad);
  }
#endif
  while (p < end && HasClass(*p, kNameChar)) ++p;
  return p;
}

class Scanner {
 public:
  Scanner(absl::string_view text, size_t begin, size_t end)
      : base_(text.data()), p_(base_ + begin), end_(base_ + end), last_end_(p_) {
    SkipBlanks();
  }

  // Place of the next token; the end of the text when none is left.
  const char* at() const { return p_; }
  uint32_t offset() const { return OffsetOf(p_); }
  uint32_t OffsetOf(const char* p) const { return static_cast<uint32_t>(p - base_); }
  // Just after the last token that was read.
  const char* last_end() const { return last_end_; }
  uint32_t last_end_offset() const { return OffsetOf(last_end_); }
  bool AtEnd() const { return p_ >= end_; }
  // After the last byte that is looked at.
  const char* end() const { return end_; }
  char Peek() const { return *p_; }
  // Back to a place that at() gave.
  void Rewind(const char* at) { p_ = last_end_ = at; }
  // Goes on after `end`, the end of a token found by other means.
  void AdvanceTo(const char* end) {
    p_ = last_end_ = end;
    SkipBlanks();
  }
  // All that is left, from the next token on.
  absl::string_view Rest() const {
    return absl::string_view(p_, p_ < end_ ? static_cast<size_t>(end_ - p_) : 0);
  }
  absl::string_view TextFrom(const char* begin) const {
    return absl::string_view(begin, static_cast<size_t>(last_end_ - begin));
  }

  // One of  = , : * # + ~ [ ] { } ( )
  bool Eat(char punctuation) {
    if (*p_ != punctuation || p_ >= end_) return false;
    AdvanceTo(p_ + 1);
    return true;
  }
  bool EatArrow() { return EatText("->"); }
  bool ConsumeLessEqual() { return EatText("<="); }
  bool EatDots() { return EatText("..."); }
  // A keyword or other identifier that is exactly `word`.
  bool EatWord(absl::string_view word);
  bool PeekWord(absl::string_view word) const;

  // `%name`, `name:` (the colon goes too) or a plain identifier.
  bool ReadName(absl::string_view* name);
  // An identifier that is no keyword, no type, no dimension labels, and not followed by ':' or '='.
  bool ReadIdentifier(absl::string_view* word);
  // [A-Za-z_][A-Za-z0-9_.-]* not followed by ':' or '=', whatever it means.
  bool ReadWord(absl::string_view* word);
  // The word of a type (`f32`), if it is one and no ':' or '=' follows.
  bool PeekType() const;
  // `name=`, without a blank between.
  bool ReadAttributeName(absl::string_view* name);
  // An integer token; false for one that overflows, and for digits that begin another token.
  bool ReadInt(int64_t* value);
  // The same where longer tokens are not looked for: in lists of integers.
  bool ReadIntInList(int64_t* value);
  // A decimal or integer number, inf, -inf, nan, -nan, with payload; the token as written.
  bool ReadNumber(absl::string_view* token);
  // The token with its quotes; its escapes are good.
  bool ReadString(absl::string_view* token);
  // Balanced braces.
  bool ReadJson(absl::string_view* token);
  bool ReadDimLabels(absl::string_view* token);
  bool ReadIntOrDxD(absl::string_view* token);
  bool ReadPad(absl::string_view* token);

  enum class NumberKind : uint8_t {
    kNone,
    kArrow,
    kDecimal,
    kDimLabels,
    kDxD,
    kPad,
    kInt,
    kNegInf,
    kNan
  };
  struct NumberToken {
    NumberKind kind = NumberKind::kNone;
    const char* end = nullptr;
  };
  // The kind of the token that starts here with a digit, '-', '?' or a letter of nan.
  NumberToken Classify() const;

 private:
  void SkipBlanks() {
    if (*p_ == ' ' && p_ < end_) ++p_;
    if (HasClass(*p_, kBlankChar)) SkipBlanksSlow();
  }
  void SkipBlanksSlow();
  bool SkipComment();
  bool EatText(absl::string_view text);
  const char* NameEnd(const char* p) const { return NameCharsEnd(p, end_); }
  bool ReadToken(NumberKind kind, absl::string_view* token);

  const char* base_;
  const char* p_;
  const char* end_;
  const char* last_end_;
  const char* unclosed_ = nullptr;  // the first comment that was found to have no end
  JsonEndFinder json_ends_;
};

// The value of `[-]digits`: up to 2^64-1 as two's complement, negative ones within int64.
std::optional<int64_t> ParseIntToken(absl::string_view token);

// True for `true`, `ENTRY` and the like.
bool IsKeyword(absl::string_view word);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PARSE_SCANNER_H_
