// Metadata: one walk over the text. The fields must come in the order in which they are printed,
// one blank between them. Strings have nothing that would be escaped otherwise, numbers no signs
// and no zeros in front. A field is told by its first and last eight bytes.

#include "tessera/hlo/values/value_form.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tessera/hlo/parse/scanner.h"

namespace tessera::hlo {
namespace {

struct Field {
  absl::string_view name;  // with '=', at least eight bytes
  bool is_string;
  bool keeps_metadata;  // metadata without any such field is not printed
};

constexpr Field kFields[] = {{"op_type=", true, true},
                             {"op_name=", true, true},
                             {"source_file=", true, true},
                             {"source_line=", false, false},
                             {"source_end_line=", false, false},
                             {"source_column=", false, false},
                             {"source_end_column=", false, false},
                             {"deduplicated_name=", true, false},
                             {"stack_frame_id=", false, true}};
constexpr size_t kFieldCount = sizeof(kFields) / sizeof(kFields[0]);
constexpr size_t kFrameField = 8;

uint64_t EightBytes(const char* p) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, p, sizeof(bytes));
  return bytes;
}

// The field that begins at `p`, one of those from `first` on; kFieldCount if it is none. Names have
// eight to sixteen bytes: two looks, at the first and at the last eight.
size_t FieldAt(const char* p, const char* end, size_t first) {
  if (end - p < 8) return kFieldCount;
  const uint64_t key = EightBytes(p);
  for (; first < kFieldCount; ++first) {
    const absl::string_view name = kFields[first].name;
    if (EightBytes(name.data()) != key || static_cast<size_t>(end - p) < name.size()) continue;
    const size_t last = name.size() - 8;
    if (EightBytes(name.data() + last) == EightBytes(p + last)) return first;
  }
  return kFieldCount;
}

// In a string: printed as it is, and neither the end nor the begin of an escape.
bool IsPlain(char c) {
  const unsigned char u = static_cast<unsigned char>(c);
  return u >= 32 && u < 127 && c != '"' && c != '\'' && c != '\\';
}

// The first byte at or after `p` that is not plain; `end` if there is none.
const char* SkipPlain(const char* p, const char* end) {
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(32));  // and all from 128 on
    const __m128i odd = _mm_or_si128(_mm_or_si128(low, is(127)),
                                     _mm_or_si128(is('"'), _mm_or_si128(is('\''), is('\\'))));
    const int mask = _mm_movemask_epi8(odd);
    if (mask != 0) return p + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (p < end && IsPlain(*p)) ++p;
  return p;
}

// After a string that is not empty and is printed as it is written; null if there is none at `p`.
const char* PlainStringEnd(const char* p, const char* end) {
  constexpr absl::string_view kEscaped = "nrt\"'\\";
  if (end - p < 3 || p[0] != '"' || p[1] == '"') return nullptr;
  for (++p;; ++p) {
    p = SkipPlain(p, end);
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    if (*p != '\\' || ++p == end || kEscaped.find(*p) == absl::string_view::npos) return nullptr;
  }
}

// After `{op_name=".."}` with nothing to escape, which most metadata is; null for any other.
const char* OneNameEnd(const char* p, const char* end) {
  constexpr absl::string_view kOpen = "{op_name=\"";
  if (end - p < 12 || std::memcmp(p, kOpen.data(), kOpen.size()) != 0) return nullptr;
  const char* const close = SkipPlain(p + kOpen.size(), end);
  const bool good = end - close >= 2 && close[0] == '"' && close[1] == '}';
  return good && close != p + kOpen.size() ? close + 2 : nullptr;
}

// At most nine digits, which fit 32 bits.
const char* PlainNumberEnd(const char* p, const char* end) {
  const char* const begin = p;
  if (p == end || *p == '0') return nullptr;
  while (p < end && HasClass(*p, kDigitChar)) ++p;
  return p == begin || p - begin > 9 ? nullptr : p;
}

}  // namespace

bool IsCanonicalInt(absl::string_view text) {
  return HasClass(text[0], kDigitChar) && (text[0] != '0' || text.size() == 1);
}

bool IsCanonicalIntList(absl::string_view text) {
  if (text == "{}") return true;
  char before = ',';
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    const char c = text[at];
    if (c == '0' && before == ',' && HasClass(text[at + 1], kDigitChar)) return false;
    if (c != ',' && !HasClass(c, kDigitChar)) return false;
    before = c;
  }
  return true;
}

namespace {

// After the digits of a number without zeros in front; null if there is none, or too many of them.
const char* DigitsEnd(const char* p, const char* end, int most) {
  const char* const begin = p;
  while (p < end && HasClass(*p, kDigitChar)) ++p;
  const bool good = p != begin && p - begin <= most && (*begin != '0' || p == begin + 1);
  return good ? p : nullptr;
}

// After `{1,2}`, with this text between the elements; null if there is none.
template <typename ElementEnd>  // (begin, end)
const char* ListEnd(const char* p, const char* end, absl::string_view separator,
                    const ElementEnd& element_end) {
  if (p == end || *p != '{') return nullptr;
  for (++p;; p += separator.size()) {
    p = element_end(p, end);
    if (p == nullptr || p == end) return nullptr;
    if (*p == '}') return p + 1;
    const size_t left = static_cast<size_t>(end - p);
    if (absl::string_view(p, left).substr(0, separator.size()) != separator) return nullptr;
  }
}

}  // namespace

bool IsCanonicalIntLists(absl::string_view text) {
  constexpr int kMostDigits = 18;
  const auto number_end = [](const char* p, const char* end) {
    return DigitsEnd(p, end, kMostDigits);
  };
  const auto list_end = [&number_end](const char* p, const char* end) {
    return ListEnd(p, end, ",", number_end);
  };
  const char* const end = text.data() + text.size();
  return ListEnd(text.data(), end, ",", list_end) == end;
}

bool IsCanonicalIntVector(absl::string_view text, bool is_signed) {
  constexpr int kMostDigits = 9;
  const auto number_end = [is_signed](const char* p, const char* end) {
    const bool is_negative = is_signed && end - p > 1 && p[0] == '-' && p[1] != '0';
    return DigitsEnd(p + (is_negative ? 1 : 0), end, kMostDigits);
  };
  const char* const end = text.data() + text.size();
  return ListEnd(text.data(), end, ", ", number_end) == end;
}

const char* PrintedMetadataEnd(const char* p, const char* end, int64_t* frame) {
  *frame = 0;
  if (const char* const after = OneNameEnd(p, end); after != nullptr) return after;
  bool keeps = false;
  size_t next = 0;
  if (p == end || *p != '{') return nullptr;
  do {
    const size_t field = FieldAt(++p, end, next);
    if (field == kFieldCount) return nullptr;
    next = field + 1;
    keeps |= kFields[field].keeps_metadata;
    const char* value = p + kFields[field].name.size();
    p = kFields[field].is_string ? PlainStringEnd(value, end) : PlainNumberEnd(value, end);
    if (p == nullptr || p == end) return nullptr;
    if (field == kFrameField) *frame = *ParseIntToken({value, static_cast<size_t>(p - value)});
  } while (*p == ' ');
  return *p == '}' && keeps ? p + 1 : nullptr;
}

bool IsPrintedFrontendAttributes(absl::string_view text) {
  const char* p = text.data() + 1;
  const char* const last = text.data() + text.size() - 1;
  absl::string_view before;
  while (true) {
    const char* key = p;
    while (p < last && HasClass(*p, kNameChar)) ++p;
    const absl::string_view name(key, static_cast<size_t>(p - key));
    if (name <= before || last - p < 4 || p[0] != '=' || p[1] != '"') return false;
    before = name;
    // A text that could be blanks, a comment or a brace might print as JSON.
    if (HasClass(p[2], kBlankChar) || p[2] == '{' || p[2] == '\\') return false;
    p = PlainStringEnd(p + 1, last);
    if (p == nullptr) return false;
    if (p == last) return true;
    if (*p++ != ',') return false;
  }
}

}  // namespace tessera::hlo
