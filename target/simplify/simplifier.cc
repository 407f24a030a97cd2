#include "tessera/target/simplify/simplifier.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/simplify/conditionals.h"
#include "tessera/target/simplify/reshape_mover.h"
#include "tessera/target/simplify/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

namespace {

using hlo::AttributeName;

constexpr Rule kRules[] = {
    {Opcode::kDot, "dot-without-contraction", MultiplyInPlaceOfDot},
    {Opcode::kDot, "dot-of-one-side", MultiplyAndSum, Platform::kTpu},
    {Opcode::kDot, "dot-ones", RemoveOnesOfDot},
    {Opcode::kDot, "dot-folded", FoldTransposesIntoDot, Platform::kTpu},
    {Opcode::kReduce, "reduce-of-reduce", MergeReduces},
    {Opcode::kReduce, "reduce-of-ones", ReshapeInPlaceOfReduce},
    {Opcode::kReduce, "any-of-one", ReshapeInPlaceOfAnyOrAll, Platform::kGpu},
    {Opcode::kReduce, "sum-of-negated", NegateSum, Platform::kGpu},
    {Opcode::kReduce, "reduce-of-ones", ReduceOnesToo, Platform::kTpu},
    {Opcode::kScatter, "scatter-of-rows", ChooseInPlaceOfScatter, Platform::kTpu},
    {Opcode::kScatter, "scatter-of-one", UpdateInPlaceOfScatter},
    {Opcode::kSubtract, "difference-of-difference", MergeDifferences},
    {Opcode::kMaximum, "maximum-of-lowest", LeaveOutLowest},
    {Opcode::kDivide, "division-by-constant", MultiplyByReciprocal},
    {Opcode::kMultiply, "chosen-product", ChooseInPlaceOfProduct},
    {Opcode::kAdd, "scatter-added", AddBeforeScatter},
    {Opcode::kAdd, "sum-of-products", MultiplySum},
    {Opcode::kBroadcast, "broadcasts", SimplifyBroadcast},
    {Opcode::kConvert, "cells-of-broadcasts", CalculateBeforeBroadcast},
    {Opcode::kNegate, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kExponential, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kLog, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kSqrt, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kRsqrt, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kTanh, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kSine, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kMultiply, "cells-of-broadcasts", CalculateBeforeBroadcast, Platform::kGpu},
    {Opcode::kReshape, "reshapes", SimplifyReshape},
    {Opcode::kReshape, "rearranged-tree", RearrangeLeaves, Platform::kTpu},
    {Opcode::kTranspose, "dot-transposed", ExchangeTransposedDot, Platform::kGpu},
    {Opcode::kTranspose, "dot-folded", FoldDotIntoTranspose, Platform::kTpu},
    {Opcode::kTranspose, "rearranged", SimplifyRearranged},
    {Opcode::kTranspose, "rearranged-tree", RearrangeLeaves, Platform::kTpu},
    {Opcode::kSlice, "rearranged", SimplifyRearranged},
    {Opcode::kReverse, "rearranged", SimplifyRearranged},
    {Opcode::kTopk, "largest", CallTopK, Platform::kGpu},
    {Opcode::kTopk, "largest-sorted", SortLargest, Platform::kTpu},
    {Opcode::kTopk, "largest", CallTopK, Platform::kTpu},
    {Opcode::kReduceWindow, "prefix-sum", SumInTwoLevels, Platform::kTpu},
    {Opcode::kPad, "pad-of-one", RemoveInteriorPadding},
};

// Again behind the partitioner, where equal constants are one, and where it has made new reductions.
constexpr Rule kRulesBehindPartitioner[] = {
    {Opcode::kAdd, "sum-of-products", MultiplySum},
    {Opcode::kReduce, "reduce-of-ones", ReshapeInPlaceOfReduce},
    {Opcode::kReduce, "any-of-one", ReshapeInPlaceOfAnyOrAll},
    {Opcode::kReshape, "reshapes", SimplifyReshape},
};

constexpr int kMaxSweeps = 60;

bool Apply(const Rule& rule, DeviceProgram& program, InstructionId id) {
  const InstructionId first = program.module().num_instructions();
  const InstructionId heir = rule.apply(program, id);
  if (heir == kNoId) return false;
  GiveMetadata(program, id, first);
  program.ReplaceUses(id, heir);
  program.RemoveDead(id);
  return true;
}

// The rules of each opcode on a platform, in the order of the table.
class RulesByOpcode {
 public:
  RulesByOpcode(absl::Span<const Rule> rules, Platform platform) {
    for (const Rule& rule : rules) {
      if (rule.only != Platform::kCpu && rule.only != platform) continue;
      const auto opcode = static_cast<size_t>(rule.opcode);
      if (opcode >= rules_.size()) rules_.resize(opcode + 1);
      rules_[opcode].push_back(&rule);
    }
  }

  absl::Span<const Rule* const> Of(Opcode opcode) const {
    const auto index = static_cast<size_t>(opcode);
    if (index >= rules_.size()) return {};
    return rules_[index];
  }

 private:
  std::vector<std::vector<const Rule*>> rules_;
};

bool Sweep(DeviceProgram& program, ComputationId c, const RulesByOpcode& rules) {
  bool is_changed = false;
  const std::vector<InstructionId> order = program.PostOrder(c);
  for (const InstructionId id : order) {
    if (program.IsRemoved(id)) continue;
    const absl::Span<const Rule* const> of_opcode = rules.Of(program.opcode(id));
    if (of_opcode.empty() || !MayBeSimplified(program, id)) continue;
    is_changed |=
        absl::c_any_of(of_opcode, [&](const Rule* rule) { return Apply(*rule, program, id); });
  }
  return is_changed;
}

}  // namespace

bool MayBeSimplified(const DeviceProgram& program, InstructionId id) {
  if (program.IsPinned(id)) return false;
  const bool is_array = program.shape(id).is_array() && !program.shape(id).has_dynamic_dim();
  if (!is_array && program.opcode(id) != Opcode::kTopk) return false;
  const hlo::Module& module = program.module();
  return !module.FindAttribute(id, AttributeName::kSharding).has_value() &&
         !module.FindAttribute(id, AttributeName::kFrontendAttributes).has_value();
}

void GiveMetadata(DeviceProgram& program, InstructionId from, InstructionId first) {
  const auto found = program.module().FindAttribute(from, AttributeName::kMetadata);
  if (!found.has_value()) return;
  const std::string metadata(*found);
  for (InstructionId id = first; id < program.module().num_instructions(); ++id) {
    program.SetAttribute(id, AttributeName::kMetadata, metadata);
  }
}

absl::Span<const Rule> SimplificationRules() { return kRules; }

absl::Status SimplifyForShardy(Context& context) {
  TESSERA_RETURN_IF_ERROR(SimplifyConditionals(context));
  const RulesByOpcode rules(kRules, context.target.chip->platform);
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    for (int round = 0; round < kMaxSweeps; ++round) {
      for (int sweep = 0; sweep < kMaxSweeps && Sweep(program, c, rules); ++sweep) {
      }
      if (!MoveReshapes(program, c)) break;
    }
  }
  return absl::OkStatus();
}

absl::Status SimplifyBehindPartitioner(Context& context) {
  const RulesByOpcode rules(kRulesBehindPartitioner, context.target.chip->platform);
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) Sweep(program, c, rules);
  return absl::OkStatus();
}

}  // namespace tessera::target
