#include "tessera/target/priority_fusion/graph/ways.h"

#include <algorithm>
#include <utility>

namespace tessera::target {
namespace {

constexpr size_t kShort = 8;
constexpr uint32_t kNotListed = ~uint32_t{0};

}  // namespace

Ways::Ways(const FusionGraph& graph, std::vector<uint32_t> kernels)
    : graph_(graph), kernels_(std::move(kernels)) {}

bool Ways::Lead(uint32_t from, uint32_t to) {
  if (kernels_.size() < kShort || graph_.place(from) >= graph_.place(to)) {
    return graph_.Reaches(from, to);
  }
  if (index_.empty()) FindNeeds();
  return Needs(index_.at(to), index_.at(from));
}

void Ways::FindNeeds() {
  const auto by_place = [&](uint32_t a, uint32_t b) { return graph_.place(a) < graph_.place(b); };
  std::sort(kernels_.begin(), kernels_.end(), by_place);
  const uint32_t begin = graph_.place(kernels_.front());
  std::vector<uint32_t> indices(graph_.place(kernels_.back()) - begin + 1, kNotListed);
  for (size_t k = 0; k < kernels_.size(); ++k) {
    index_.emplace(kernels_[k], k);
    indices[graph_.place(kernels_[k]) - begin] = static_cast<uint32_t>(k);
  }
  const size_t words = (kernels_.size() + 63) / 64;
  needs_.assign(kernels_.size(), Set(words));
  for (size_t word = 0; word < words; ++word) FindNeeds(word, indices);
}

void Ways::FindNeeds(size_t word, const std::vector<uint32_t>& indices) {
  const uint32_t begin = graph_.place(kernels_.front());
  std::vector<uint64_t> with_itself(indices.size());  // by place: what is needed for a result
  graph_.ForEachBetween(kernels_.front(), kernels_.back(), [&](uint32_t kernel) {
    uint64_t needs = 0;
    for (const uint32_t operand : graph_.node(kernel).operands) {
      if (graph_.place(operand) >= begin) needs |= with_itself[graph_.place(operand) - begin];
    }
    const uint32_t place = graph_.place(kernel) - begin, index = indices[place];
    if (index != kNotListed) needs_[index][word] = needs;
    const bool has_bit = index != kNotListed && index / 64 == word;
    with_itself[place] = has_bit ? needs | uint64_t{1} << (index % 64) : needs;
  });
}

void Ways::AddNeeds(size_t which, const Set& more) {
  for (size_t word = 0; word < more.size(); ++word) needs_[which][word] |= more[word];
}

// A kernel that needs one of both needs the kernels that both need.
void Ways::Join(uint32_t kept, uint32_t gone) {
  if (index_.empty()) return;
  const size_t one = index_.at(kept), other = index_.at(gone);
  AddNeeds(one, needs_[other]);
  const Set both = needs_[one];
  for (size_t k = 0; k < needs_.size(); ++k) {
    if (!Needs(k, one) && !Needs(k, other)) continue;
    AddNeeds(k, both);
    needs_[k][one / 64] |= uint64_t{1} << (one % 64);
  }
}

}  // namespace tessera::target
