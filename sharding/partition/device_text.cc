#include "tessera/sharding/partition/device_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {
namespace {

// The digits of 0 .. 999 as they stand alone, and as the last three of a larger number. Lists of
// pairs and offsets are most of the text of a module for a pod.
struct Digits {
  char alone[4] = {};
  char last[4] = {};
  size_t size = 1;
};

constexpr int64_t kThousand = 1000;

constexpr std::array<Digits, kThousand> AllDigits() {
  std::array<Digits, kThousand> all = {};
  for (size_t n = 0; n < all.size(); ++n) {
    Digits& digits = all[n];
    digits.size = n < 10 ? 1 : n < 100 ? 2 : 3;
    for (size_t i = 0, rest = n; i < 3; ++i, rest /= 10) {
      const char digit = static_cast<char>('0' + rest % 10);
      digits.last[2 - i] = digit;
      if (i < digits.size) digits.alone[digits.size - 1 - i] = digit;
    }
  }
  return all;
}

constexpr std::array<Digits, kThousand> kDigits = AllDigits();

// What PutNumber may write at most, and beyond the end of the number.
constexpr size_t kMostCharacters = 20, kBeyond = 4;

inline char* PutBelowThousand(uint64_t number, char* to) {
  const Digits& digits = kDigits[number];
  std::memcpy(to, digits.alone, sizeof(digits.alone));
  return to + digits.size;
}

char* PutLarge(int64_t number, char* to) {
  if (number < 0 || number >= kThousand * kThousand) {
    return std::to_chars(to, to + kMostCharacters, number).ptr;
  }
  to = PutBelowThousand(static_cast<uint64_t>(number / kThousand), to);
  std::memcpy(to, kDigits[static_cast<size_t>(number % kThousand)].last, kBeyond);
  return to + 3;
}

inline char* Put(int64_t number, char* to) {
  const auto unsigned_number = static_cast<uint64_t>(number);
  return unsigned_number < kThousand ? PutBelowThousand(unsigned_number, to) : PutLarge(number, to);
}

std::vector<int64_t> Flattened(const Groups& groups) {
  std::vector<int64_t> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

// The most characters of one of the numbers, none beyond these two, with its sign.
size_t CharactersOf(int64_t least, int64_t largest) {
  return std::max(absl::StrCat(least).size(), absl::StrCat(largest).size());
}

// `put` writes an element and, behind it, `separator` characters that the last one loses; both take
// at most `most`.
template <typename List, typename Put>
std::string InBraces(const List& list, size_t most, size_t separator, const Put& put) {
  std::string out(list.size() * most + 2 + kMostCharacters, '{');
  char* to = &out[1];
  for (const auto& one : list) to = put(one, to);
  if (!list.empty()) to -= separator;
  *to++ = '}';
  out.resize(static_cast<size_t>(to - out.data()));
  return out;
}

}  // namespace

char* PutNumber(int64_t number, char* to) { return Put(number, to); }

std::string GroupsText(const Groups& groups) {
  const size_t size = groups.empty() ? 0 : groups[0].size();
  const bool alike = std::all_of(groups.begin(), groups.end(),
                                 [size](const auto& group) { return group.size() == size; });
  if (alike && size > 0) {
    const Dims dims = {Size(groups), static_cast<int64_t>(size)};
    const auto list = TileAssignment::List(dims, Flattened(groups));
    if (list.ok() && list->has_axes()) return list->AsIota().ToString();
  }
  return absl::StrCat("{",
                      absl::StrJoin(groups, ",",
                                    [](std::string* out, const std::vector<int64_t>& group) {
                                      absl::StrAppend(out, "{", absl::StrJoin(group, ","), "}");
                                    }),
                      "}");
}

std::string PairsText(const Pairs& pairs) {
  int64_t last = 0;
  for (const auto& pair : pairs) last = std::max({last, pair.first, pair.second});
  return InBraces(pairs, 2 * CharactersOf(0, last) + 4, 1, [](const auto& pair, char* to) {
    *to++ = '{';
    to = Put(pair.first, to);
    *to++ = ',';
    to = Put(pair.second, to);
    std::memcpy(to, "},", 2);
    return to + 2;
  });
}

std::string NumbersText(absl::Span<const int64_t> numbers) {
  const auto [least, largest] = std::minmax_element(numbers.begin(), numbers.end());
  const size_t most = numbers.empty() ? 0 : CharactersOf(*least, *largest) + 2;
  return InBraces(numbers, most, 2, [](int64_t number, char* to) {
    to = Put(number, to);
    std::memcpy(to, ", ", 2);
    return to + 2;
  });
}

}  // namespace tessera::sharding::partition
