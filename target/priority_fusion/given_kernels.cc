// Kernels that XLA makes before it fuses by priority: products with what they read, and reductions of rows.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/fusion_graph.h"
#include "tessera/target/priority_fusion/triton/diamonds.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"

namespace tessera::target {

// As triton-gemm-rewriter does with those along a dimension that is not contracted, in parts of whole tiles.
void FusionGraph::FuseConcatenates() {
  constexpr int64_t kTile = 64;
  const auto is_whole = [&](uint32_t concatenate) {
    const auto along = hlo::GetInts(program_.module(), instructions_[concatenate],
                                    hlo::AttributeName::kDimensions);
    if (!along.has_value() || along->empty()) return false;
    return absl::c_all_of(nodes_[concatenate].operands, [&](uint32_t operand) {
      return program_.shape(instructions_[operand]).dim((*along)[0]) % kTile == 0;
    });
  };
  for (uint32_t product = 0; product < nodes_.size(); ++product) {
    if (!Is(product, Opcode::kDot)) continue;
    for (const uint32_t operand : std::vector<uint32_t>(nodes_[product].operands)) {
      std::vector<uint32_t> row = {operand};
      while (Is(row.back(), Opcode::kBitcast) && nodes_[row.back()].users.size() == 1) {
        row.push_back(nodes_[row.back()].operands[0]);
      }
      if (!Is(row.back(), Opcode::kConcatenate) || nodes_[row.back()].users.size() != 1) continue;
      if (!is_whole(row.back())) continue;
      for (const uint32_t producer : row) FuseIntoProduct(producer, product);
    }
  }
}

// The product stays what it is: fusion does not look into it.
void FusionGraph::FuseIntoProduct(uint32_t producer, uint32_t product) {
  const uint32_t number = nodes_[product].number;
  Fuse(producer, product);
  nodes_[product].is_fusion = false;
  nodes_[product].number = number;
  RemoveUnused(producer);
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

std::optional<double> FusionGraph::TritonSecondsFused(uint32_t producer, uint32_t consumer) const {
  if (!HasTritonCode(producer) || !HasTritonCode(consumer)) return std::nullopt;
  return TritonSeconds(program_, instructions_, facts_,
                       Fused(nodes_[producer].outputs[0], producer, nodes_[consumer].outputs[0]));
}

}  // namespace tessera::target
