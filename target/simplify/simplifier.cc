#include "tessera/target/simplify/simplifier.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/simplify/conditionals.h"
#include "tessera/target/simplify/reshape_mover.h"
#include "tessera/target/simplify/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

namespace {

using hlo::AttributeName;

constexpr Rule kRules[] = {
    {Opcode::kDot, FoldWideningIntoOperands, Platform::kTpu},
    {Opcode::kConvolution, FoldWideningIntoOperands, Platform::kTpu},
    {Opcode::kConvolution, SwapOperandsOfConvolution, Platform::kTpu},
    {Opcode::kConvolution, SwapOperandsOfImage, Platform::kGpu},
    {Opcode::kDot, MultiplyInPlaceOfDot},
    {Opcode::kDot, MultiplyAndSum, Platform::kTpu},
    {Opcode::kDot, RemoveOnesOfDot},
    {Opcode::kDot, FoldTransposesIntoDot, Platform::kTpu},
    {Opcode::kReduce, MergeReduces},
    {Opcode::kReduce, ReduceBeforeBroadcast},
    {Opcode::kReduce, ReduceBeforeReshape},
    {Opcode::kReduce, ReduceBeforeConcatenate, Platform::kTpu},
    {Opcode::kReduce, ReduceKeptDimensionsFirst, Platform::kTpu},
    {Opcode::kReduce, ReduceBeforeWidening, Platform::kTpu},
    {Opcode::kReduce, TakeBesidePlace},
    {Opcode::kReduce, ReshapeInPlaceOfReduce},
    {Opcode::kReduce, ReshapeInPlaceOfAnyOrAll, Platform::kGpu},
    {Opcode::kReduce, NegateSum},
    {Opcode::kReduce, ReduceOnesToo, Platform::kTpu},
    {Opcode::kScatter, ChooseInPlaceOfScatter, Platform::kTpu},
    {Opcode::kScatter, UpdateInPlaceOfScatter},
    {Opcode::kAdd, CalculateNumber},
    {Opcode::kSubtract, CalculateNumber},
    {Opcode::kMultiply, CalculateNumber},
    {Opcode::kCompare, CompareNumbers},
    {Opcode::kConvert, ConvertNumber},
    {Opcode::kSubtract, MergeDifferences},
    {Opcode::kMaximum, LeaveOutLowest},
    {Opcode::kMaximum, ClampBetweenConstants},
    {Opcode::kMinimum, ClampBetweenConstants},
    {Opcode::kDivide, MultiplyByReciprocal},
    {Opcode::kDivide, DivideOnce},
    {Opcode::kCompare, CompareIota},
    {Opcode::kSelect, ChooseKnown},
    {Opcode::kMultiply, ChooseInPlaceOfProduct},
    {Opcode::kAdd, AddBeforeScatter},
    {Opcode::kAdd, AddInPlaceOfUpdate},
    {Opcode::kAdd, MultiplySum},
    {Opcode::kBroadcast, SimplifyBroadcast},
    {Opcode::kConvert, SumWithoutWidening, Platform::kTpu},
    {Opcode::kReshape, SimplifyReshape},
    {Opcode::kReshape, RearrangeLeaves, Platform::kTpu},
    {Opcode::kReshape, ReshapeOperandsOfDot, Platform::kTpu},
    {Opcode::kTranspose, ExchangeTransposedDot, Platform::kGpu},
    {Opcode::kTranspose, FoldDotIntoTranspose, Platform::kTpu},
    {Opcode::kTranspose, TransposeBeforeAllReduce, Platform::kTpu},
    {Opcode::kTranspose, SimplifyRearranged},
    {Opcode::kTranspose, MergeTransposes},
    {Opcode::kTranspose, RearrangeLeaves, Platform::kTpu},
    {Opcode::kDynamicSlice, SliceAtConstants},
    {Opcode::kDynamicSlice, RepeatLess},
    {Opcode::kSlice, SimplifyRearranged},
    {Opcode::kSlice, StepOnce},
    {Opcode::kSlice, SliceOnce},
    {Opcode::kSlice, SliceBeforeConcatenate},
    {Opcode::kSlice, SliceBesideUpdate},
    {Opcode::kSlice, SliceBeforeBroadcast},
    {Opcode::kSlice, SliceBeforePad},
    {Opcode::kSlice, SliceBeforeReshape},
    {Opcode::kReverse, SimplifyRearranged},
    {Opcode::kTopk, CallTopK, Platform::kGpu},
    {Opcode::kTopk, SortLargest, Platform::kTpu},
    {Opcode::kTopk, CallTopK, Platform::kTpu},
    {Opcode::kSort, SortWithPlaces, Platform::kTpu},
    {Opcode::kReduceWindow, SumInRows, Platform::kTpu},
    {Opcode::kPad, SliceInPlaceOfCut},
    {Opcode::kPad, RemoveInteriorPadding, Platform::kGpu},
    {Opcode::kPad, RemoveInteriorPaddingOfComputed, Platform::kTpu},
    {Opcode::kConcatenate, JoinSlices},
    {Opcode::kConcatenate, PadInPlaceOfConcatenate},
};

constexpr Rule kRulesOfFirstRound[] = {
    {Opcode::kReshape, RearrangeToResults, Platform::kTpu},
    {Opcode::kTranspose, RearrangeToResults, Platform::kTpu},
};

// Again after the partitioner, where equal constants are one, and where it has made new reductions.
constexpr Rule kRulesAfterPartitioner[] = {
    {Opcode::kSelect, ChooseEqual, Platform::kGpu},
    {Opcode::kSubtract, SubtractNumbers, Platform::kGpu},
    {Opcode::kDot, MultiplyAndSumVectors, Platform::kGpu},
    {Opcode::kDynamicSlice, SliceBeforeTranspose, Platform::kGpu},
    {Opcode::kSlice, SliceBeforeConcatenate, Platform::kTpu},
    {Opcode::kSlice, SliceBeforeReshape},
    {Opcode::kTranspose, MergeTransposes},
    {Opcode::kAdd, LeaveOutZeros},
    {Opcode::kAdd, MultiplySum},
    {Opcode::kReduce, ReduceBeforeReshape},
    {Opcode::kReduce, ReshapeInPlaceOfReduce},
    {Opcode::kReduce, ReshapeInPlaceOfAnyOrAll},
    {Opcode::kReshape, SimplifyReshape},
};

// Where a device's part begins, in front of `cse`, which makes one of what they have in common.
constexpr Rule kRulesOfTables[] = {{Opcode::kDynamicSlice, MultiplyInPlaceOfTable}};

constexpr int kMaxSweeps = 60;

bool Apply(Simplification rule, DeviceProgram& program, InstructionId id) {
  const InstructionId first = program.module().num_instructions();
  const InstructionId replacement = rule(program, id);
  if (replacement == kNoId) return false;
  GiveMetadata(program, id, first);
  program.ReplaceUses(id, replacement);
  program.RemoveDead(id);
  return true;
}

// The rules of each opcode on a platform, in the order of the table.
class RulesByOpcode {
 public:
  RulesByOpcode(absl::Span<const Rule> rules, Platform platform) {
    for (const Rule& rule : rules) {
      if (rule.only.has_value() && rule.only != platform) continue;
      Add(rule.opcode, rule.apply);
    }
  }

  // For each pointwise opcode but copies, after its other rules.
  void AddToPointwise(Simplification apply) {
    for (size_t i = 0; i < hlo::kNumOpcodes; ++i) {
      const auto opcode = static_cast<Opcode>(i);
      if (opcode != Opcode::kCopy && sharding::rules::IsPointwiseOpcode(opcode)) Add(opcode, apply);
    }
  }

  absl::Span<const Simplification> Of(Opcode opcode) const {
    const auto index = static_cast<size_t>(opcode);
    if (index >= rules_.size()) return {};
    return rules_[index];
  }

 private:
  void Add(Opcode opcode, Simplification apply) {
    const auto index = static_cast<size_t>(opcode);
    if (index >= rules_.size()) rules_.resize(index + 1);
    rules_[index].push_back(apply);
  }

  std::vector<std::vector<Simplification>> rules_;
};

bool Sweep(DeviceProgram& program, ComputationId c, const RulesByOpcode& rules) {
  bool is_changed = false;
  const std::vector<InstructionId> order = program.PostOrder(c);
  for (const InstructionId id : order) {
    if (program.IsRemoved(id)) continue;
    const absl::Span<const Simplification> of_opcode = rules.Of(program.opcode(id));
    if (of_opcode.empty() || !MayBeSimplified(program, id)) continue;
    is_changed |=
        absl::c_any_of(of_opcode, [&](Simplification rule) { return Apply(rule, program, id); });
  }
  return is_changed;
}

void SweepAll(Context& context, absl::Span<const Rule> rules) {
  const RulesByOpcode by_opcode(rules, context.target.chip->platform);
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) Sweep(program, c, by_opcode);
}

absl::Status Simplify(Context& context, absl::Span<const Rule> more, bool moves_reshapes) {
  TESSERA_RETURN_IF_ERROR(SimplifyConditionals(context));
  const Platform platform = context.target.chip->platform;
  RulesByOpcode rules(kRules, platform);
  rules.AddToPointwise(CalculateBeforeBroadcast);
  const RulesByOpcode others(more, platform);
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    for (int round = 0; round < kMaxSweeps; ++round) {
      for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
        if (!Sweep(program, c, rules) && !Sweep(program, c, others)) break;
      }
      if (!moves_reshapes || !MoveReshapes(program, c, platform)) break;
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool MayBeSimplified(const DeviceProgram& program, InstructionId id) {
  if (program.IsPinned(id)) return false;
  const bool is_array = program.shape(id).is_array() && !program.shape(id).has_dynamic_dim();
  const bool may_be_tuple =
      program.opcode(id) == Opcode::kTopk || program.opcode(id) == Opcode::kSort;
  if (!is_array && !may_be_tuple) return false;
  return absl::c_none_of(program.module().attributes(id), [](const hlo::Attribute& attribute) {
    return attribute.name() == AttributeName::kSharding ||
           attribute.name() == AttributeName::kFrontendAttributes;
  });
}

void GiveMetadata(DeviceProgram& program, InstructionId from, InstructionId first) {
  const auto found = program.module().FindAttribute(from, AttributeName::kMetadata);
  if (!found.has_value()) return;
  const std::string metadata(*found);
  for (InstructionId id = first; id < program.module().num_instructions(); ++id) {
    program.SetAttribute(id, AttributeName::kMetadata, metadata);
  }
}

absl::Status SimplifyForShardy(Context& context) {
  return Simplify(context, {}, /*moves_reshapes=*/true);
}

absl::Status SimplifyInPlace(Context& context) {
  return Simplify(context, kRulesOfFirstRound, /*moves_reshapes=*/false);
}

absl::Status SimplifyAfterPartitioner(Context& context) {
  SweepAll(context, kRulesAfterPartitioner);
  return absl::OkStatus();
}

absl::Status MoveReshapesAfterPartitioner(Context& context) {
  const RulesByOpcode rules(kRulesAfterPartitioner, context.target.chip->platform);
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    for (int round = 0; round < kMaxSweeps; ++round) {
      if (!MoveReshapes(program, c, context.target.chip->platform)) break;
      Sweep(program, c, rules);
    }
  }
  return absl::OkStatus();
}

absl::Status CalculateTables(Context& context) {
  SweepAll(context, kRulesOfTables);
  return absl::OkStatus();
}

}  // namespace tessera::target
