// The edit distance, row by row: letters put in, left out, changed, each counts one. A word of n
// letters beside one of m costs n * m steps; only words of ordinary length are looked at.

#include "tessera/hlo/near_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::hlo {
namespace {

constexpr size_t kLongestWord = 64;

size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DidYouMean(absl::string_view word, absl::Span<const absl::string_view> names) {
  if (word.size() > kLongestWord) return "";
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  absl::string_view nearest;
  for (absl::string_view name : names) {
    const size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest.empty() ? "" : absl::StrCat(", did you mean '", nearest, "'?");
}

}  // namespace tessera::hlo
