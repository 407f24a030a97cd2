#include "tessera/target/priority_fusion/model/expression.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

// Most expressions are short.
template <typename T>
using Short = absl::InlinedVector<T, 16>;

// Indices of ops, operands first to last.
Short<uint32_t> PostOrder(const Expression& expression) {
  Short<uint32_t> order;
  Short<bool> visited(expression.size());
  Short<std::pair<uint32_t, bool>> stack = {{static_cast<uint32_t>(expression.size() - 1), false}};
  while (!stack.empty()) {
    const auto [top, is_done] = stack.back();
    stack.pop_back();
    if (is_done) order.push_back(top);
    if (is_done || visited[top]) continue;
    visited[top] = true;
    stack.emplace_back(top, true);
    const auto& reads = expression[top].reads;
    for (auto it = reads.rbegin(); it != reads.rend(); ++it) {
      if (it->kind == Read::kInner) stack.emplace_back(it->index, false);
    }
  }
  return order;
}

}  // namespace

Expression Fused(const Expression& producer, uint32_t kernel, Expression consumer) {
  Expression fused;
  fused.reserve(producer.size() + consumer.size());
  absl::c_copy(producer, std::back_inserter(fused));
  const auto shift = static_cast<uint32_t>(producer.size());
  for (FusedOp& op : consumer) {
    fused.push_back(std::move(op));
    for (Read& read : fused.back().reads) {
      if (read.kind == Read::kInner) {
        read.index += shift;
      } else if (read.index == kernel) {
        read = {Read::kInner, shift - 1};
      }
    }
  }
  return fused;
}

void ReplaceReads(Expression* expression, uint32_t from, uint32_t to) {
  for (FusedOp& op : *expression) {
    for (Read& read : op.reads) {
      if (read == Read{Read::kKernel, from}) read.index = to;
    }
  }
}

std::vector<uint32_t> OperandsAsMerged(const Expression& expression) {
  const Short<uint32_t> order = PostOrder(expression);
  std::vector<uint32_t> operands;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    for (const Read& read : expression[*it].reads) {
      if (read.kind == Read::kKernel && !absl::c_linear_search(operands, read.index)) {
        operands.push_back(read.index);
      }
    }
  }
  return operands;
}

}  // namespace tessera::target
