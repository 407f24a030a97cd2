#include "tessera/hlo/unique_names.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/parse/scanner.h"
#include "tessera/layout/element_type.h"

namespace tessera::hlo {

namespace {

// Of a name that ends with a dot and a few digits: how long its root is, 0 for another.
size_t PlainRoot(absl::string_view name, int64_t* number) {
  constexpr size_t kMostDigits = 9;
  int64_t value = 0, unit = 1;
  size_t end = name.size();
  for (; end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9'; --end, unit *= 10) {
    if (name.size() - end == kMostDigits) return 0;
    value += unit * (name[end - 1] - '0');
  }
  if (end < 2 || end == name.size() || name[end - 1] != '.') return 0;
  *number = value;
  return end - 1;
}

// `x.7` is x and 7; `x`, `x.y` and `.7` have no number, and 0 counts for them.
absl::string_view RootOf(absl::string_view name, int64_t* number) {
  if (const size_t size = PlainRoot(name, number); size > 0) return name.substr(0, size);
  const size_t dot = name.rfind('.');
  const bool numbered = dot != absl::string_view::npos && dot > 0 && dot + 1 < name.size() &&
                        absl::SimpleAtoi(name.substr(dot + 1), number);
  if (numbered) return name.substr(0, dot);
  *number = 0;
  return name;
}

std::string Numbered(absl::string_view root, int64_t id) {
  char number[24] = ".";
  const char* const end = std::to_chars(number + 1, number + sizeof(number), id).ptr;
  std::string name;
  name.reserve(root.size() + static_cast<size_t>(end - number));
  name.append(root.data(), root.size());
  return name.append(number, static_cast<size_t>(end - number));
}

}  // namespace

// The bits may be two words for each number, beside those of a program of usual size.
void UniqueNames::Numbers::Add(int64_t id) {
  const auto word = static_cast<uint64_t>(id) / 64;
  if (word >= bits_.size()) {
    constexpr uint64_t kFirst = 64;
    if (id < 0 || word >= kFirst + 2 * size_) {
      others_.insert(id);
      return;
    }
    bits_.resize(word + 1);
  }
  ++size_;
  bits_[word] |= uint64_t{1} << (id % 64);
}

UniqueNames::Found UniqueNames::Find(absl::string_view name) {
  Found found;
  found.root = RootOf(name, &found.id);
  if (found.root.size() < name.size()) found.number = name.substr(found.root.size() + 1);
  Taken& taken = roots_[found.root];
  if (!taken.ids.Contains(found.id)) {
    // 01 and -0 are spelled otherwise.
    found.is_as_written =
        found.number.empty() || (found.number[0] >= '1' && found.number[0] <= '9');
  } else {
    while (taken.ids.Contains(taken.next)) ++taken.next;
    found.id = taken.next++;
  }
  taken.ids.Add(found.id);
  return found;
}

std::string UniqueNames::Unique(absl::string_view name) {
  const Found found = Find(name);
  if (found.is_as_written) return std::string(name);
  if (found.id == 0 && found.number.empty()) return std::string(found.root);
  return Numbered(found.root, found.id);
}

namespace {

// All are letters and digits.
bool IsTypeName(absl::string_view name) {
  constexpr size_t kLongest = 14;
  const auto is_apart = [](char c) { return c == '.' || c == '_'; };
  if (name.size() > kLongest || std::any_of(name.begin(), name.end(), is_apart)) return false;
  return layout::ElementTypeFromName(name).has_value() || name == "token" || name == "opaque";
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
