#include "tessera/target/buffers/step_tree.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace tessera::target {

void Pieces::Add(Piece piece) {
  const auto from = absl::c_lower_bound(
      pieces_, piece.first, [](const Piece& one, int64_t begin) { return one.second < begin; });
  auto to = from;
  for (; to != pieces_.end() && to->first <= piece.second; ++to) {
    piece = {std::min(piece.first, to->first), std::max(piece.second, to->second)};
  }
  if (from == to) {
    pieces_.insert(from, piece);
    return;
  }
  *from = piece;
  if (from + 1 != to) pieces_.erase(from + 1, to);
}

StepTree::StepTree(int64_t steps) {
  size_t nodes = 1;
  for (; width_ < steps; width_ *= kChildren) nodes = nodes * kChildren + 1;
  taken_.resize(nodes);
  held_back_.resize(nodes);
}

template <typename Visitor>
void StepTree::ForChildren(const Node& node, const Span& span, const Visitor& visit) {
  const int64_t width = node.width / kChildren;
  const int64_t from = std::max<int64_t>(0, (span.first - node.first) / width);
  const int64_t to = std::min<int64_t>(kChildren - 1, (span.second - node.first) / width);
  for (int64_t c = from; c <= to; ++c) {
    visit(Node{kChildren * node.index + 1 + c, node.first + c * width, width});
  }
}

void StepTree::Take(const Node& node, const Span& span, const Piece& piece) {
  taken_[node.index].Add(piece);
  if (Covers(span, node)) {
    if (node.width > 1) held_back_[node.index].Add(piece);
    return;
  }
  HandDown(node.index);
  ForChildren(node, span, [&](const Node& child) { Take(child, span, piece); });
}

void StepTree::Collect(const Node& node, const Span& span, std::vector<Piece>* taken) {
  if (Covers(span, node)) {
    const auto& pieces = taken_[node.index].all();
    taken->insert(taken->end(), pieces.begin(), pieces.end());
    return;
  }
  HandDown(node.index);
  ForChildren(node, span, [&](const Node& child) { Collect(child, span, taken); });
}

void StepTree::HandDown(size_t index) {
  if (held_back_[index].all().empty()) return;
  for (size_t child = kChildren * index + 1; child <= kChildren * (index + 1); ++child) {
    for (const Piece& piece : held_back_[index].all()) {
      taken_[child].Add(piece);
      if (kChildren * child + 1 < taken_.size()) held_back_[child].Add(piece);
    }
  }
  held_back_[index] = {};
}

}  // namespace tessera::target
