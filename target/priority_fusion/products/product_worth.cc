// Operations that can be a part of a product, and those that are worth it.

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/products/product_fusion.h"

namespace tessera::target {
namespace {

constexpr Opcode kMoves[] = {Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kConstant,
                             Opcode::kIota,      Opcode::kSlice,       Opcode::kTranspose};

}  // namespace

// Triton's are of whole tiles.
bool ProductOperands::IsOfWholeTiles(uint32_t concatenate) const {
  constexpr int64_t kWhole = 64;
  const hlo::IntList along = DimensionsOf(concatenate);
  return !along.empty() && absl::c_all_of(graph_.node(concatenate).operands, [&](uint32_t operand) {
    return graph_.ShapeOf(operand).dim(along[0]) % kWhole == 0;
  });
}

bool ProductOperands::IsInReach(uint32_t kernel) const {
  const FusionGraph::Node& node = graph_.node(kernel);
  if (node.is_product || node.is_fusion) return false;
  if (graph_.Is(kernel, Opcode::kConcatenate)) return IsOfWholeTiles(kernel);
  const OpFacts& facts = graph_.facts()[kernel];
  return facts.is_elementwise || absl::c_linear_search(kMoves, facts.opcode);
}

// The broadcast of a constant or of an argument of the computation.
bool ProductOperands::IsSpreadInput(uint32_t kernel) const {
  if (!graph_.Is(kernel, Opcode::kBroadcast)) return false;
  const uint32_t source = graph_.node(kernel).operands[0];
  return graph_.Is(source, Opcode::kConstant) || graph_.Is(source, Opcode::kParameter);
}

// Arguments and constants that nothing else reads.
bool ProductOperands::ReadsOnlyOwnInputs(uint32_t kernel) const {
  const FusionGraph::Kernels& operands = graph_.node(kernel).operands;
  const bool is_square = operands.size() == 2 && operands[0] == operands[1];
  return graph_.node(kernel).users.size() == 1 && !is_square &&
         absl::c_all_of(operands, [&](uint32_t operand) {
           const bool is_input =
               graph_.Is(operand, Opcode::kParameter) || graph_.Is(operand, Opcode::kConstant);
           return is_input && graph_.node(operand).users.size() == 1;
         });
}

// It takes no more bytes than it gives. More of them are no loss if nothing else reads them, or if they are the
// copies of what is read once.
bool ProductOperands::IsWorthAsOperand(uint32_t kernel) const {
  constexpr double kTolerance = 1024;
  const FusionGraph::Kernels& operands = graph_.node(kernel).operands;
  const OpFacts& facts = graph_.facts()[kernel];
  if (!facts.is_elementwise) return facts.opcode != Opcode::kSlice;
  if (operands.size() == 2 &&
      absl::c_any_of(operands, [&](uint32_t operand) { return IsSpreadInput(operand); })) {
    return true;
  }
  double read = 0;
  for (const uint32_t operand : operands) read += graph_.facts()[operand].bytes;
  return read - facts.bytes <= kTolerance || ReadsOnlyOwnInputs(kernel);
}

}  // namespace tessera::target
