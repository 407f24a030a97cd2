#include "tessera/target/priority_fusion/gemm/dim_groups.h"

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

std::vector<size_t> LargerThanOne(absl::Span<const int64_t> sizes) {
  std::vector<size_t> large;
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] != 1) large.push_back(k);
  }
  return large;
}

// Takes the next dimension of a side, major first.
class Side {
 public:
  explicit Side(absl::Span<const int64_t> sizes) : sizes_(sizes), large_(LargerThanOne(sizes)) {}

  bool IsDone() const { return next_ == large_.size(); }
  bool Take(std::vector<size_t>* group, int64_t* product) {
    if (IsDone()) return false;
    group->push_back(large_[next_++]);
    *product *= sizes_[group->back()];
    return true;
  }

 private:
  absl::Span<const int64_t> sizes_;
  std::vector<size_t> large_;
  size_t next_ = 0;
};

// The dimensions of `places` stand side by side in this order, but for those of size 1.
bool StandTogether(const std::vector<size_t>& places, const std::vector<size_t>& large) {
  const auto begin = absl::c_find(large, places[0]);
  return static_cast<size_t>(large.end() - begin) >= places.size() &&
         std::equal(places.begin(), places.end(), begin);
}

}  // namespace

std::optional<std::vector<DimGroup>> GroupDims(absl::Span<const int64_t> from,
                                               absl::Span<const int64_t> to) {
  Side left(from), right(to);
  std::vector<DimGroup> groups;
  while (!left.IsDone() || !right.IsDone()) {
    DimGroup group;
    int64_t of_left = 1, of_right = 1;
    do {
      const bool is_left = group.from.empty() || of_left < of_right;
      const bool is_taken =
          is_left ? left.Take(&group.from, &of_left) : right.Take(&group.to, &of_right);
      if (!is_taken) return std::nullopt;
    } while (of_left != of_right);
    groups.push_back(group);
  }
  return groups;
}

std::optional<DimSizes> SizesBeforeTranspose(absl::Span<const int64_t> permutation,
                                             absl::Span<const int64_t> have,
                                             absl::Span<const int64_t> want) {
  const auto groups = GroupDims(have, want);
  if (!groups.has_value()) return std::nullopt;
  DimSizes operand(have.size());
  for (size_t k = 0; k < have.size(); ++k) operand[static_cast<size_t>(permutation[k])] = have[k];
  const std::vector<size_t> large = LargerThanOne(operand);
  std::map<size_t, DimSizes> parts;  // by the place in the operand
  for (const DimGroup& group : *groups) {
    if (group.Merges() && group.Splits()) return std::nullopt;
    std::vector<size_t> places;
    for (const size_t k : group.from) places.push_back(static_cast<size_t>(permutation[k]));
    if (!StandTogether(places, large)) return std::nullopt;
    for (const size_t k : group.to) parts[places[0]].push_back(want[k]);
  }
  DimSizes sizes;
  for (const auto& [place, part] : parts) sizes.insert(sizes.end(), part.begin(), part.end());
  return sizes;
}

std::optional<DimSizes> SizesBeforeBroadcast(absl::Span<const int64_t> dimensions,
                                             absl::Span<const int64_t> have,
                                             absl::Span<const int64_t> want) {
  const auto groups = GroupDims(have, want);
  if (!groups.has_value()) return std::nullopt;
  DimSizes sizes;
  for (const DimGroup& group : *groups) {
    const auto read = absl::c_count_if(group.from, [&](size_t k) {
      return absl::c_linear_search(dimensions, static_cast<int64_t>(k));
    });
    if (read == 0) continue;
    if (static_cast<size_t>(read) != group.from.size()) return std::nullopt;
    for (const size_t k : group.to) sizes.push_back(want[k]);
  }
  return sizes;
}

}  // namespace tessera::target
