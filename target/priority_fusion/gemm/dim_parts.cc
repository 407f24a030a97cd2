#include "tessera/target/priority_fusion/gemm/dim_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

bool IsOfOneDim(const DimPart& a, const DimPart& b) { return a.role == b.role && a.dim == b.dim; }

DimParts Joined(const std::vector<DimParts>& lists) {
  DimParts joined;
  for (const DimParts& parts : lists) absl::c_copy(parts, std::back_inserter(joined));
  return joined;
}

}  // namespace

std::optional<std::vector<DimParts>> PartsByDim(DimParts parts, absl::Span<const int64_t> sizes) {
  std::vector<DimParts> by_dim(sizes.size());
  absl::c_reverse(parts);  // the next one is the last
  for (size_t k = 0; k < sizes.size(); ++k) {
    int64_t missing = sizes[k];
    while (missing > 1) {
      if (parts.empty()) return std::nullopt;
      DimPart& next = parts.back();
      const int64_t rest = next.size <= missing ? 1 : next.size / missing;
      if (missing % (next.size / rest) != 0 || next.size % rest != 0) return std::nullopt;
      if (rest > 1 && next.size != missing * rest) return std::nullopt;
      by_dim[k].push_back({next.role, next.dim, next.size / rest, next.minor * rest});
      missing /= next.size / rest;
      next.size = rest;
      if (rest == 1) parts.pop_back();
    }
  }
  if (!parts.empty()) return std::nullopt;
  return by_dim;
}

std::optional<DimParts> PartsBeforeTranspose(const DimParts& parts, absl::Span<const int64_t> sizes,
                                             absl::Span<const int64_t> permutation) {
  auto by_dim = PartsByDim(parts, sizes);
  if (!by_dim.has_value()) return std::nullopt;
  std::vector<DimParts> of_operand(sizes.size());
  for (size_t k = 0; k < sizes.size(); ++k) {
    of_operand[static_cast<size_t>(permutation[k])] = std::move((*by_dim)[k]);
  }
  return Joined(of_operand);
}

std::optional<DimParts> PartsBeforeBroadcast(const DimParts& parts, absl::Span<const int64_t> sizes,
                                             absl::Span<const int64_t> dimensions) {
  const auto by_dim = PartsByDim(parts, sizes);
  if (!by_dim.has_value()) return std::nullopt;
  std::vector<DimParts> of_operand;
  for (const int64_t k : dimensions) of_operand.push_back((*by_dim)[static_cast<size_t>(k)]);
  return Joined(of_operand);
}

bool LieTogether(const DimParts& parts, bool all) {
  for (size_t k = 0; k < parts.size(); ++k) {
    if (parts[k].role == ProductRole::kFree && !all) continue;
    for (size_t later = k + 1; later < parts.size(); ++later) {
      if (!IsOfOneDim(parts[k], parts[later])) continue;
      const bool is_ordered = parts[later].minor < parts[later - 1].minor ||
                              (!all && parts[k].role == ProductRole::kBatch);
      const bool is_next = IsOfOneDim(parts[later - 1], parts[later]) && is_ordered;
      if (!is_next) return false;
    }
  }
  return true;
}

}  // namespace tessera::target
