// Reshards inserted op by op, in post-order; what is inserted is not visited again.
//
// The partitioner that reads the result can reshard by itself wherever operands do not fit, so
// copies are only put where it would choose badly: in front of calls, around concatenations and
// ragged dots whose tensors do not agree, behind a dot whose result would rather be reduced along
// other axes, and wherever a partial (unreduced) value must be summed up.
//
// Example: concatenate(p [{}, {"a"}], q [{"a"}, {}]) -> [{}, {"a"}]: q gets a copy to [{}, {"a"}].
//
// What the tensors of one op should agree on is decided by sharding/reshard, which knows no graph;
// this file finds the tensors and puts the ops. Linear in the number of ops.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/sharding/graph/constant_text.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/reshard/explicit_reshards.h"
#include "tessera/sharding/reshard/to_target.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;
using reshard::Conversion;
using reshard::ConversionKind;
using reshard::Version;

int RankOf(const Value* value) { return value->is_array() ? value->rank() : 0; }

OpKind KindOf(ConversionKind kind) {
  switch (kind) {
    case ConversionKind::kAllReduce:
      return OpKind::kAllReduce;
    case ConversionKind::kReplicatedToUnreduced:
      return OpKind::kReplicatedToUnreduced;
    case ConversionKind::kShardedToUnreduced:
      return OpKind::kShardedToUnreduced;
    default:
      return OpKind::kReshard;
  }
}

class Inserter {
 public:
  Inserter(Graph& graph, const RuleOf& rule_of) : graph_(graph), rule_of_(rule_of) {}

  absl::Status Visit(Op* op) {
    switch (op->kind) {
      case OpKind::kReturn:
        return absl::OkStatus();
      case OpKind::kWhile:
      case OpKind::kCase:
      case OpKind::kOptBarrier:
      case OpKind::kManual:
        return VisitDataFlow(op);
      case OpKind::kCall:
        return VisitCall(op);
      default:
        return VisitPlain(op);
    }
  }

  absl::Status VisitReturn(Function* f) {
    Op* ret = f->body->terminator();
    for (size_t i = 0; i < f->result_shardings.size(); ++i) {
      TESSERA_RETURN_IF_ERROR(
          Convert(ret->operands[i], Find(f->result_shardings[i]), Version::kMinimal));
    }
    return absl::OkStatus();
  }

 private:
  const TensorSharding* Find(ShardingId id) const { return graph_.Find(id); }
  const TensorSharding* Of(Value* value) { return Find(EffectiveSharding(graph_, value)); }

  static bool HasUnreduced(const TensorSharding* s) {
    return s != nullptr && !s->unreduced_axes().empty();
  }

  // --- inserting ---------------------------------------------------------------------------------

  Op* Insert(OpKind kind, Value* operand, const TensorSharding& sharding, InsertPoint where) {
    Op* op = graph_.AddOp({kind, hlo::kNoId, OpPart::kInserted, true}, {operand},
                          {&operand->shape()}, where);
    op->result()->set_sharding(graph_.shardings().Intern(sharding));
    return op;
  }

  Op* Insert(const Conversion& step, Value* operand, InsertPoint where) {
    Op* op = Insert(KindOf(step.kind), operand, step.sharding, where);
    if (step.kind == ConversionKind::kReshard) return op;
    AxesInfo* info = graph_.NewPayload<AxesInfo>(op);
    info->axes = step.axes_per_dim;
    if (step.kind != ConversionKind::kShardedToUnreduced) info->axes = {step.axes};
    return op;
  }

  // Leads the operand through the steps to `target`.
  absl::Status Convert(Use& use, const TensorSharding* target, Version version) {
    const TensorSharding* from = Of(use.value());
    if (version == Version::kMinimal && !HasUnreduced(from) && !HasUnreduced(target)) {
      return absl::OkStatus();
    }
    TESSERA_ASSIGN_OR_RETURN(const std::vector<Conversion> steps,
                             reshard::ToTarget(from, target, version, graph_.meshes()));
    for (const Conversion& step : steps) {
      use.Set(Insert(step, use.value(), InsertPoint::Before(use.user()))->result());
    }
    return absl::OkStatus();
  }

  // Sums the unreduced axes of an operand that are not in `kept`.
  void Sum(Use& use, const TensorSharding* result) {
    const TensorSharding* from = Of(use.value());
    if (!HasUnreduced(from)) return;
    const AxisList axes = reshard::UnreducedToSum(*from, result, graph_.meshes());
    if (axes.empty()) return;
    Conversion step;
    step.kind = ConversionKind::kAllReduce;
    step.axes = axes;
    step.sharding = WithoutUnreduced(*from, axes);
    use.Set(Insert(step, use.value(), InsertPoint::Before(use.user()))->result());
  }

  static TensorSharding WithoutUnreduced(const TensorSharding& s, const AxisList& axes) {
    TensorSharding summed = s;
    AxisList& left = summed.mutable_unreduced_axes();
    left.erase(std::remove_if(
                   left.begin(), left.end(),
                   [&](AxisRef a) { return std::find(axes.begin(), axes.end(), a) != axes.end(); }),
               left.end());
    return summed;
  }

  // --- ops ---------------------------------------------------------------------------------------

  absl::Status VisitDataFlow(Op* op) {
    for (int k = 0; k < op->num_results(); ++k) {
      const TensorSharding* target = Find(op->result(k)->sharding());
      TensorSharding inner;
      if (op->kind == OpKind::kManual && target != nullptr) {
        inner = EraseManualAxes(*target, op->As<ManualInfo>()->manual_axes);
        target = &inner;
      }
      for (Use* source : SourcesOf(op, k)) {
        TESSERA_RETURN_IF_ERROR(Convert(*source, target, Version::kMinimal));
      }
    }
    if (op->kind != OpKind::kManual) return absl::OkStatus();
    for (const Value* arg : op->blocks[0]->args) {
      Use& operand = op->operands[static_cast<size_t>(arg->index())];
      TESSERA_RETURN_IF_ERROR(Convert(operand, Find(arg->sharding()), Version::kMinimal));
    }
    return absl::OkStatus();
  }

  // What flows into result `k`: operands, and what regions yield.
  static std::vector<Use*> SourcesOf(Op* op, int k) {
    const size_t i = static_cast<size_t>(k);
    std::vector<Use*> sources;
    if (op->kind == OpKind::kWhile || op->kind == OpKind::kOptBarrier) {
      sources.push_back(&op->operands[i]);
    }
    for (Block* block : op->blocks) {
      if (op->kind == OpKind::kWhile && block->region == 0) continue;  // the condition
      sources.push_back(&block->terminator()->operands[i]);
    }
    return sources;
  }

  absl::Status VisitCall(Op* op) {
    const Function* callee = op->As<CallInfo>()->callee;
    MeshId mesh = kNoMesh;
    bool callee_has_some = false;
    for (int pass = 0; pass < 2; ++pass) {
      for (int k = 0; k < op->num_operands() && mesh == kNoMesh; ++k) {
        const Value* arg = callee->body->args[static_cast<size_t>(k)];
        const TensorSharding* s = pass == 0 ? Find(arg->sharding()) : Of(op->operand(k));
        if (s == nullptr) continue;
        mesh = s->mesh_id();
        callee_has_some = pass == 0;
      }
    }
    if (mesh == kNoMesh) return absl::OkStatus();
    for (int k = 0; k < op->num_operands(); ++k) {
      const Value* arg = callee->body->args[static_cast<size_t>(k)];
      const TensorSharding* known = Find(arg->sharding());
      const TensorSharding target =
          known != nullptr ? *known : TensorSharding(mesh, RankOf(arg), !callee_has_some);
      TESSERA_RETURN_IF_ERROR(
          Convert(op->operands[static_cast<size_t>(k)], &target, Version::kFull));
    }
    return absl::OkStatus();
  }

  absl::Status VisitPlain(Op* op) {
    const bool has_result = any_unreduced_ && op->num_results() > 0;
    const TensorSharding* result = has_result ? Of(op->result()) : nullptr;
    if (op->kind == OpKind::kReshard && HasUnreduced(result)) {
      const TensorSharding* from = Of(op->operand(0));
      TESSERA_ASSIGN_OR_RETURN(const std::vector<Conversion> steps,
                               reshard::BecomeUnreduced(from, *result, graph_.meshes()));
      if (!steps.empty()) return ReplaceReshard(op, steps);
    }
    if (any_unreduced_) {
      for (Use& use : op->operands) Sum(use, result);
    }
    const std::optional<Version> version = VersionFor(op);
    if (!version.has_value()) return absl::OkStatus();
    const factors::OpShardingRule* rule = rule_of_(op);
    if (rule != nullptr && !rule->is_custom()) Apply(op, *rule, *version);
    return absl::OkStatus();
  }

  absl::Status ReplaceReshard(Op* op, const std::vector<Conversion>& steps) {
    Value* value = op->operand(0);
    for (const Conversion& step : steps) {
      Op* made = Insert(step, value, InsertPoint::Before(op));
      if (&step == &steps.back()) {
        made->source = op->source;
        made->opcode = op->opcode;
      }
      value = made->result();
    }
    op->result()->ReplaceAllUsesWith(value);
    op->result()->ForwardTo(value);
    graph_.Erase(op);
    return absl::OkStatus();
  }

  // Which version of the per-op plan can change anything here; none for most ops.
  std::optional<Version> VersionFor(Op* op) {
    if (HasOpcode(op, Opcode::kRaggedDot)) return Version::kFull;
    if (HasOpcode(op, Opcode::kConcatenate)) {
      const ShardingId result = EffectiveSharding(graph_, op->result());
      for (int k = 0; k < op->num_operands(); ++k) {
        if (EffectiveSharding(graph_, op->operand(k)) != result) return Version::kFull;
      }
    }
    if (HasOpcode(op, Opcode::kDot)) return Version::kMinimal;
    if (!any_unreduced_) return std::nullopt;
    const bool unreduced = op->num_results() > 0 && HasUnreduced(Of(op->result()));
    return unreduced && op->kind == OpKind::kHlo ? std::optional(Version::kMinimal) : std::nullopt;
  }

  reshard::ReshardTensor Tensor(Value* value) {
    const bool array = value->is_array();
    return {Of(value), array ? value->shape().NumElements().value_or(0) : 0};
  }

  void Apply(Op* op, const factors::OpShardingRule& rule, Version version) {
    reshard::OpReshardQuery query;
    query.rule = &rule;
    query.version = version;
    if (HasOpcode(op, Opcode::kDot)) query.op_class = reshard::OpClass::kDot;
    for (int k = 0; k < op->num_operands(); ++k) query.operands.push_back(Tensor(op->operand(k)));
    for (int k = 0; k < op->num_results(); ++k) query.results.push_back(Tensor(op->result(k)));
    const reshard::OpReshards plan = reshard::PlanOpReshards(query, graph_.meshes());
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      if (!plan.operands[k].has_value()) continue;
      Use& use = op->operands[k];
      use.Set(Insert(OpKind::kReshard, use.value(), *plan.operands[k], InsertPoint::Before(op))
                  ->result());
    }
    for (size_t k = 0; k < plan.results.size(); ++k) {
      ApplyToResult(op->result(static_cast<int>(k)), plan.results[k]);
    }
  }

  void ApplyToResult(Value* result, const reshard::ResultReshards& plan) {
    if (plan.sharding.has_value()) {
      WriteSharding(graph_, result, graph_.shardings().Intern(*plan.sharding));
    }
    Value* value = result;
    if (!plan.all_reduce.empty() && plan.sharding.has_value()) {
      Conversion step;
      step.kind = ConversionKind::kAllReduce;
      step.axes = plan.all_reduce;
      step.sharding = *plan.sharding;
      value = TakeOver(value, Insert(step, value, InsertPoint::After(value)));
    }
    if (plan.reshard.has_value()) {
      TakeOver(value, Insert(OpKind::kReshard, value, *plan.reshard, InsertPoint::After(value)));
    }
  }

  static Value* TakeOver(Value* value, Op* by) {
    value->ReplaceAllUsesExcept(by->result(), [&](const Use& use) { return use.user() == by; });
    return by->result();
  }

  Graph& graph_;
  const RuleOf& rule_of_;
  const bool any_unreduced_ = AnyUnreduced(graph_);
};

}  // namespace

absl::Status InsertReshards(Graph& graph, const RuleOf& rule_of) {
  Inserter inserter(graph, rule_of);
  for (Function* f : graph.functions()) {
    std::vector<Op*> ops;
    ForEachOpPostOrder(f->body, [&](Op* op) { ops.push_back(op); });
    for (Op* op : ops) TESSERA_RETURN_IF_ERROR(inserter.Visit(op));
    TESSERA_RETURN_IF_ERROR(inserter.VisitReturn(f));
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::graph
