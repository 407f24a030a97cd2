// Which pieces of a heap are taken in which steps.
//
//   StepTree tree(/*steps=*/100);
//   tree.Take({10, 50}, {0, 64});       // the first 64 bytes, in steps 10 to 50
//   std::vector<Piece> taken;
//   tree.Collect({40, 60}, &taken);     // {{0, 64}}: in no order, and some more than once
//
// A node of the tree has a range of steps and knows what is taken in any of them. What is taken in all
// of them it holds back, and hands down when a part of its steps is asked about. Pieces that touch are
// one, so that a dense heap has few of them, however many buffers lie in it. Cost: the logarithm of the
// steps, times the pieces in a node. Tested by heap_packing_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_STEP_TREE_H_
#define TESSERA_TARGET_BUFFERS_STEP_TREE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "tessera/target/buffers/spans.h"

namespace tessera::target {

using Span = Spans::value_type;
using Piece = std::pair<int64_t, int64_t>;  // begin and end

// In order; none touches another one.
class Pieces {
 public:
  const absl::InlinedVector<Piece, 2>& all() const { return pieces_; }
  void Add(Piece piece);

 private:
  absl::InlinedVector<Piece, 2> pieces_;
};

class StepTree {
 public:
  explicit StepTree(int64_t steps);

  void Take(const Span& span, const Piece& piece) { Take({0, 0, width_}, span, piece); }
  void Collect(const Span& span, std::vector<Piece>* taken) {
    Collect({0, 0, width_}, span, taken);
  }

 private:
  static constexpr int64_t kChildren = 4;

  struct Node {
    size_t index;
    int64_t first, width;  // steps
  };

  static bool Covers(const Span& span, const Node& node) {
    return span.first <= node.first && node.first + node.width <= span.second + 1;
  }
  // Calls with each child that has a step of `span`.
  template <typename Visitor>
  static void ForChildren(const Node& node, const Span& span, const Visitor& visit);

  void Take(const Node& node, const Span& span, const Piece& piece);
  void Collect(const Node& node, const Span& span, std::vector<Piece>* taken);
  void HandDown(size_t index);

  int64_t width_ = 1;              // steps of the root
  std::vector<Pieces> taken_;      // by node, in any of its steps
  std::vector<Pieces> held_back_;  // by node, in all of its steps; its children do not know of it
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_STEP_TREE_H_
