// The start of layout assignment: orders that must be so (layout_constraints.h).
//
//   d = f32[4,8,8] dot(x: f32[4,8,16], y), lhs_batch_dims={0}, ..    // row-major operands and result
//   g = f32[32,8] all-gather(x), dimensions={0}                      // dimension 0 is the most major one
//
// Borders first, then instructions, the last one first, as in XLA: a product with a batch takes the order
// that a reader wants of it. Cost: linear. Tested by layout_constraints_test.cc.

#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/gpu/layouts/order_rules.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using layout::ElementType;

Order RowsOf(const DotSide& side) {
  Order order = side.batch;
  order.insert(order.end(), side.free.begin(), side.free.end());
  order.insert(order.end(), side.contracting.begin(), side.contracting.end());
  return order;
}

// XLA asks nothing of f8e5m2, the type of gradients.
bool IsShortFloat(ElementType type) {
  return type == ElementType::kF8e4m3fn || type == ElementType::kF8e5m2fnuz;
}

// The order of an array of a convolution: images have features as the minor dimension, volumes as the second
// one.
Order Around(int64_t major, const hlo::IntList& spatial, int64_t minor) {
  Order order = {major};
  const bool is_volume = spatial.size() > 2;
  if (is_volume) order.push_back(minor);
  order.insert(order.end(), spatial.begin(), spatial.end());
  if (!is_volume) order.push_back(minor);
  return order;
}

}  // namespace

void LayoutConstraints::AddWanted(ComputationId c) {
  if (c == program_.module().entry_id()) {
    AddArguments(c);
    Add({Added::Kind::kResults, {}, {}, kMust});
  }
  const std::vector<InstructionId>& order = program_.PostOrder(c);
  for (auto it = order.rbegin(); it != order.rend(); ++it) AddOfInstruction(*it);
}

void LayoutConstraints::SetRows(const BufferId& buffer, Force force) {
  const layout::Shape& shape = buffers_.ShapeOf(buffer);
  if (shape.is_array()) SetBuffer(buffer, DefaultOrder(shape.dims().size()), force);
}

// Rows.
void LayoutConstraints::AddArguments(ComputationId c) {
  for (const InstructionId p : program_.module().computation(c).parameters) {
    for (size_t leaf = 0; leaf < LeavesOf(program_.shape(p)); ++leaf) {
      SetRows({p, static_cast<int64_t>(leaf)}, kMust);
    }
  }
}

// Results of the entry lie in rows, if nothing else decides.
void LayoutConstraints::SetResults() {
  for (const BufferId& buffer :
       SourcesOf(program_.module().computation(program_.module().entry_id()).root)) {
    SetRows(buffer, kMay);
  }
}

// A product of 8-bit integers reads both sides along what it contracts; one of 8-bit floats only before Blackwell.
bool LayoutConstraints::WantsRows(InstructionId dot) const {
  constexpr int kBlackwell = 100;
  const auto type = [&](size_t k) {
    return program_.shape(program_.operand(dot, k)).element_type();
  };
  if (IsShortFloat(type(0)) && IsShortFloat(type(1))) return compute_capability_ < kBlackwell;
  return program_.shape(dot).element_type() == ElementType::kS32 && type(0) == ElementType::kS8 &&
         type(1) == ElementType::kS8;
}

void LayoutConstraints::AddOfDot(InstructionId id) {
  const DotParts parts = PartsOf(program_, id);
  const bool wants_rows = WantsRows(id);
  for (size_t k = 0; k < 2; ++k) {
    const DotSide& side = k == 0 ? parts.left : parts.right;
    const auto sizes = program_.shape(program_.operand(id, k)).dims();
    if (wants_rows) {
      SetOperand({id, k}, RowsOf(side), kMust);
    } else if (!side.batch.empty()) {
      SetOperand({id, k}, DefaultOrder(sizes.size()), kMust);
    }
  }
  if (!parts.left.batch.empty()) AddOfBatchedProduct(id);
}

// Its result lies as a reader wants it.
void LayoutConstraints::AddOfBatchedProduct(InstructionId id) {
  for (const OperandId& use : buffers_.UsesOf({id, 0})) {
    if (const Order* const preference = PreferenceOf(use); preference != nullptr)
      return SetBuffer({id, 0}, *preference, kMust);
  }
  SetBuffer({id, 0}, DefaultOrder(program_.shape(id).dims().size()), kMust);
}

// A product that only a transpose reads is made so that the transpose is free.
void LayoutConstraints::AddOfTranspose(InstructionId id) {
  const InstructionId dot = program_.operand(id, 0);
  if (program_.opcode(dot) != Opcode::kDot || program_.OnlyUser(dot) == kNoId) return;
  const IntList order = DimensionsOf(program_, id);
  const size_t batch = PartsOf(program_, dot).left.batch.size();
  for (size_t k = 0; k < batch; ++k) {
    if (order[k] != static_cast<int64_t>(k)) return;
  }
  SetOperand({id, 0}, Renumbered(DefaultOrder(program_.shape(id).dims().size()), order), kMust);
}

// Its result, and its operands of the same rank.
void LayoutConstraints::SetInstruction(InstructionId id, const Order& order) {
  SetBuffer({id, 0}, order, kMust);
  for (size_t k = 0; HasOneOrder(program_, id) && k < program_.operands(id).size(); ++k) {
    const layout::Shape& operand = program_.shape(program_.operand(id, k));
    if (operand.is_array() && operand.dims().size() == order.size())
      SetOperand({id, k}, order, kMust);
  }
}

// A collective over a dimension has it in front.
void LayoutConstraints::AddOfCollective(InstructionId id) {
  const layout::Shape& shape = program_.shape(id);
  if (!shape.is_array()) return;
  SetInstruction(id, WithMajor(CollectiveDimension(program_, id), shape.dims().size()));
}

// It reads and makes rows.
void LayoutConstraints::AddRows(InstructionId id) {
  for (size_t k = 0; k < program_.operands(id).size(); ++k) {
    const layout::Shape& operand = program_.shape(program_.operand(id, k));
    if (operand.is_array()) SetOperand({id, k}, DefaultOrder(operand.dims().size()), kMust);
  }
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    SetRows({id, static_cast<int64_t>(leaf)}, kMust);
  }
}

// It reads and makes columns.
void LayoutConstraints::AddOfTriangularSolve(InstructionId id) {
  Order order = DefaultOrder(program_.shape(id).dims().size());
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  SetInstruction(id, order);
}

// As cuDNN has it; filters as the forward convolution reads them.
void LayoutConstraints::AddOfConvolution(InstructionId id) {
  const auto found = hlo::GetConvolutionDimensions(program_.module(), id);
  if (!found.has_value()) return;
  hlo::ConvolutionDimensions d = *found;
  const ConvolutionKind kind = ConvolutionKindOf(program_, id);
  if (kind != ConvolutionKind::kForward) std::swap(d.kernel_output_feature, d.kernel_input_feature);
  if (kind == ConvolutionKind::kBackwardFilter) {
    std::swap(d.input_batch, d.input_feature);
    std::swap(d.output_batch, d.output_feature);
  }
  const Order result = Around(d.output_batch, d.output_spatial, d.output_feature);
  SetBuffer({id, 0}, result, kMust);
  SetOperand({id, 0}, Around(d.input_batch, d.input_spatial, d.input_feature), kMust);
  SetOperand({id, 1}, Around(d.kernel_output_feature, d.kernel_spatial, d.kernel_input_feature),
             kMust);
  constexpr size_t kSide = 3;  // what it adds
  if (program_.operands(id).size() > kSide) SetOperand({id, kSide}, result, kMust);
}

void LayoutConstraints::AddOfInstruction(InstructionId id) {
  switch (program_.opcode(id)) {
    case Opcode::kDot:
      return AddOfDot(id);
    case Opcode::kTranspose:
      return AddOfTranspose(id);
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
      return AddOfCollective(id);
    case Opcode::kSort:
    case Opcode::kFft:
      return AddRows(id);
    case Opcode::kConvolution:
      return AddOfConvolution(id);
    case Opcode::kTriangularSolve:
      return AddOfTriangularSolve(id);
    case Opcode::kBitcastConvert:
      if (program_.shape(id).rank() != program_.shape(program_.operand(id, 0)).rank()) AddRows(id);
      return;
    case Opcode::kCustomCall:  // one that says the layouts of its operands has rows
      if (program_.module().HasAttribute(id, hlo::AttributeName::kOperandLayoutConstraints))
        AddRows(id);
      return;
    default:
      return;
  }
}

}  // namespace tessera::target
