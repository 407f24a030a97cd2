// How many operands an opcode takes and of which kinds. This is checked first of an instruction,
// since every other check, and all code after the verifier, reads its operands.
//
// Most opcodes take the number of arrays that opcode.h fixes and give an array; only the others
// have a rules.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using layout::Shape;
using layout::ShapeKind;

namespace {

using Kinds = uint8_t;  // a bit for each layout::ShapeKind

constexpr Kinds BitOf(ShapeKind kind) {
  return static_cast<Kinds>(1u << static_cast<unsigned>(kind));
}

constexpr Kinds kArray = BitOf(ShapeKind::kArray);
constexpr Kinds kTuple = BitOf(ShapeKind::kTuple);
constexpr Kinds kToken = BitOf(ShapeKind::kToken);
constexpr Kinds kArrayOrTuple = kArray | kTuple;
constexpr Kinds kAny = 0xff;

struct OperandRules {
  int min_operands = 0;
  Kinds first = kArray;   // of operand 0
  Kinds others = kArray;  // of the other operands
  Kinds result = kArray;
};

constexpr OpcodeTable<OperandRules> kOperandRules({
    {Opcode::kAddDependency, {2, kAny, kToken, kAny}},
    {Opcode::kAfterAll, {0, kToken, kToken, kToken}},
    {Opcode::kAllGather, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kAllGatherDone, {1, kTuple, kTuple, kArrayOrTuple}},
    {Opcode::kAllGatherStart, {1, kArray, kArray, kTuple}},
    {Opcode::kAllReduce, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kAllReduceDone, {1, kArrayOrTuple, kArrayOrTuple, kArrayOrTuple}},
    {Opcode::kAllReduceStart, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kAllToAll, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kAsyncDone, {1, kTuple, kAny, kAny}},
    {Opcode::kAsyncStart, {0, kAny, kAny, kTuple}},
    {Opcode::kAsyncUpdate, {1, kTuple, kAny, kTuple}},
    {Opcode::kBatchNormGrad, {5, kArray, kArray, kTuple}},
    {Opcode::kBatchNormTraining, {3, kArray, kArray, kTuple}},
    {Opcode::kBitcast, {1, kArray, kArray, kArray}},
    {Opcode::kCall, {0, kAny, kAny, kAny}},
    {Opcode::kCollectiveBroadcast, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kCollectivePermute, {1, kArrayOrTuple, kArrayOrTuple, kArrayOrTuple}},
    {Opcode::kCollectivePermuteDone, {1, kTuple, kTuple, kArrayOrTuple}},
    {Opcode::kCollectivePermuteStart, {1, kArrayOrTuple, kArrayOrTuple, kTuple}},
    {Opcode::kConcatenate, {1, kArray, kArray, kArray}},
    {Opcode::kConditional, {1, kArray, kAny, kAny}},
    {Opcode::kConstant, {0, kArray, kArray, kArrayOrTuple}},
    {Opcode::kCopy, {1, kAny, kAny, kAny}},
    {Opcode::kCopyDone, {1, kTuple, kTuple, kAny}},
    {Opcode::kCopyStart, {1, kAny, kAny, kTuple}},
    {Opcode::kCustomCall, {0, kAny, kAny, kAny}},
    {Opcode::kDomain, {1, kAny, kAny, kAny}},
    {Opcode::kDot, {2, kArray, kArray, kArray}},
    {Opcode::kDynamicReshape, {1, kArray, kArray, kArray}},
    {Opcode::kDynamicSlice, {1, kArray, kArray, kArray}},
    {Opcode::kDynamicUpdateSlice, {2, kArray, kArray, kArray}},
    {Opcode::kFusion, {0, kAny, kAny, kAny}},
    {Opcode::kGetTupleElement, {1, kTuple, kTuple, kAny}},
    {Opcode::kInfeed, {1, kToken, kToken, kTuple}},
    {Opcode::kMap, {1, kArray, kArray, kArray}},
    {Opcode::kOptBarrier, {1, kAny, kAny, kAny}},
    {Opcode::kOutfeed, {2, kAny, kToken, kToken}},
    {Opcode::kParameter, {0, kAny, kAny, kAny}},
    {Opcode::kRaggedAllToAll, {6, kArray, kArray, kArrayOrTuple}},
    {Opcode::kRecv, {1, kToken, kToken, kTuple}},
    {Opcode::kRecvDone, {1, kTuple, kTuple, kTuple}},
    {Opcode::kReduce, {2, kArray, kArray, kArrayOrTuple}},
    {Opcode::kReduceScatter, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kReduceWindow, {2, kArray, kArray, kArrayOrTuple}},
    {Opcode::kRng, {2, kArray, kArray, kArray}},
    {Opcode::kRngBitGenerator, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kScan, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kScatter, {3, kArray, kArray, kArrayOrTuple}},
    {Opcode::kSend, {2, kAny, kToken, kTuple}},
    {Opcode::kSendDone, {1, kTuple, kTuple, kToken}},
    {Opcode::kSort, {1, kArray, kArray, kArrayOrTuple}},
    {Opcode::kTopk, {1, kArray, kArray, kTuple}},
    {Opcode::kTuple, {0, kAny, kAny, kTuple}},
    {Opcode::kWhile, {1, kAny, kAny, kAny}},
});

absl::Status WrongNumber(absl::string_view takes, int wanted, size_t count) {
  return Mismatch(takes, wanted, " operands, got ", count);
}

absl::Status WrongKind(const Shape& shape, Kinds kinds, absl::string_view what) {
  std::vector<absl::string_view> names;
  if (kinds & kArray) names.push_back("an array");
  if (kinds & kTuple) names.push_back("a tuple");
  if (kinds & kToken) names.push_back("a token");
  return Mismatch(what, " is ", layout::ShapeToString(shape, layout::kNoLayout), " but should be ",
                  absl::StrJoin(names, " or "));
}

}  // namespace

absl::Status CheckOperands(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  const OperandRules& rules = kOperandRules[opcode];
  const auto operands = module.operands(id);
  const int fixed = GetOpcodeInfo(opcode).operand_count;
  if (fixed != kVariadicOperands && operands.size() != static_cast<size_t>(fixed)) {
    return WrongNumber("takes ", fixed, operands.size());
  }
  if (operands.size() < static_cast<size_t>(rules.min_operands)) {
    return WrongNumber("takes at least ", rules.min_operands, operands.size());
  }
  Kinds kinds = rules.first;
  for (const InstructionId& operand : operands) {
    const Shape& shape = module.shape(operand);
    if ((BitOf(shape.kind()) & kinds) == 0) {
      return WrongKind(shape, kinds, absl::StrCat("operand ", &operand - operands.data()));
    }
    kinds = rules.others;
  }
  const Shape& result = module.shape(id);
  if ((BitOf(result.kind()) & rules.result) != 0) return absl::OkStatus();
  return WrongKind(result, rules.result, "the result");
}

}  // namespace tessera::hlo
