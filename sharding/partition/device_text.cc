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
// Of an s32 with a comma and a space.
constexpr size_t kMostNumber = 16;

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
  out.reserve(groups.empty() ? 0 : groups.size() * groups[0].size());
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

// Elements that are written at once, and the most characters of them with what is written beyond.
constexpr size_t kAtOnce = 16, kMostAtOnce = 1024;

// `put` writes an element and, after it, `separator` characters that the last one loses. `room`: of an
// element, as a guess.
template <typename T, typename Put>
std::string InBraces(absl::Span<const T> list, size_t room, size_t separator, const Put& put) {
  std::string out = "{";
  out.reserve(list.size() * room + 2);
  char piece[kMostAtOnce];
  for (; !list.empty(); list.remove_prefix(std::min(kAtOnce, list.size()))) {
    char* to = piece;
    for (const T& one : list.subspan(0, kAtOnce)) to = put(one, to);
    out.append(piece, static_cast<size_t>(to - piece));
  }
  if (out.size() > 1) out.resize(out.size() - separator);
  out += '}';
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
  constexpr size_t kRoom = 12;  // of two numbers below ten thousand
  return InBraces(absl::MakeConstSpan(pairs), kRoom, 1, [](const auto& pair, char* to) {
    *to++ = '{';
    to = Put(pair.first, to);
    *to++ = ',';
    to = Put(pair.second, to);
    std::memcpy(to, "},", 2);
    return to + 2;
  });
}

std::string NumbersText(absl::Span<const int32_t> numbers) {
  constexpr size_t kRoom = 8;
  return InBraces(numbers, kRoom, 2, [](int32_t number, char* to) {
    to = Put(number, to);
    std::memcpy(to, ", ", 2);
    return to + 2;
  });
}

std::string NumbersText(absl::Span<const int32_t> indices, absl::Span<const int32_t> values,
                        int32_t without) {
  struct Written {
    char text[kMostCharacters + kBeyond];
    size_t size;
  };
  std::vector<Written> written(values.size() + 1);  // that of -1 first
  size_t most = 0;
  for (size_t i = 0; i < written.size(); ++i) {
    char* const end = Put(i == 0 ? without : values[i - 1], written[i].text);
    std::memcpy(end, ", ", 2);
    written[i].size = static_cast<size_t>(end + 2 - written[i].text);
    most = std::max(most, written[i].size);
  }
  return InBraces(indices, most, 2, [&](int32_t index, char* to) {
    const Written& one = written[static_cast<size_t>(index + 1)];
    std::memcpy(to, one.text, kMostNumber);
    return to + one.size;
  });
}

}  // namespace tessera::sharding::partition
