#include "tessera/pipeline/explain/refusals/refusal_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::pipeline {

using sharding::AxisRef;
using sharding::explain::Annotation;
using sharding::explain::Endpoint;
using sharding::factors::FactorUse;
using sharding::factors::OpShardingRule;
using sharding::propagation::kNone;

namespace {

// How an op ends a dimension of its operands that no result has.
struct EndOfFactor {
  hlo::Opcode opcode;
  const char* words;
};
constexpr EndOfFactor kEnds[] = {
    {hlo::Opcode::kDot, "summed over"}, {hlo::Opcode::kConvolution, "summed over"},
    {hlo::Opcode::kReduce, "reduced"},  {hlo::Opcode::kGather, "indexed"},
    {hlo::Opcode::kScatter, "indexed"},
};

}  // namespace

std::string RefusalWords::At(const Endpoint& at) const {
  return at.slot < 0 ? "" : absl::StrCat(labels_.At(at), " dim ", at.dim);
}

std::string RefusalWords::Tensor(const Endpoint& at) const {
  return at.slot < 0 ? "" : labels_.At(at);
}

std::string RefusalWords::Axis(const std::optional<AxisRef>& axis) const {
  return axis.has_value() && r_.mesh != nullptr ? sharding::QuotedAxisText(*axis, *r_.mesh)
                                                : "an axis";
}

std::string RefusalWords::AxesAt(const Endpoint& at) const {
  const sharding::TensorSharding* const own = at.slot < 0 ? nullptr : e_.Final(at.slot);
  if (own == nullptr || r_.mesh == nullptr || at.dim < 0 ||
      static_cast<size_t>(at.dim) >= own->dims().size()) {
    return "";
  }
  return absl::StrJoin(own->dims()[static_cast<size_t>(at.dim)].axes, ", ",
                       [&](std::string* out, const AxisRef axis) {
                         absl::StrAppend(out, sharding::QuotedAxisText(axis, *r_.mesh));
                       });
}

std::string RefusalWords::Instruction(hlo::InstructionId id) const {
  return id == hlo::kNoId ? "" : std::string(e_.sharded->module.instruction(id).name);
}

std::string RefusalWords::Op() const { return labels_.Op(r_.actor.op, r_.actor.output); }

std::string RefusalWords::Opcode() const {
  const hlo::InstructionId id = labels_.InstructionOfOp(r_.actor.op);
  return id == hlo::kNoId ? Op() : labels_.OpcodeAndTarget(id);
}

const OpShardingRule* RefusalWords::Rule() const {
  return r_.actor.op == kNone ? nullptr : e_.log->RuleOf(r_.actor.op);
}

std::string RefusalWords::OpWithRule() const {
  const OpShardingRule* rule = Rule();
  return rule == nullptr ? Op() : absl::StrCat(Op(), " ", Labels::Rule(*rule));
}

std::string RefusalWords::RoleOf(int factor) const {
  const OpShardingRule& rule = *Rule();
  const auto is_operand = [&](const FactorUse& use) { return use.tensor < rule.num_operands(); };
  if (absl::c_none_of(rule.uses(factor), is_operand)) return " (new: no operand has it)";
  if (!absl::c_all_of(rule.uses(factor), is_operand)) return "";
  const hlo::InstructionId id = labels_.InstructionOfOp(r_.actor.op);
  const auto* const end = absl::c_find_if(kEnds, [&](const EndOfFactor& e) {
    return id != hlo::kNoId && e.opcode == e_.sharded->module.instruction(id).opcode;
  });
  return absl::StrCat(" (", end == std::end(kEnds) ? "it ends here" : end->words, ")");
}

std::string RefusalWords::FactorAt(const Endpoint& at) const {
  const OpShardingRule* rule = Rule();
  if (rule == nullptr || at.tensor < 0) return At(at);
  const auto factors = rule->factors(at.tensor, at.dim);
  const std::string letters = absl::StrJoin(factors, "", [](std::string* out, int32_t factor) {
    absl::StrAppend(out, Labels::Factor(factor));
  });
  if (letters.empty()) return At(at);
  return absl::StrCat(At(at), " is ", letters, factors.size() == 1 ? RoleOf(factors[0]) : "");
}

std::string RefusalWords::Sayer() const {
  if (r_.annotation < 0) return "what its sharding group says";
  const Annotation& a = e_.log->annotations()[static_cast<size_t>(r_.annotation)];
  const std::string place = labels_.PlaceOf(a);
  return absl::StrCat(labels_.Annotation(a), place.empty() ? "" : ", ", place);
}

std::string RefusalWords::Winner() const {
  const bool is_holder = r_.winner.slot == r_.holder.slot && r_.winner.dim == r_.holder.dim;
  return r_.winner.slot < 0 || is_holder ? "" : absl::StrCat(" from ", At(r_.winner));
}

std::string RefusalWords::Kept() const {
  return r_.kept.has_value() ? absl::StrCat("; ", Axis(r_.kept), " went through") : "";
}

std::string RefusalWords::AfterAxis() const {
  if (!r_.axis_before.has_value()) return "";
  return absl::StrCat(", and it stands after ", Axis(r_.axis_before));
}

}  // namespace tessera::pipeline
