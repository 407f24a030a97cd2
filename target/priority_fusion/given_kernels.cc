// Kernels that XLA makes before it fuses by priority: products with what they read, and reductions of rows.
//
//   d = dot(convert(x), y)   ->  one kernel that reads y, then x
//
// What a product computes was measured on small modules of each operation, and on 835 products of whole steps
// in front of and behind triton-gemm-rewriter. Transposes in it, and what it computes of its result, are not
// modelled. Tested by priority_fusion_test.cc.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/fusion_graph.h"
#include "tessera/target/priority_fusion/triton/diamonds.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"

namespace tessera::target {

// Of a concatenate: along a dimension that is not contracted, in parts of whole tiles.
bool FusionGraph::IsOfWholeTiles(uint32_t concatenate) const {
  constexpr int64_t kTile = 64;
  const auto along =
      hlo::GetInts(program_.module(), instructions_[concatenate], hlo::AttributeName::kDimensions);
  if (!along.has_value() || along->empty()) return false;
  return absl::c_all_of(nodes_[concatenate].operands, [&](uint32_t operand) {
    return program_.shape(instructions_[operand]).dim((*along)[0]) % kTile == 0;
  });
}

bool FusionGraph::IsSpreadInput(uint32_t kernel) const {
  if (!Is(kernel, Opcode::kBroadcast)) return false;
  const uint32_t source = nodes_[kernel].operands[0];
  return Is(source, Opcode::kConstant) || Is(source, Opcode::kParameter);
}

// Arguments and constants that nothing else reads.
bool FusionGraph::ReadsOnlyOwnInputs(uint32_t kernel) const {
  const std::vector<uint32_t>& operands = nodes_[kernel].operands;
  const bool is_square = operands.size() == 2 && operands[0] == operands[1];
  return nodes_[kernel].users.size() == 1 && !is_square &&
         absl::c_all_of(operands, [&](uint32_t operand) {
           const bool is_input = Is(operand, Opcode::kParameter) || Is(operand, Opcode::kConstant);
           return is_input && nodes_[operand].users.size() == 1;
         });
}

// A product computes what it reads if that takes no more bytes than it gives. More of them are no loss if
// nothing else reads them, or if they are the copies of what is read once.
bool FusionGraph::IsWorthFusingIntoProduct(uint32_t kernel) const {
  constexpr double kTolerance = 1024;
  const std::vector<uint32_t>& operands = nodes_[kernel].operands;
  if (Is(kernel, Opcode::kConcatenate)) {
    return nodes_[kernel].users.size() == 1 && IsOfWholeTiles(kernel);
  }
  if (Is(kernel, Opcode::kBroadcast) || Is(kernel, Opcode::kConstant)) return true;
  if (!facts_[kernel].is_elementwise) return false;
  if (operands.size() == 2 &&
      absl::c_any_of(operands, [&](uint32_t operand) { return IsSpreadInput(operand); })) {
    return true;
  }
  double read = 0;
  for (const uint32_t operand : operands) read += facts_[operand].bytes;
  return read - facts_[kernel].bytes <= kTolerance || ReadsOnlyOwnInputs(kernel);
}

// The kernel behind bitcasts, and those in front of it.
std::vector<uint32_t> FusionGraph::BehindBitcasts(uint32_t kernel) const {
  std::vector<uint32_t> row = {kernel};
  while (Is(row.back(), Opcode::kBitcast)) row.push_back(nodes_[row.back()].operands[0]);
  return row;
}

// As triton-gemm-rewriter does, level by level from the product: what it reads unchanged comes first.
void FusionGraph::FuseOperandsOfProducts() {
  for (const uint32_t product : PostOrder()) {
    if (!Is(product, Opcode::kDot)) continue;
    std::vector<uint32_t> open = nodes_[product].operands;
    for (size_t k = 0; k < open.size(); ++k) {
      const std::vector<uint32_t> row = BehindBitcasts(open[k]);
      if (!IsWorthFusingIntoProduct(row.back())) continue;
      const std::vector<uint32_t> next = nodes_[row.back()].operands;
      for (const uint32_t producer : row) FuseIntoProduct(producer, product);
      for (const uint32_t operand : next) {
        if (!absl::c_linear_search(open, operand)) open.push_back(operand);
      }
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
