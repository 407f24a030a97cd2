#include "tessera/target/priority_fusion/kernel_kinds.h"

#include <string>

#include "tessera/target/priority_fusion/graph/content.h"

namespace tessera::target {

KernelKinds::KernelKinds(const FusionGraph& graph)
    : graph_(graph), places_(graph.size()), marks_(graph.size()) {
  const std::vector<uint32_t> ops = NumbersOfOps();
  numbers_.reserve(graph.size());
  for (uint32_t kernel = 0; kernel < graph.size(); ++kernel) kinds_.push_back(OfNode(kernel, ops));
}

std::vector<uint32_t> KernelKinds::NumbersOfOps() const {
  absl::flat_hash_map<std::string, uint32_t> numbers;
  std::vector<uint32_t> ops;
  std::string bytes;
  for (uint32_t op = 0; op < graph_.size(); ++op) {
    bytes.clear();
    AddContentOfOp(graph_, op, &bytes);
    ops.push_back(numbers.try_emplace(bytes, static_cast<uint32_t>(numbers.size())).first->second);
  }
  return ops;
}

uint32_t KernelKinds::NumberOfContent() {
  return numbers_.try_emplace(content_, static_cast<uint32_t>(numbers_.size())).first->second;
}

void KernelKinds::MarkOperands(absl::Span<const uint32_t> operands) {
  ++mark_;
  for (uint32_t k = 0; k < operands.size(); ++k) {
    if (marks_[operands[k]] == mark_) continue;
    marks_[operands[k]] = mark_;
    places_[operands[k]] = k;
  }
}

void KernelKinds::Begin(Sort sort) { content_ = static_cast<uint32_t>(sort) + 1; }

// FNV, word by word.
void KernelKinds::Add(uint32_t word) {
  constexpr absl::uint128 kPrime = absl::MakeUint128(0x1000000, 0x13b);
  content_ = (content_ ^ word) * kPrime;
}

void KernelKinds::AddPlaceOf(uint32_t kernel) {
  constexpr uint32_t kNowhere = ~uint32_t{0};
  Add(marks_[kernel] == mark_ ? places_[kernel] : kNowhere);
}

uint32_t KernelKinds::OfNode(uint32_t kernel, const std::vector<uint32_t>& ops) {
  const FusionGraph::Node& node = graph_.node(kernel);
  Begin(Sort::kKernel);
  for (const bool is : {node.is_fusion, node.is_triton}) Add(is);
  Add(static_cast<uint32_t>(node.operands.size()));
  MarkOperands(node.operands);
  for (const uint32_t operand : node.operands) {
    Add(ops[operand]);
    AddPlaceOf(operand);
  }
  for (const FusedOp& op : node.outputs[0]) {
    Add(ops[op.op]);
    Add(static_cast<uint32_t>(op.reads.size()));
    for (const Read& read : op.reads) {
      Add(read.kind);
      if (read.kind == Read::kInner) {
        Add(read.index);
      } else {
        AddPlaceOf(read.index);
      }
    }
  }
  return NumberOfContent();
}

uint32_t KernelKinds::OfFused(uint32_t producer, uint32_t user) {
  Begin(Sort::kPair);
  for (const uint32_t kernel : {producer, user}) Add(kinds_[kernel]);
  if (marked_user_ != user) MarkOperands(graph_.node(user).operands);
  marked_user_ = user;
  AddPlaceOf(producer);
  for (const uint32_t operand : graph_.node(producer).operands) AddPlaceOf(operand);
  return NumberOfContent();
}

}  // namespace tessera::target
