#include "tessera/hlo/parse/scanner.h"

#include <cstring>

#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/schema/name_table.h"
#include "tessera/layout/element_type.h"
#include "tessera/text/checked.h"

namespace tessera::hlo {
namespace {

constexpr absl::string_view kKeywordList[] = {"true",          "false",
                                              "inf",           "HloModule",
                                              "ENTRY",         "ROOT",
                                              "FileNames",     "FunctionNames",
                                              "FileLocations", "StackFrames",
                                              "maximal",       "replicated",
                                              "manual",        "last_tile_dim_replicate",
                                              "shard_as",      "shard_like",
                                              "unknown",       "unreduced"};
constexpr NameTable<18> kKeywords(kKeywordList);

bool IsDigit(char c) { return HasClass(c, kDigitChar); }

const char* SkipDigits(const char* p) {
  while (IsDigit(*p)) ++p;
  return p;
}

// Each Match* gives the end of the longest token of its kind at p, or null.

const char* MatchInt(const char* p) {
  if (*p == '-') ++p;
  return IsDigit(*p) ? SkipDigits(p) : nullptr;
}

const char* MatchDecimal(const char* p) {
  if (*p == '-') ++p;
  const char* whole = p;
  p = SkipDigits(p);
  bool digits = p != whole;
  const bool point = *p == '.';
  if (point) {
    const char* fraction = SkipDigits(p + 1);
    digits |= fraction != p + 1;
    if (digits) p = fraction;
  }
  if (!digits) return nullptr;
  if (*p == 'e' || *p == 'E') {
    const char* e = p + 1 + (p[1] == '+' || p[1] == '-');
    if (IsDigit(*e)) return SkipDigits(e);
  }
  return point ? p : nullptr;
}

const char* SkipLabels(const char* p, char a, char b) {
  while (IsDigit(*p) || *p == a || *p == b || *p == '?') ++p;
  return p;
}

const char* MatchDimLabels(const char* p) {
  const char* lhs = SkipLabels(p, 'b', 'f');
  if (lhs - p < 2 || *lhs != '_') return nullptr;
  const char* rhs = SkipLabels(lhs + 1, 'i', 'o');
  if (rhs - lhs < 3 || rhs[0] != '-' || rhs[1] != '>') return nullptr;
  const char* out = SkipLabels(rhs + 2, 'b', 'f');
  return out - rhs < 4 ? nullptr : out;
}

const char* MatchDxD(const char* p) {
  const char* end = nullptr;
  if (!IsDigit(*p)) return nullptr;
  p = SkipDigits(p);
  while (*p == 'x' && IsDigit(p[1])) end = p = SkipDigits(p + 1);
  return end;
}

const char* MatchOnePad(const char* p) {
  p = MatchInt(p);
  if (p == nullptr || *p != '_') return nullptr;
  p = MatchInt(p + 1);
  if (p != nullptr && *p == '_' && IsDigit(p[1])) p = SkipDigits(p + 1);
  return p;
}

const char* MatchPad(const char* p) {
  const char* end = MatchOnePad(p);
  while (end != nullptr && *end == 'x') {
    const char* next = MatchOnePad(end + 1);
    if (next == nullptr) break;
    end = next;
  }
  return end;
}

// Types and keywords are short and have no point; most names have one.
bool MayBeReserved(absl::string_view word) {
  constexpr size_t kLongestKeyword = 23;
  return word.size() <= kLongestKeyword && std::memchr(word.data(), '.', word.size()) == nullptr;
}

bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// `p` stands after "nan". The end of the token with its payload; null for a bad one.
const char* MatchPayload(const char* p) {
  if (*p != '(') return p;
  if (p[1] != '0' || p[2] != 'x' || !IsHex(p[3])) return nullptr;
  uint64_t value = 0;
  for (p += 3; IsHex(*p); ++p) {
    const int digit = IsDigit(*p) ? *p - '0' : (*p | 0x20) - 'a' + 10;
    if (value >> 52 != 0) return nullptr;
    value = value * 16 + digit;
  }
  const bool fits = value > 0 && value < (uint64_t{1} << 52);
  return *p == ')' && fits ? p + 1 : nullptr;
}

}  // namespace

bool IsKeyword(absl::string_view word) { return kKeywords.Find(word) >= 0; }

std::optional<int64_t> ParseIntToken(absl::string_view token) {
  const bool negative = !token.empty() && token[0] == '-';
  if (negative) token.remove_prefix(1);
  uint64_t value = 0;
  for (char c : token) {
    if (!AppendDigit(static_cast<unsigned>(c - '0'), &value)) return std::nullopt;
  }
  if (negative && value > (uint64_t{1} << 63)) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - value : value);
}

void Scanner::SkipBlanksSlow() {
  // Most often: a line feed and the two blanks in front of an instruction.
  if (end_ - p_ > 3 && std::memcmp(p_, "\n  ", 3) == 0) p_ += 3;
  while (p_ < end_) {
    if (*p_ != '/') {
      if (!HasClass(*p_, kBlankChar)) return;
      ++p_;
    } else if (p_[1] == '/') {
      while (p_ < end_ && *p_ != '\n' && *p_ != '\r') ++p_;
    } else if (p_[1] == '*') {
      if (!SkipComment()) return;
    } else {
      return;
    }
  }
}

// `/* .. */`. After a comment without an end no other one has an end either.
bool Scanner::SkipComment() {
  if (end_ - p_ < 2 || (unclosed_ != nullptr && p_ >= unclosed_)) return false;
  const absl::string_view rest(p_ + 2, static_cast<size_t>(end_ - p_ - 2));
  const size_t close = rest.find("*/");
  if (close == absl::string_view::npos) {
    unclosed_ = p_;
    return false;
  }
  p_ += close + 4;
  return true;
}

bool Scanner::EatText(absl::string_view text) {
  if (p_ + text.size() > end_ || std::memcmp(p_, text.data(), text.size()) != 0) return false;
  AdvanceTo(p_ + text.size());
  return true;
}

bool Scanner::PeekWord(absl::string_view word) const {
  if (p_ + word.size() > end_ || std::memcmp(p_, word.data(), word.size()) != 0) return false;
  const char next = p_[word.size()];
  return p_ + word.size() == end_ || (!HasClass(next, kNameChar) && next != ':' && next != '=');
}

bool Scanner::EatWord(absl::string_view word) {
  if (!PeekWord(word)) return false;
  AdvanceTo(p_ + word.size());
  return true;
}

bool Scanner::ReadName(absl::string_view* name) {
  if (AtEnd()) return false;
  if (*p_ == '%') {
    if (!HasClass(p_[1], kNameStart)) return false;
    const char* end = NameEnd(p_ + 1);
    *name = absl::string_view(p_ + 1, static_cast<size_t>(end - p_ - 1));
    AdvanceTo(end);
    return true;
  }
  if (!HasClass(*p_, kNameStart)) return false;
  const char* end = NameEnd(p_);
  if (*end != ':' || end == end_) return ReadIdentifier(name);
  *name = absl::string_view(p_, static_cast<size_t>(end - p_));
  AdvanceTo(end + 1);
  return true;
}

bool Scanner::ReadWord(absl::string_view* word) {
  if (!HasClass(*p_, kNameStart) || AtEnd()) return false;
  const char* end = NameEnd(p_);
  if (end != end_ && (*end == ':' || *end == '=')) return false;
  *word = absl::string_view(p_, static_cast<size_t>(end - p_));
  AdvanceTo(end);
  return true;
}

bool Scanner::ReadIdentifier(absl::string_view* word) {
  if (!HasClass(*p_, kNameStart) || AtEnd()) return false;
  const char* end = NameEnd(p_);
  const absl::string_view text(p_, static_cast<size_t>(end - p_));
  if (end != end_ && (*end == ':' || *end == '=')) return false;
  if (*end == '>' && MatchDimLabels(p_) != nullptr) return false;
  if (MayBeReserved(text) && (layout::ElementTypeFromName(text).has_value() || text == "token" ||
                              text == "opaque" || text == "nan" || IsKeyword(text))) {
    return false;
  }
  *word = text;
  AdvanceTo(end);
  return true;
}

bool Scanner::PeekType() const {
  if (!HasClass(*p_, kNameStart) || AtEnd()) return false;
  const char* end = NameEnd(p_);
  if (*end == ':' || *end == '=') return false;
  const absl::string_view text(p_, static_cast<size_t>(end - p_));
  return layout::ElementTypeFromName(text).has_value() || text == "token" || text == "opaque";
}

bool Scanner::ReadAttributeName(absl::string_view* name) {
  if (!HasClass(*p_, kNameStart) || AtEnd()) return false;
  const char* end = NameEnd(p_);
  if (*end != '=' || end == end_) return false;
  *name = absl::string_view(p_, static_cast<size_t>(end - p_));
  AdvanceTo(end + 1);
  return true;
}

Scanner::NumberToken Scanner::Classify() const {
  if (AtEnd()) return {};
  if (p_[0] == '-' && p_[1] == '>') return {NumberKind::kArrow, p_ + 2};
  static constexpr struct {
    NumberKind kind;
    const char* (*match)(const char*);
  } kMatches[] = {{NumberKind::kDecimal, MatchDecimal},
                  {NumberKind::kDimLabels, MatchDimLabels},
                  {NumberKind::kDxD, MatchDxD},
                  {NumberKind::kPad, MatchPad},
                  {NumberKind::kInt, MatchInt}};
  const bool number = IsDigit(*p_) || *p_ == '-';
  for (const auto& m : kMatches) {
    if (!number && m.kind != NumberKind::kDimLabels) continue;
    if (const char* const end = m.match(p_)) return {m.kind, end};
  }
  if (std::memcmp(p_, "-inf", 4) == 0) return {NumberKind::kNegInf, p_ + 4};
  const int sign = *p_ == '-';
  if (std::memcmp(p_ + sign, "nan", 3) != 0) return {};
  if (sign == 0 && HasClass(p_[3], kNameChar)) return {};
  const char* end = MatchPayload(p_ + sign + 3);
  return end == nullptr ? NumberToken{} : NumberToken{NumberKind::kNan, end};
}

bool Scanner::ReadInt(int64_t* value) {
  const char* p = p_;
  if (*p == '-') ++p;
  if (!IsDigit(*p) || AtEnd()) return false;
  p = SkipDigits(p);
  if (HasClass(*p, kAfterInt) && Classify().kind != NumberKind::kInt) return false;
  return ReadIntInList(value);
}

bool Scanner::ReadIntInList(int64_t* value) {
  constexpr std::ptrdiff_t kDigitsThatFit = 18;
  const char* end = p_;
  uint64_t plain = 0;
  for (; IsDigit(*end); ++end) plain = 10 * plain + static_cast<unsigned>(*end - '0');
  const bool is_plain = end != p_ && end - p_ <= kDigitsThatFit;
  if (!is_plain) end = MatchInt(p_);
  if (end == nullptr || AtEnd()) return false;
  *value = static_cast<int64_t>(plain);
  if (!is_plain) {
    const auto parsed = ParseIntToken(absl::string_view(p_, static_cast<size_t>(end - p_)));
    if (!parsed.has_value()) return false;
    *value = *parsed;
  }
  AdvanceTo(end);
  return true;
}

bool Scanner::ReadToken(NumberKind kind, absl::string_view* token) {
  const NumberToken found = Classify();
  if (found.kind != kind) return false;
  *token = absl::string_view(p_, static_cast<size_t>(found.end - p_));
  AdvanceTo(found.end);
  return true;
}

bool Scanner::ReadNumber(absl::string_view* token) {
  if (PeekWord("inf")) {
    *token = "inf";
    return EatWord("inf");
  }
  const NumberToken found = Classify();
  switch (found.kind) {
    case NumberKind::kInt:
      if (!ParseIntToken(absl::string_view(p_, static_cast<size_t>(found.end - p_)))) return false;
      [[fallthrough]];
    case NumberKind::kDecimal:
    case NumberKind::kNegInf:
    case NumberKind::kNan:
      return ReadToken(found.kind, token);
    default:
      return false;
  }
}

bool Scanner::ReadDimLabels(absl::string_view* token) {
  return ReadToken(NumberKind::kDimLabels, token);
}

bool Scanner::ReadIntOrDxD(absl::string_view* token) {
  return ReadToken(NumberKind::kDxD, token) || ReadToken(NumberKind::kInt, token);
}

bool Scanner::ReadPad(absl::string_view* token) { return ReadToken(NumberKind::kPad, token); }

bool Scanner::ReadString(absl::string_view* token) {
  const char quote = *p_;
  if ((quote != '"' && quote != '\'') || AtEnd()) return false;
  const char* end = StringEnd(p_, end_);
  if (end == nullptr) return false;
  *token = absl::string_view(p_, static_cast<size_t>(end - p_));
  if (std::memchr(p_, '\\', token->size()) != nullptr && !UnquoteString(*token)) return false;
  AdvanceTo(end);
  return true;
}

bool Scanner::ReadJson(absl::string_view* token) {
  const char* end = json_ends_.Find(p_, end_);
  if (end == nullptr) return false;
  *token = absl::string_view(p_, static_cast<size_t>(end - p_));
  AdvanceTo(end);
  return true;
}

}  // namespace tessera::hlo
