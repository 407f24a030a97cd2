#include "tessera/target/priority_fusion/fusion_memory.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/graph/content.h"
#include "tessera/text/fingerprint.h"

namespace tessera::target {
namespace {

class Key {
 public:
  explicit Key(const FusionGraph& graph) {
    for (uint32_t k = 0; k < graph.size(); ++k) {
      AddContentOfOp(graph, k, &bytes_);
      AddNode(graph.node(k));
    }
  }

  absl::uint128 Hash() const { return text::Fingerprint({bytes_}); }

 private:
  // Operands are those of the list, and of what the graph fused when it was built.
  void AddNode(const FusionGraph::Node& node) {
    for (const bool is : {node.is_root, node.is_gone, node.is_triton}) Add(is);
    AddList(node.operands);
    Add(node.outputs[0].size());
    for (const FusedOp& op : node.outputs[0]) {
      Add(op.op);
      for (const Read& read : op.reads) {
        Add(read.kind);
        Add(read.index);
      }
    }
  }

  void AddList(absl::Span<const uint32_t> list) {
    Add(list.size());
    for (const uint32_t one : list) Add(one);
  }

  template <typename T>
  void Add(const T& value) {
    AddContent(value, &bytes_);
  }

  std::string bytes_;
};

size_t NumbersOf(const FusedComputation& fused) {
  return fused.ops.size() + fused.operands.ends.size() + fused.operands.numbers.size() +
         fused.results.ends.size() + fused.results.numbers.size();
}

}  // namespace

void NumberLists::Add(const std::vector<uint32_t>& list) {
  absl::c_copy(list, std::back_inserter(numbers));
  ends.push_back(static_cast<uint32_t>(numbers.size()));
}

std::vector<std::vector<uint32_t>> NumberLists::Lists() const {
  std::vector<std::vector<uint32_t>> lists;
  lists.reserve(ends.size());
  auto begin = numbers.begin();
  for (const uint32_t end : ends) {
    const auto after = numbers.begin() + end;
    lists.emplace_back(begin, after);
    begin = after;
  }
  return lists;
}

std::shared_ptr<const FusedComputation> FusionMemory::Find(
    const FusionGraph& graph, absl::FunctionRef<FusedComputation()> fuse) {
  const absl::uint128 key = Key(graph).Hash();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = fused_.find(key);
    if (known != fused_.end()) return known->second;
  }
  auto fused = std::make_shared<const FusedComputation>(fuse());
  const std::lock_guard<std::mutex> lock(mutex_);
  numbers_ += NumbersOf(*fused);
  if (numbers_ > kMostNumbers) {
    fused_.clear();
    numbers_ = NumbersOf(*fused);
  }
  fused_[key] = fused;
  return fused;
}

}  // namespace tessera::target
