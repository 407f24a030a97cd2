#include "tessera/sharding/passes/propagate/hlo_view.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

bool IsHlo(const Op* op, Opcode opcode) {
  return op != nullptr && op->kind == OpKind::kHlo && OpcodeOf(*op) == opcode;
}

rules::JoinedOperand JoinedOperandOf(const Value* value) {
  const bool is_slice = IsHlo(value->def(), Opcode::kSlice);
  return {is_slice, is_slice ? value->def()->operand(0) : value};
}

void SetJoined(const Op& op, rules::Neighbours* neighbours) {
  std::vector<rules::JoinedOperand> operands;
  for (const Use& use : op.operands) operands.push_back(JoinedOperandOf(use.value()));
  neighbours->joins_slices = !operands.empty() && rules::JoinsSlices(operands);
  neighbours->joins_one_value = !operands.empty() && rules::JoinsOneValue(operands);
}

bool HasConstantIndices(const Op& op) {
  const size_t first = std::min<size_t>(2, op.operands.size());
  return std::all_of(op.operands.begin() + first, op.operands.end(), [](const Use& use) {
    return use.value()->def() != nullptr && use.value()->def()->kind == OpKind::kConstant;
  });
}

bool FeedsRng(const Op& op) {
  for (const Use* use = op.result()->first_use(); use != nullptr; use = use->next()) {
    if (IsHlo(use->user(), Opcode::kRngBitGenerator)) return true;
  }
  return false;
}

// The dimensions of the transpose that sorts the broadcast's dimensions, or the sorted ones.
hlo::IntList SortedBroadcastDimensions(const hlo::Module& module, const Op& op) {
  hlo::IntList dims =
      hlo::GetInts(module, op.source, hlo::AttributeName::kDimensions).value_or(hlo::IntList());
  if (op.part == OpPart::kSortedBroadcast) {
    std::sort(dims.begin(), dims.end());
    return dims;
  }
  hlo::IntList order;
  for (size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return dims[static_cast<size_t>(a)] < dims[static_cast<size_t>(b)];
  });
  return order;
}

bool HasOwnDimensions(OpPart part) {
  return part == OpPart::kSplatBroadcast || part == OpPart::kPredZeros ||
         part == OpPart::kSortTranspose || part == OpPart::kSortedBroadcast;
}

}  // namespace

Opcode OpcodeOf(const Op& op) {
  switch (op.part) {
    case OpPart::kSplatBroadcast:
    case OpPart::kPredZeros:
    case OpPart::kSortedBroadcast:
      return Opcode::kBroadcast;
    case OpPart::kSortTranspose:
      return Opcode::kTranspose;
    case OpPart::kWiden:
      return Opcode::kConvert;
    case OpPart::kSplatScalar:
    case OpPart::kPredZero:
      return Opcode::kConstant;
    default:
      break;
  }
  const bool to_pred = op.opcode == Opcode::kConvert && op.num_operands() == 2;
  return to_pred ? Opcode::kCompare : op.opcode;
}

HloView::HloView(const HloProgram& program, const Op& op) {
  const hlo::Module& module = program.module();
  for (const Use& use : op.operands) operands_.push_back(&use.value()->shape());
  for (const Value& result : op.results) results_.push_back(&result.shape());
  view_.opcode = OpcodeOf(op);
  view_.module = &module;
  view_.instruction = op.source;
  view_.operands = operands_;
  view_.results = results_;
  view_.takes_attached_rule = op.part == OpPart::kWhole || op.part == OpPart::kSortedBroadcast;
  if (HasOwnDimensions(op.part)) {
    const bool sorts = op.part == OpPart::kSortTranspose || op.part == OpPart::kSortedBroadcast;
    if (sorts) dimensions_ = SortedBroadcastDimensions(module, op);
    view_.dimensions = &dimensions_;
  }
  if (rules::AsksForSlices(view_.opcode)) SetJoined(op, &view_.neighbours);
  if (rules::AsksForConstantIndices(view_.opcode)) {
    view_.neighbours.constant_indices = HasConstantIndices(op);
  }
  if (view_.opcode == Opcode::kCustomCall && !op.results.empty() &&
      rules::AsksForRng(view_.opcode, hlo::GetCustomCallTarget(module, op.source))) {
    view_.neighbours.feeds_rng = FeedsRng(op);
  }
}

namespace {

// Most opcodes decide alone.
bool DecidesAlone(Opcode opcode) {
  return opcode != Opcode::kBitcastConvert && opcode != Opcode::kCustomCall;
}

using TraitsTable = std::array<OpTraits, hlo::kNumOpcodes>;

TraitsTable MakeTraits() {
  TraitsTable table;
  for (size_t i = 0; i < table.size(); ++i) {
    rules::OpView view;
    view.opcode = static_cast<Opcode>(i);
    if (DecidesAlone(view.opcode)) table[i] = rules::TraitsOf(view);
  }
  return table;
}

OpTraits TraitsOfHlo(const HloProgram& program, const Op& op) {
  static const TraitsTable& table = *new TraitsTable(MakeTraits());
  const Opcode opcode = OpcodeOf(op);
  if (DecidesAlone(opcode)) return table[static_cast<size_t>(opcode)];
  return rules::TraitsOf(HloView(program, op).get());
}

}  // namespace

OpTraits TraitsOf(const HloProgram& program, const Op& op) {
  switch (op.kind) {
    case OpKind::kConstraint:
    case OpKind::kPropagationBarrier:
    case OpKind::kReshard:
      return {true, rules::OpPriorityClass::kPassThrough};
    case OpKind::kHlo:
      return TraitsOfHlo(program, op);
    default:
      return {};
  }
}

bool PreservesConstants(const HloProgram& program, const Op& op) {
  if (op.kind == OpKind::kPropagationBarrier) return true;
  if (op.kind != OpKind::kHlo || !op.pure) return false;
  const Opcode opcode = OpcodeOf(op);
  return opcode == Opcode::kBroadcast || opcode == Opcode::kReshape || opcode == Opcode::kSlice ||
         TraitsOf(program, op).element_wise;
}

}  // namespace tessera::sharding::passes
