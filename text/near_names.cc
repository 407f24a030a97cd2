#include "tessera/text/near_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/edit_distance.h"

namespace tessera::text {
namespace {

constexpr size_t kLongestWord = 256;
constexpr size_t kShortestPart = 3;  // shorter ones are part of everything
constexpr size_t kMostNames = 3;

using Near = std::pair<size_t, absl::string_view>;

size_t Distance(absl::string_view word, absl::string_view name, size_t most) {
  if (word.size() >= kShortestPart && absl::StrContains(name, word)) return 0;
  const size_t longer = std::max(word.size(), name.size());
  if (longer - std::min(word.size(), name.size()) > most) return longer;
  return EditDistance(word, name);
}

// The nearest first. At most one letter of `share` letters may differ, rounded up: 2 of 4 for a share
// of 3, so "lnit" is near to "lint".
std::vector<Near> Nearest(absl::string_view word, absl::Span<const absl::string_view> names,
                          size_t share) {
  std::vector<Near> near;
  if (word.size() > kLongestWord) return near;
  for (const absl::string_view name : names) {
    const size_t most = (std::max(word.size(), name.size()) + share - 1) / share;
    const size_t distance = Distance(word, name, most);
    if (distance <= most) near.emplace_back(distance, name);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

}  // namespace

std::vector<std::string> NearNames(absl::string_view word,
                                   absl::Span<const absl::string_view> names) {
  std::vector<std::string> found;
  for (const auto& [distance, name] : Nearest(word, names, 2)) {
    if (found.size() < kMostNames) found.emplace_back(name);
  }
  return found;
}

std::string NearestNames(absl::string_view word, absl::Span<const absl::string_view> names) {
  const std::vector<std::string> near = NearNames(word, names);
  if (near.empty()) return "";
  return absl::StrCat("; the nearest ", near.size() == 1 ? "name is " : "names are ",
                      absl::StrJoin(near, ", "));
}

std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> names) {
  const std::vector<Near> near = Nearest(word, names, 3);
  return near.empty() ? "" : absl::StrCat(", did you mean '", near[0].second, "'?");
}

}  // namespace tessera::text
