// The requirements of an opcode on its operands, attributes and shape once they are read. A table
// row an opcode; most need no check.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/module_parser.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;
using layout::ElementType;
using layout::Shape;

// Those that need one, and the check of each. A member, for the checks are the parser's own.
struct ModuleParser::OpcodeChecks {
  struct Row {
    Opcode opcode;
    OpcodeCheck check;
  };
  using P = ModuleParser;
  static constexpr Row kRows[] = {
      {Opcode::kAddDependency, &P::FixAddDependency},
      {Opcode::kAfterAll, &P::FixAfterAll},
      {Opcode::kAllReduce, &P::CheckGlobalIds},
      {Opcode::kAllReduceStart, &P::CheckGlobalIds},
      {Opcode::kAsyncDone, &P::CheckAsync},
      {Opcode::kAsyncStart, &P::CheckAsync},
      {Opcode::kAsyncUpdate, &P::CheckAsync},
      {Opcode::kBroadcast, &P::CheckBroadcast},
      {Opcode::kCollectivePermute, &P::CheckCollectivePermute},
      {Opcode::kCollectivePermuteStart, &P::CheckCollectivePermute},
      {Opcode::kConcatenate, &P::CheckOneDimension},
      {Opcode::kConditional, &P::CheckConditional},
      {Opcode::kCustomCall, &P::CheckCustomCall},
      {Opcode::kDot, &P::CheckTwoOperands},
      {Opcode::kDynamicReshape, &P::CheckDynamicReshape},
      {Opcode::kDynamicSlice, &P::CheckDynamicSlice},
      {Opcode::kDynamicUpdateSlice, &P::CheckDynamicSlice},
      {Opcode::kGetDimensionSize, &P::CheckOneDimension},
      {Opcode::kInfeed, &P::FixInfeed},
      {Opcode::kOutfeed, &P::FixOutfeed},
      {Opcode::kPartitionId, &P::CheckPartitionId},
      {Opcode::kRecv, &P::FixRecv},
      {Opcode::kRecvDone, &P::FixRecvDone},
      {Opcode::kReduce, &P::CheckEvenOperands},
      {Opcode::kReduceScatter, &P::CheckReduceScatter},
      {Opcode::kReduceWindow, &P::CheckEvenOperands},
      {Opcode::kReplicaId, &P::CheckPartitionId},
      {Opcode::kReshape, &P::CheckReshape},
      {Opcode::kRngBitGenerator, &P::CheckOneOperand},
      {Opcode::kScan, &P::CheckScan},
      {Opcode::kScatter, &P::CheckOddOperands},
      {Opcode::kSend, &P::FixSend},
      {Opcode::kSendDone, &P::FixSendDone},
      {Opcode::kSetDimensionSize, &P::CheckOneDimension},
      {Opcode::kSort, &P::CheckOneDimension},
      {Opcode::kTuple, &P::CheckTuple},
  };

  OpcodeCheck of[kNumOpcodes] = {};
  constexpr OpcodeChecks() {
    for (const Row& row : kRows) of[static_cast<int>(row.opcode)] = row.check;
  }
};

ModuleParser::OpcodeCheck ModuleParser::CheckOf(Opcode opcode) {
  static constexpr OpcodeChecks kChecks;
  return kChecks.of[static_cast<int>(opcode)];
}

bool ModuleParser::CheckOpcode(InstructionId id, const ParsedInstruction& d) {
  const OpcodeCheck check = CheckOf(d.opcode);
  if (check != nullptr && !(this->*check)(id, d)) return false;
  return !d.Has(A::kParameterReplication) || CheckReplication(id, d);
}

bool ModuleParser::CheckReplication(InstructionId id, const ParsedInstruction& d) {
  if (d.opcode != Opcode::kParameter)
    return in_.FailAfter("only parameters have parameter_replication");
  const size_t leaves = layout::NumLeaves(module_.shape(id));
  const absl::string_view text = *module_.FindAttribute(id, A::kParameterReplication);
  size_t entries = 0;
  for (char c : text) entries += c == 'u' || c == 'a';  // of true and false
  return entries == leaves ||
         in_.FailAfter(absl::StrCat("the parameter has ", leaves,
                                     " arrays, parameter_replication ", entries, " entries"));
}

bool ModuleParser::CheckConditionalIndex(const ParsedInstruction& d) {
  if (d.operands.empty())
    return in_.FailAfter("conditional needs an operand to choose the branch");
  const Shape& shape = module_.shape(d.operands[0]);
  const bool good =
      shape.is_array() && shape.rank() == 0 &&
      (shape.element_type() == ElementType::kPred || shape.element_type() == ElementType::kS32);
  return good || in_.FailAfter("the first operand of conditional is a scalar of pred or s32");
}

bool ModuleParser::CheckConditional(InstructionId, const ParsedInstruction& d) {
  return d.operands.size() == d.called.size() + 1 ||
         in_.FailAfter(absl::StrCat("conditional has ", d.called.size(), " branches and ",
                                     d.operands.size() - 1, " operands for them"));
}

bool ModuleParser::CheckOneDimension(InstructionId id, const ParsedInstruction&) {
  const auto dims = GetInts(module_, id, A::kDimensions);
  return (dims.has_value() && dims->size() == 1) ||
         in_.FailAfter("expected exactly one dimension");
}

bool ModuleParser::CheckEvenOperands(InstructionId, const ParsedInstruction& d) {
  const size_t n = d.operands.size();
  return (n % 2 == 0 && n != 0) ||
         in_.FailAfter(
             absl::StrCat("expected as many initial values as inputs, got ", n, " operands"));
}

bool ModuleParser::CheckOddOperands(InstructionId, const ParsedInstruction& d) {
  return d.operands.size() % 2 == 1 ||
         in_.FailAfter(absl::StrCat("expected n inputs, indices and n updates, got ",
                                     d.operands.size(), " operands"));
}

bool ModuleParser::CheckDynamicSlice(InstructionId, const ParsedInstruction& d) {
  const size_t fixed = d.opcode == Opcode::kDynamicSlice ? 1 : 2;
  const size_t n = d.operands.size();
  if (n < fixed) return in_.FailAfter(absl::StrCat("expected at least ", fixed, " operands"));
  const bool one_index = n == fixed + 1 && module_.shape(d.operands[fixed]).rank() == 1;
  const size_t rank = static_cast<size_t>(module_.shape(d.operands[0]).rank());
  return one_index || n == fixed + rank ||
         in_.FailAfter(absl::StrCat("expected ", rank, " start indices, got ", n - fixed));
}

bool ModuleParser::CheckReshape(InstructionId id, const ParsedInstruction& d) {
  const Shape& from = module_.shape(d.operands[0]);
  const Shape& to = module_.shape(id);
  if (!from.is_array() || !to.is_array()) return in_.FailAfter("reshape is for arrays");
  if (from.has_dynamic_dim() || to.has_dynamic_dim()) return true;
  return from.NumElements() == to.NumElements() ||
         in_.FailAfter(
             absl::StrCat("reshape keeps the number of elements: ", layout::ShapeToString(from),
                          " does not fit ", layout::ShapeToString(to)));
}

bool ModuleParser::CheckDynamicReshape(InstructionId id, const ParsedInstruction& d) {
  if (d.operands.empty()) return in_.FailAfter("dynamic-reshape needs an operand");
  if (static_cast<int64_t>(d.operands.size()) != module_.shape(id).rank() + 1) {
    return in_.FailAfter("dynamic-reshape needs one size operand a dimension");
  }
  return CheckReshape(id, d);
}

bool ModuleParser::CheckCollectivePermute(InstructionId id, const ParsedInstruction& d) {
  const auto pairs = GetIntLists(module_, id, A::kSourceTargetPairs);
  for (const IntList& pair : *pairs) {
    if (pair.size() != 2) return in_.FailAfter("source_target_pairs is a list of pairs");
  }
  if (!d.Has(A::kSliceSizes) || d.operands.size() == 4) return true;
  return in_.FailAfter("with slice_sizes a collective-permute has four operands");
}

bool ModuleParser::CheckGlobalIds(InstructionId id, const ParsedInstruction& d) {
  const bool global = GetBool(module_, id, A::kUseGlobalDeviceIds).value_or(false);
  return !global || d.Has(A::kChannelId) ||
         in_.FailAt(d.open, "use_global_device_ids=true needs a channel_id");
}

bool ModuleParser::CheckReduceScatter(InstructionId id, const ParsedInstruction& d) {
  return CheckGlobalIds(id, d) && CheckOneDimension(id, d);
}

bool ModuleParser::CheckCustomCall(InstructionId id, const ParsedInstruction& d) {
  if (GetWords(module_, id, A::kApiVersion) ==
      std::vector<absl::string_view>{"API_VERSION_UNSPECIFIED"}) {
    return in_.FailAfter("API_VERSION_UNSPECIFIED is not a valid api_version");
  }
  const auto text = module_.FindAttribute(id, A::kOperandLayoutConstraints);
  if (!text.has_value()) return true;
  module_.SetCalled(id, {});
  const auto constraints = GetShapes(module_, id, A::kOperandLayoutConstraints);
  if (!constraints.has_value() || constraints->size() != d.operands.size()) {
    return in_.FailAfter("expected one layout constraint an operand");
  }
  for (size_t i = 0; i < constraints->size(); ++i) {
    const Shape& operand = module_.shape(d.operands[i]);
    if (layout::Compatible((*constraints)[i], operand)) continue;
    return in_.FailAfter(
        absl::StrCat("the layout constraint ", layout::ShapeToString((*constraints)[i]),
                     " does not fit operand ", i, ", which is ", layout::ShapeToString(operand)));
  }
  return true;
}

bool ModuleParser::CheckBroadcast(InstructionId id, const ParsedInstruction& d) {
  return (module_.shape(d.operands[0]).is_array() && module_.shape(id).is_array()) ||
         !d.has_shape || in_.FailAfter("broadcast is for arrays");
}

bool ModuleParser::CheckTuple(InstructionId id, const ParsedInstruction& d) {
  if (!d.has_shape) return true;
  const Shape& shape = module_.shape(id);
  if (!shape.is_tuple()) return in_.FailAfter("the shape of a tuple stands in round brackets");
  if (shape.tuple_elements().size() == d.operands.size()) return true;
  return in_.FailAt(d.open,
                    absl::StrCat("the shape has ", shape.tuple_elements().size(),
                                 " elements, but there are ", d.operands.size(), " operands"));
}

bool ModuleParser::CheckTwoOperands(InstructionId, const ParsedInstruction& d) {
  return d.operands.size() == 2 || in_.FailAfter("expected two operands");
}

bool ModuleParser::CheckOneOperand(InstructionId, const ParsedInstruction& d) {
  return d.operands.size() == 1 || in_.FailAfter("expected one operand");
}

bool ModuleParser::CheckScan(InstructionId id, const ParsedInstruction& d) {
  if (!CheckOneDimension(id, d)) return false;
  const size_t parameters = module_.computation(d.called[0].second).parameters.size();
  if (parameters != d.operands.size()) {
    return in_.FailAfter(absl::StrCat("to_apply has ", parameters, " parameters, but there are ",
                                       d.operands.size(), " operands"));
  }
  const int64_t carries = GetInt(module_, id, A::kNumCarries).value_or(0);
  return (carries >= 0 && carries <= static_cast<int64_t>(d.operands.size())) ||
         in_.FailAfter(absl::StrCat(d.operands.size(), " operands hold no ", carries, " carries"));
}

bool ModuleParser::CheckPartitionId(InstructionId id, const ParsedInstruction& d) {
  const bool good =
      module_.shape(id).element_type() == ElementType::kU32 && module_.shape(id).rank() == 0;
  return !d.has_shape || good || in_.FailAfter("the result is u32[]");
}

}  // namespace tessera::hlo
