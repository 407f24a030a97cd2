// Kernels that XLA makes before it fuses by priority: products with what they compute besides
// (product_fusion.h decides), and reductions of rows.

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/priority_fusion/triton/diamonds.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"

namespace tessera::target {

// The product stays what it is: fusion does not look into it.
void FusionGraph::FuseIntoProduct(uint32_t producer, uint32_t product) {
  const uint32_t number = nodes_[product].number;
  Fuse(producer, product);
  nodes_[product].is_fusion = false;
  nodes_[product].number = number;
  RemoveUnused(producer);
}

void FusionGraph::FuseProductInto(uint32_t product, uint32_t user) {
  nodes_[product].is_fusion = true;  // XLA takes it apart, and so names its operands anew
  FuseIntoProduct(product, user);
  nodes_[user].is_product = true;
  nodes_[user].reshaped = nodes_[product].reshaped;
}

void FusionGraph::ReadReshaped(uint32_t product, uint32_t operand) {
  nodes_[product].reshaped.push_back(operand);
}

bool FusionGraph::IsBitcastOf(uint32_t user, uint32_t kernel) const {
  return Is(user, Opcode::kBitcast) || absl::c_linear_search(nodes_[user].reshaped, kernel);
}

void FusionGraph::ReadLast(uint32_t product, uint32_t operand) {
  Kernels& operands = nodes_[product].operands;
  operands.erase(std::remove(operands.begin(), operands.end(), operand), operands.end());
  operands.push_back(operand);
}

void FusionGraph::RenameOperands(uint32_t product) {
  const std::vector<uint32_t> merged = OperandsAsMerged(nodes_[product].outputs[0]);
  SetOperands(product, Kernels(merged.begin(), merged.end()));
}

void FusionGraph::FuseDiamonds() {
  std::vector<InstructionId> order;
  for (const uint32_t kernel : PostOrder()) order.push_back(instructions_[kernel]);
  const std::vector<Diamond> diamonds = FindDiamonds(program_, order);
  if (diamonds.empty()) return;
  absl::flat_hash_map<InstructionId, uint32_t> kernels;
  for (uint32_t k = 0; k < nodes_.size(); ++k) kernels.emplace(instructions_[k], k);
  for (const Diamond& diamond : diamonds) {
    const uint32_t root = kernels.at(diamond.root);
    for (const InstructionId id : diamond.inner) {
      Fuse(kernels.at(id), root);
      RemoveUnused(kernels.at(id));
    }
    nodes_[root].is_triton = true;
    has_triton_ = true;
  }
}

absl::string_view FusionGraph::DimensionsOf(uint32_t op) const {
  return program_.module()
      .FindAttribute(instructions_[op], hlo::AttributeName::kDimensions)
      .value_or("");
}

bool FusionGraph::HasTritonCode(uint32_t kernel) const {
  const Node& node = nodes_[kernel];
  return node.is_triton || absl::c_all_of(node.outputs[0], [&](const FusedOp& op) {
           return target::HasTritonCode(program_, instructions_[op.op]);
         });
}

std::optional<double> FusionGraph::TritonTicksFused(uint32_t producer, uint32_t consumer) {
  if (!HasTritonCode(producer) || !HasTritonCode(consumer)) return std::nullopt;
  return TritonTicks(instructions_, facts_,
                     Fused(nodes_[producer].outputs[0], producer, nodes_[consumer].outputs[0]),
                     &tiles_);
}

}  // namespace tessera::target
