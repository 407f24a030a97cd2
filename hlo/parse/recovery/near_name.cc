// Only words of ordinary length are looked at.

#include "tessera/hlo/parse/recovery/near_name.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/text/edit_distance.h"

namespace tessera::hlo {
namespace {

constexpr size_t kLongestWord = 64;

}  // namespace

std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> names) {
  if (word.size() > kLongestWord) return "";
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  absl::string_view nearest;
  for (absl::string_view name : names) {
    const size_t distance = text::EditDistance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?");
}

}  // namespace tessera::hlo
