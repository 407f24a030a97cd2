#include "tessera/target/priority_fusion/graph/fusion_graph.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/target/priority_fusion/products/product_fusion.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"

namespace tessera::target {

FusionGraph::FusionGraph(const DeviceProgram& program, ComputationId c, Upto upto)
    : program_(program), tiles_(program) {
  absl::flat_hash_map<InstructionId, uint32_t> kernels;
  kernels.reserve(program.module().computation(c).instructions.size());
  for (const InstructionId id : program.module().computation(c).instructions) {
    if (program.IsRemoved(id)) continue;
    kernels.emplace(id, static_cast<uint32_t>(instructions_.size()));
    instructions_.push_back(id);
  }
  nodes_.resize(instructions_.size());
  facts_.reserve(instructions_.size());
  marks_.resize(instructions_.size());
  operand_places_.resize(instructions_.size());
  for (uint32_t k = 0; k < nodes_.size(); ++k) {
    const InstructionId id = instructions_[k];
    facts_.push_back(upto == Upto::kProducts ? FactsOfResult(program, id) : FactsOf(program, id));
    results_.push_back(k);
    Node& node = nodes_[k];
    FusedOp op = {k, {}};
    for (const InstructionId operand : program.operands(id)) {
      const uint32_t kernel = kernels.at(operand);
      op.reads.push_back({Read::kKernel, kernel});
      node.operands.push_back(kernel);
      Kernels& users = nodes_[kernel].users;
      if (users.empty() || users.back() != k) users.push_back(k);
    }
    node.outputs.emplace_back().push_back(std::move(op));
    node.number = next_number_++;
    node.is_root = program.IsRoot(id);
    node.has_reduction = facts_[k].has_reduction;
    node.is_product = Is(k, Opcode::kDot);
  }
  places_.resize(nodes_.size());
  kernels_by_place_ = PostOrder();
  for (uint32_t place = 0; place < kernels_by_place_.size(); ++place) {
    places_[kernels_by_place_[place]] = place;
  }
  FuseProducts(program_, this);
  if (upto == Upto::kDiamonds) FuseDiamonds();
}

const KernelCost& FusionGraph::CostOf(uint32_t kernel) {
  Node& node = nodes_[kernel];
  if (!node.cost.has_value()) {
    ++mark_;
    Kernels operands;
    AddUnmarked(node.operands, &operands);
    node.cost = target::CostOf(node.outputs[0], PlacesOf(operands), facts_, results_);
    if (node.is_triton) {
      const auto ticks = TritonTicks(instructions_, facts_, node.outputs[0], &tiles_);
      node.cost->ticks = ticks.value_or(node.cost->ticks);
    }
  }
  return *node.cost;
}

OperandPlaces FusionGraph::PlacesOf(absl::Span<const uint32_t> operands) {
  for (uint32_t k = 0; k < operands.size(); ++k) operand_places_[operands[k]] = k;
  return {operands, operand_places_};
}

// The last user takes its place, as in XLA: the order of users decides what is fused first.
void FusionGraph::RemoveUser(uint32_t kernel, uint32_t user) {
  Kernels& users = nodes_[kernel].users;
  const auto found = absl::c_find(users, user);
  if (found == users.end()) return;
  *found = users.back();
  users.pop_back();
}

void FusionGraph::Mark(absl::Span<const uint32_t> kernels) const {
  ++mark_;
  for (const uint32_t kernel : kernels) marks_[kernel] = mark_;
}

void FusionGraph::AddUnmarked(absl::Span<const uint32_t> kernels, Kernels* list) const {
  for (const uint32_t kernel : kernels) {
    if (std::exchange(marks_[kernel], mark_) != mark_) list->push_back(kernel);
  }
}

void FusionGraph::SetOperands(uint32_t kernel, Kernels operands) {
  Mark(operands);
  for (const uint32_t operand : nodes_[kernel].operands) {
    if (marks_[operand] != mark_) RemoveUser(operand, kernel);
  }
  Mark(nodes_[kernel].operands);
  for (const uint32_t operand : operands) {
    if (marks_[operand] != mark_) nodes_[operand].users.push_back(kernel);
  }
  nodes_[kernel].operands = std::move(operands);
}

size_t FusionGraph::CountOperands(uint32_t a, uint32_t b) const {
  ++mark_;
  Kernels operands;
  for (const uint32_t kernel : {a, b}) AddUnmarked(nodes_[kernel].operands, &operands);
  return operands.size();
}

FusionGraph::Kernels FusionGraph::JoinedOperands(uint32_t kernel, uint32_t gone) const {
  const Node& node = nodes_[gone];
  Mark({kernel, gone});
  Kernels joined;
  joined.reserve(nodes_[kernel].operands.size() + node.operands.size());
  AddUnmarked(nodes_[kernel].operands, &joined);
  const bool is_expression = node.is_fusion && node.outputs.size() == 1;
  if (is_expression) {
    AddUnmarked(OperandsAsMerged(node.outputs[0]), &joined);
  } else {
    AddUnmarked(node.operands, &joined);
  }
  return joined;
}

void FusionGraph::Fuse(uint32_t producer, uint32_t consumer) {
  Node& node = nodes_[consumer];
  const Expression& added = nodes_[producer].outputs[0];
  const bool had_several = node.outputs[0].size() > 1;
  SetOperands(consumer, JoinedOperands(consumer, producer));
  node.outputs[0] = Fused(added, producer, std::move(node.outputs[0]));
  node.has_reduction |= nodes_[producer].has_reduction;
  node.is_triton |= nodes_[producer].is_triton;
  if (!had_several || node.is_triton || node.is_product) node.cost.reset();
  if (node.cost.has_value()) {
    AddToCost(added, producer, node.outputs[0], PlacesOf(node.operands), facts_, results_,
              &*node.cost);
  }
  BecomeFusion(&node);
}

void FusionGraph::BecomeFusion(Node* node) {
  if (!node->is_fusion) node->number = next_number_++;
  node->is_fusion = true;
}

void FusionGraph::FuseConstants() {
  for (uint32_t kernel = 0; kernel < size(); ++kernel) {
    if (!Is(kernel, Opcode::kConstant) || Result(kernel).elements != 1) continue;
    for (const uint32_t user : nodes_[kernel].users) {
      if (IsFusible(user)) BecomeFusion(&nodes_[user]);
    }
  }
}

void FusionGraph::FuseOutputs(uint32_t kept, uint32_t gone) {
  JoinPlaces(kept, gone);
  Node& node = nodes_[kept];
  Kernels operands = JoinedOperands(kept, gone);
  if (absl::c_linear_search(node.operands, gone)) {
    for (Expression& output : node.outputs) output = Fused(nodes_[gone].outputs[0], gone, output);
  }
  absl::c_copy(nodes_[gone].outputs, std::back_inserter(node.outputs));
  SetOperands(kept, std::move(operands));
  SetOperands(gone, {});
  for (const uint32_t user : std::exchange(nodes_[gone].users, {})) {
    if (user == kept) continue;
    for (uint32_t& operand : nodes_[user].operands) {
      if (operand == gone) operand = kept;
    }
    for (Expression& output : nodes_[user].outputs) ReplaceReads(&output, gone, kept);
    if (!absl::c_linear_search(node.users, user)) node.users.push_back(user);
    nodes_[user].cost.reset();
  }
  nodes_[gone].is_gone = true;
  node.is_root |= nodes_[gone].is_root;
  BecomeFusion(&node);
  node.cost.reset();
}

void FusionGraph::RemoveUnused(uint32_t kernel) {
  if (!nodes_[kernel].users.empty()) return;
  SetOperands(kernel, {});
  nodes_[kernel].is_gone = true;
}

std::vector<uint32_t> FusionGraph::ByNumber(absl::FunctionRef<bool(const Node&)> is_meant) const {
  std::vector<uint32_t> kernels;
  for (uint32_t k = 0; k < nodes_.size(); ++k) {
    if (!nodes_[k].is_gone && is_meant(nodes_[k])) kernels.push_back(k);
  }
  const auto is_before = [&](uint32_t a, uint32_t b) {
    return nodes_[a].number < nodes_[b].number;
  };
  if (!absl::c_is_sorted(kernels, is_before)) absl::c_sort(kernels, is_before);
  return kernels;
}

KernelGraph FusionGraph::ToKernelGraph() const {
  const std::vector<uint32_t> kernels = ByNumber([](const Node&) { return true; });
  std::vector<KernelId> places(nodes_.size());
  for (size_t k = 0; k < kernels.size(); ++k) places[kernels[k]] = static_cast<KernelId>(k);
  KernelGraph graph;
  for (const uint32_t kernel : kernels) {
    graph.instructions.push_back(results_[kernel]);
    graph.operands.emplace_back();
    for (const uint32_t operand : nodes_[kernel].operands) {
      graph.operands.back().push_back(places[operand]);
    }
  }
  return graph;
}

// As that of the kernel graph, which is not made for it.
std::vector<uint32_t> FusionGraph::PostOrder() const {
  constexpr uint32_t kDone = 0x80000000u;  // a kernel whose operands are through
  ++mark_;
  std::vector<uint32_t> order;
  order.reserve(nodes_.size());
  open_.clear();
  for (const uint32_t start : ByNumber([](const Node& node) { return node.users.empty(); })) {
    open_.push_back(start);
    while (!open_.empty()) {
      const uint32_t top = open_.back();
      if ((top & kDone) != 0 || std::exchange(marks_[top], mark_) == mark_) {
        if ((top & kDone) != 0) order.push_back(top & ~kDone);
        open_.pop_back();
        continue;
      }
      open_.back() |= kDone;
      const Kernels& operands = nodes_[top].operands;
      for (size_t k = operands.size(); k-- > 0;) {
        if (marks_[operands[k]] != mark_) open_.push_back(operands[k]);
      }
    }
  }
  return order;
}

}  // namespace tessera::target
