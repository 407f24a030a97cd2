#include "tessera/hlo/unique_names.h"

#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/parse/scanner.h"
#include "tessera/layout/element_type.h"

namespace tessera::hlo {

namespace {

// `x.7` is x and 7; `x`, `x.y` and `.7` have no number.
struct Parts {
  absl::string_view root;
  absl::string_view number;  // as it is spelled; empty: none
  int64_t id = 0;
};

// Few digits, as nearly all numbers have; others are left to Abseil.
bool ReadNumber(absl::string_view digits, int64_t* number) {
  constexpr size_t kMostDigits = 18;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return absl::SimpleAtoi(digits, number);
  }
  *number = 0;
  for (const char c : digits) *number = 10 * *number + (c - '0');
  return true;
}

Parts PartsOf(absl::string_view name) {
  Parts parts;
  const size_t dot = name.rfind('.');
  const bool numbered = dot != absl::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                        ReadNumber(name.substr(dot + 1), &parts.id);
  if (!numbered) return {name, "", 0};
  parts.root = name.substr(0, dot);
  parts.number = name.substr(dot + 1);
  return parts;
}

}  // namespace

std::string UniqueNames::Unique(absl::string_view name) {
  auto [root, number, id] = PartsOf(name);
  Taken& taken = roots_[root];
  if (taken.ids.insert(id).second) {
    // 01 and -0 are spelled otherwise.
    const bool is_plain = number.empty() || (number[0] >= '1' && number[0] <= '9');
    if (is_plain) return std::string(name);
  } else {
    while (taken.ids.contains(taken.next)) ++taken.next;
    id = taken.next++;
    taken.ids.insert(id);
  }
  if (id == 0) return number.empty() ? std::string(root) : absl::StrCat(root, ".0");
  return absl::StrCat(root, ".", id);
}

namespace {

bool IsTypeName(absl::string_view name) {
  constexpr size_t kLongest = 14;
  return name.size() <= kLongest &&
         (layout::ElementTypeFromName(name).has_value() || name == "token" || name == "opaque");
}

bool HasReservedFront(absl::string_view name) {
  return absl::StartsWith(name, "__") && !absl::StartsWith(name, "__xla_");
}

}  // namespace

bool IsSaneName(absl::string_view name) {
  const bool good =
      std::all_of(name.begin(), name.end(), [](char c) { return HasClass(c, kNameChar); });
  if (!good) return false;
  return name.empty() ||
         (HasClass(name[0], kNameStart) && !IsTypeName(name) && !HasReservedFront(name));
}

std::string SanitizeName(absl::string_view name) {
  std::string out(name);
  if (IsSaneName(name)) return out;
  for (char& c : out) {
    if (!HasClass(c, kNameChar)) c = '_';
  }
  if (!HasClass(out[0], kNameStart)) out[0] = '_';
  if (IsTypeName(out)) out += '_';
  if (HasReservedFront(out)) out[0] = 'a';
  return out;
}

}  // namespace tessera::hlo
