#include "tessera/sharding/partition/device_text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {
namespace {

// The most characters of one of the numbers, none beyond these two, with its sign.
size_t CharactersOf(int64_t least, int64_t largest) {
  return std::max(absl::StrCat(least).size(), absl::StrCat(largest).size());
}

// Devices 0, stride, 2 x stride, ..
struct Run {
  int64_t size = 1, stride = 1;
};

std::vector<int64_t> Flattened(const Groups& groups) {
  std::vector<int64_t> out;
  for (const auto& group : groups) out.insert(out.end(), group.begin(), group.end());
  return out;
}

// The list as nested runs, the innermost first.
std::optional<std::vector<Run>> RunsOf(const std::vector<int64_t>& devices) {
  std::vector<Run> runs;
  const int64_t count = Size(devices);
  for (int64_t span = 1; span < count;) {
    Run run = {1, At(devices, span) - devices[0]};
    while (span * (run.size + 1) <= count &&
           At(devices, span * run.size) == devices[0] + run.size * run.stride) {
      ++run.size;
    }
    if (run.size == 1 || count % (span * run.size) != 0) return std::nullopt;
    runs.push_back(run);
    span *= run.size;
  }
  return runs;
}

// Sizes and permutation of the iota that has these runs.
std::optional<TileAssignment> IotaOf(const std::vector<int64_t>& devices, Ints dims) {
  if (devices.empty() || devices[0] != 0) return std::nullopt;
  std::optional<std::vector<Run>> runs = RunsOf(devices);
  if (!runs.has_value()) return std::nullopt;
  if (runs->empty()) runs->push_back({1, 1});
  std::reverse(runs->begin(), runs->end());
  std::vector<int64_t> order(runs->size());
  for (int64_t i = 0; i < Size(order); ++i) At(order, i) = i;
  std::sort(order.begin(), order.end(),
            [&runs](int64_t a, int64_t b) { return At(*runs, a).stride > At(*runs, b).stride; });
  std::vector<int64_t> sizes, perm(order.size());
  for (int64_t i = 0; i < Size(order); ++i) {
    sizes.push_back(At(*runs, At(order, i)).size);
    At(perm, At(order, i)) = i;
  }
  const auto iota = TileAssignment::Iota(dims, sizes, perm);
  if (!iota.ok() || iota->Devices() != devices) return std::nullopt;
  return *iota;
}

char* PutNumber(int64_t number, char* to, size_t most) {
  return std::to_chars(to, to + most, number).ptr;
}

// `put` writes element i; one takes at most `most` characters.
template <typename Put>
std::string InBraces(size_t count, size_t most, absl::string_view separator, const Put& put) {
  std::string out(count * (most + separator.size()) + 2, '{');
  char* to = &out[1];
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) to = std::copy(separator.begin(), separator.end(), to);
    to = put(i, to);
  }
  *to++ = '}';
  out.resize(static_cast<size_t>(to - out.data()));
  return out;
}

}  // namespace

std::string GroupsText(const Groups& groups) {
  const size_t size = groups.empty() ? 0 : groups[0].size();
  const bool alike = std::all_of(groups.begin(), groups.end(),
                                 [size](const auto& group) { return group.size() == size; });
  if (alike && size > 0) {
    const auto iota = IotaOf(Flattened(groups), {Size(groups), static_cast<int64_t>(size)});
    if (iota.has_value()) return iota->ToString();
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
  const size_t digits = CharactersOf(0, last);
  return InBraces(pairs.size(), 2 * digits + 3, ",", [&pairs, digits](size_t i, char* to) {
    *to++ = '{';
    to = PutNumber(pairs[i].first, to, digits);
    *to++ = ',';
    to = PutNumber(pairs[i].second, to, digits);
    *to++ = '}';
    return to;
  });
}

std::string NumbersText(absl::Span<const int64_t> numbers) {
  const auto [least, largest] = std::minmax_element(numbers.begin(), numbers.end());
  const size_t most = numbers.empty() ? 0 : CharactersOf(*least, *largest);
  return InBraces(numbers.size(), most, ", ",
                  [&numbers, most](size_t i, char* to) { return PutNumber(numbers[i], to, most); });
}

}  // namespace tessera::sharding::partition
