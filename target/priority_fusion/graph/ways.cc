#include "tessera/target/priority_fusion/graph/ways.h"

namespace tessera::target {

Ways::Ways(const FusionGraph& graph, const std::vector<uint32_t>& kernels)
    : graph_(graph), is_listed_(graph.size()) {
  for (size_t k = 0; k < kernels.size(); ++k) {
    is_listed_[kernels[k]] = true;
    index_.emplace(kernels[k], k);
  }
  behind_.assign(kernels.size(), Set(kernels.size() / 64 + 1));
  before_ = behind_;
}

// Directly, or through one of the list.
bool Ways::IsKnown(size_t from, size_t to) const {
  if (Has(behind_[from], to)) return true;
  for (size_t word = 0; word < behind_[from].size(); ++word) {
    if ((behind_[from][word] & before_[to][word]) != 0) return true;
  }
  return false;
}

void Ways::Keep(size_t from, size_t to) {
  Put(to, &behind_[from]);
  Put(from, &before_[to]);
}

bool Ways::Lead(uint32_t from, uint32_t to) {
  if (from == to) return true;
  const size_t first = index_.at(from), last = index_.at(to);
  const auto leads = [&](uint32_t kernel) {
    if (!is_listed_[kernel]) return false;
    const size_t met = index_.at(kernel);
    Keep(met, last);
    return IsKnown(first, met);
  };
  const bool is_way = IsKnown(first, last) || graph_.Reaches(from, to, leads);
  if (is_way) Keep(first, last);
  return is_way;
}

}  // namespace tessera::target
