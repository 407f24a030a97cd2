// Reshards inserted op by op, in post-order; what is inserted is not visited again.
//
// The partitioner that reads the result reshards by itself wherever operands do not fit. Copies are
// only put where it would choose badly: in front of calls, and around concatenations and ragged
// dots whose tensors do not agree. Also after a dot whose result would rather be reduced along
// other axes, and where a partial (unreduced) value is summed up.
//
// Example: concatenate(p [{}, {"a"}], q [{"a"}, {}]) -> [{}, {"a"}]: q gets a copy to [{}, {"a"}].
//
// Barriers are still there, each an op with a sharding of its own, as in the reference. Whether a
// concatenation agrees is asked of that sharding; what its operands then have to become, of what
// the barriers hand on.
//
// The agreement of the tensors of one op comes from sharding/reshard, which knows no program; this
// file finds the tensors, reshard_inserter.cc puts the ops. Linear in the number of ops. Tested by
// the pairs.

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/export/export_op_reshards.h"
#include "tessera/sharding/passes/export/export_single_device.h"
#include "tessera/sharding/passes/export/reshard_inserter.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/constant_text.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/reshard/to_target.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;
using reshard::Conversion;
using reshard::Version;

// The sources of result `k`: operands, and values that regions yield.
std::vector<Use*> SourcesOf(Op* op, int k) {
  const size_t i = static_cast<size_t>(k);
  std::vector<Use*> sources;
  if (op->kind == OpKind::kWhile || op->kind == OpKind::kOptBarrier) {
    sources.push_back(&op->operands[i]);
  }
  for (Block* block : op->blocks()) {
    if (op->kind == OpKind::kWhile && block->region == 0) continue;  // the condition
    sources.push_back(&block->terminator()->operands[i]);
  }
  return sources;
}

// The shardings of a call's operands where the callee's parameters have none.
struct CallDefault {
  MeshId mesh = kNoMesh;
  bool is_closed = false;
};

class OpVisitor {
 public:
  OpVisitor(HloProgram& program, const RuleOf& rule_of, bool is_full)
      : program_(program),
        rule_of_(rule_of),
        least_(is_full ? Version::kFull : Version::kMinimal),
        inserter_(program),
        resharder_(program),
        single_devices_(program) {}

  absl::Status Visit(Op* op) {
    switch (op->kind) {
      case OpKind::kReturn:
        return absl::OkStatus();
      case OpKind::kWhile:
      case OpKind::kCase:
      case OpKind::kOptBarrier:
      case OpKind::kManualComputation:
        return VisitDataFlow(op);
      case OpKind::kCall:
        return VisitCall(op);
      default:
        return VisitPlain(op);
    }
  }

  absl::Status CheckBorder(const Function* f) const { return single_devices_.CheckBorder(f); }
  void Finish() { single_devices_.Finish(); }

  absl::Status VisitReturn(Function* f) {
    Op* ret = f->body->terminator();
    for (size_t i = 0; i < f->result_shardings.size(); ++i) {
      TESSERA_RETURN_IF_ERROR(Convert(ret->operands[i], Find(f->result_shardings[i]), least_));
    }
    return absl::OkStatus();
  }

 private:
  const TensorSharding* Find(ShardingId id) const { return program_.Find(id); }

  absl::Status Convert(Use& use, const TensorSharding* target, Version version) {
    return inserter_.Convert(use, target, version);
  }

  absl::Status VisitDataFlow(Op* op) {
    for (int k = 0; k < op->num_results(); ++k) {
      const TensorSharding* target = Find(op->result(k)->sharding());
      TensorSharding inner;
      if (op->kind == OpKind::kManualComputation && target != nullptr) {
        inner = EraseManualAxes(*target, op->As<ManualInfo>()->manual_axes);
        target = &inner;
      }
      for (Use* source : SourcesOf(op, k)) {
        TESSERA_RETURN_IF_ERROR(inserter_.ConvertAtValue(*source, target, least_));
      }
    }
    if (op->kind != OpKind::kManualComputation) return absl::OkStatus();
    for (const Value* arg : op->blocks()[0]->args) {
      Use& operand = op->operands[static_cast<size_t>(arg->index())];
      TESSERA_RETURN_IF_ERROR(inserter_.ConvertAtValue(operand, Find(arg->sharding()), least_));
    }
    return absl::OkStatus();
  }

  // The mesh of the first parameter of the callee with a sharding, else of the first operand.
  CallDefault DefaultOf(const Op* op, const Block* callee) {
    for (const Value* arg : callee->args) {
      if (arg->has_sharding()) return {Find(arg->sharding())->mesh_id(), false};
    }
    for (const Use& use : op->operands) {
      if (const TensorSharding* s = inserter_.Of(use.value())) return {s->mesh_id(), true};
    }
    return {};
  }

  absl::Status VisitCall(Op* op) {
    const Block* callee = op->As<CallInfo>()->callee->body;
    const CallDefault missing = DefaultOf(op, callee);
    if (missing.mesh == kNoMesh) return absl::OkStatus();
    for (int k = 0; k < op->num_operands(); ++k) {
      const Value* arg = callee->args[static_cast<size_t>(k)];
      const TensorSharding* known = Find(arg->sharding());
      const TensorSharding target =
          known != nullptr ? *known : TensorSharding(missing.mesh, RankOf(arg), missing.is_closed);
      Use& operand = op->operands[static_cast<size_t>(k)];
      TESSERA_RETURN_IF_ERROR(Convert(operand, &target, Version::kFull));
    }
    return absl::OkStatus();
  }

  absl::Status VisitPlain(Op* op) {
    TESSERA_RETURN_IF_ERROR(single_devices_.Visit(op));
    const bool has_result = any_unreduced_ && op->num_results() > 0;
    const TensorSharding* result = has_result ? inserter_.Of(op->result()) : nullptr;
    if (op->kind == OpKind::kReshard && HasUnreduced(result)) {
      const TensorSharding* from = inserter_.Of(op->operand(0));
      TESSERA_ASSIGN_OR_RETURN(const std::vector<Conversion> steps,
                               reshard::BecomeUnreduced(from, *result, program_.meshes(),
                                                        program_.behaviors().becoming_unreduced));
      if (!steps.empty()) {
        inserter_.ReplaceBySteps(op, steps);
        return absl::OkStatus();
      }
    }
    if (any_unreduced_) {
      for (Use& use : op->operands) inserter_.Sum(use, result);
    }
    const std::optional<Version> version = VersionFor(op);
    if (!version.has_value()) return absl::OkStatus();
    const factors::OpShardingRule* rule = rule_of_(op);
    if (rule != nullptr && !rule->is_custom()) resharder_.Run(op, *rule, *version);
    return absl::OkStatus();
  }

  // Which version of the per-op plan can change anything here; none for most ops.
  std::optional<Version> VersionFor(Op* op) {
    if (least_ == Version::kFull || HasOpcode(op, Opcode::kRaggedDot)) return Version::kFull;
    if (HasOpcode(op, Opcode::kConcatenate)) {
      const ShardingId result = EffectiveSharding(program_, op->result());
      for (int k = 0; k < op->num_operands(); ++k) {
        if (EffectiveSharding(program_, op->operand(k)) != result) return Version::kFull;
      }
    }
    if (HasOpcode(op, Opcode::kDot)) return Version::kMinimal;
    if (!any_unreduced_) return std::nullopt;
    const bool unreduced = op->num_results() > 0 && HasUnreduced(inserter_.Of(op->result()));
    return unreduced && op->kind == OpKind::kHlo ? std::optional(Version::kMinimal) : std::nullopt;
  }

  HloProgram& program_;
  const RuleOf& rule_of_;
  const Version least_;  // of every op
  ReshardInserter inserter_;
  OpResharder resharder_;
  SingleDeviceOps single_devices_;
  const bool any_unreduced_ = AnyUnreduced(program_);
};

}  // namespace

// A target that no reshard reaches is an error at its instruction.
absl::Status InsertReshards(HloProgram& program, const RuleOf& rule_of, bool is_full) {
  OpVisitor visitor(program, rule_of, is_full);
  for (Function* f : program.functions()) {
    TESSERA_RETURN_IF_ERROR(visitor.CheckBorder(f));
    std::vector<Op*> ops;
    ForEachOpPostOrder(f->body, [&](Op* op) { ops.push_back(op); });
    for (Op* op : ops) TESSERA_RETURN_IF_ERROR(AtOp(program, op, visitor.Visit(op)));
    TESSERA_RETURN_IF_ERROR(AtOp(program, f->body->terminator(), visitor.VisitReturn(f)));
  }
  visitor.Finish();
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
