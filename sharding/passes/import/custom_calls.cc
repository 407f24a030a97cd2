#include "tessera/sharding/passes/import/custom_calls.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

constexpr std::pair<absl::string_view, Mark> kTargets[] = {
    {"Sharding", Mark::kSharding},
    {"xla.sdy.FuncResultSharding", Mark::kFuncResultSharding},
    {"xla.sdy.ShardingGroup", Mark::kShardingGroup},
    {"xla.sdy.PropagationBarrier", Mark::kPropagationBarrier},
    {"xla.sdy.GlobalToLocalShape", Mark::kGlobalToLocal},
    {"xla.sdy.LocalToGlobalShape", Mark::kLocalToGlobal},
    {"X64Combine", Mark::kX64Combine},
    {"xla_python_cpu_callback", Mark::kPythonCallback},
    {"xla_ffi_python_cpu_callback", Mark::kPythonCallback},
    {"xla_python_gpu_callback", Mark::kPythonCallback},
    {"xla_ffi_python_gpu_callback", Mark::kPythonCallback},
};

// backend_config="unspecified_dims=[0,2]"
std::vector<int64_t> UnspecifiedDims(const hlo::Module& module, hlo::InstructionId id) {
  constexpr absl::string_view kKey = "unspecified_dims=[";
  const std::string config =
      hlo::GetString(module, id, hlo::AttributeName::kBackendConfig).value_or("");
  std::vector<int64_t> dims;
  const size_t begin = config.find(kKey.data());
  if (begin == std::string::npos) return dims;
  const absl::string_view list = absl::string_view(config).substr(begin + kKey.size());
  for (absl::string_view word : absl::StrSplit(list.substr(0, list.find(']')), ',')) {
    int64_t dim = 0;
    if (absl::SimpleAtoi(word, &dim)) dims.push_back(dim);
  }
  return dims;
}

// The op of that kind that takes the place of the call.
Op* ReplaceBy(HloProgram* program, Op* call, OpKind kind) {
  std::vector<const layout::Shape*> shapes;
  if (kind != OpKind::kShardingGroup) shapes = {&call->result()->shape()};
  OpHead head;
  head.kind = kind;
  head.source = call->source;
  Op* op = program->AddOp(head, {call->operand(0)}, shapes, InsertPoint::Before(call));
  if (kind == OpKind::kShardingGroup) {
    program->Erase(call);
  } else {
    op->result()->set_sharding(call->result()->sharding());
    program->Replace(call, {op->result()});
  }
  return op;
}

absl::Status ImportConstraint(HloProgram* program, SdyAttributeReader* frontend, Op* call) {
  const hlo::InstructionId id = call->source;
  if (call->num_operands() != 1 || call->num_results() != 1) {
    return frontend->ErrorAt(id, "a Sharding call has one operand and one result");
  }
  TESSERA_RETURN_IF_ERROR(CheckHandsOn(*frontend, *call));
  const TensorSharding* sharding = program->Find(call->result());
  if (sharding == nullptr) {
    return frontend->ErrorAt(id,
                             "this Sharding call has no xla.sdy.sharding that lists one sharding "
                             "for each value, \"#sdy.sharding_per_value<[..]>\"; if the module was "
                             "lowered for the older propagation, --import=hlo reads its "
                             "sharding={...}");
  }
  const std::vector<int64_t> open = UnspecifiedDims(program->module(), id);
  if (!open.empty()) {
    const TensorSharding opened = WithOpenDims(*sharding, open);
    call->result()->set_sharding(program->shardings().Intern(opened));
  }
  ReplaceBy(program, call, OpKind::kConstraint);
  return absl::OkStatus();
}

absl::Status ImportGroup(HloProgram* program, SdyAttributeReader* frontend, Op* call) {
  if (call->has_uses()) return frontend->ErrorAt(call->source, "a ShardingGroup call has no users");
  TESSERA_ASSIGN_OR_RETURN(const auto group,
                           frontend->Integer(call->source, kShardingGroupAttribute));
  if (!group.has_value() || call->num_operands() != 1) {
    return frontend->ErrorAt(
        call->source, "a ShardingGroup call needs one operand and xla.sdy.sharding_group_id");
  }
  ReplaceBy(program, call, OpKind::kShardingGroup)->attribute = *group;
  return absl::OkStatus();
}

absl::Status ImportBarrier(HloProgram* program, SdyAttributeReader* frontend, Op* call) {
  TESSERA_ASSIGN_OR_RETURN(const auto direction,
                           frontend->Integer(call->source, kDirectionAttribute));
  const bool valid = direction.has_value() && *direction >= 0 && *direction <= 3;
  if (!valid || call->num_operands() != 1 || call->num_results() != 1) {
    return frontend->ErrorAt(
        call->source,
        "a PropagationBarrier needs one operand, one result and an xla.sdy.allowed_direction of 0 "
        "(none), 1 (forward), 2 (backward) or 3 (both)");
  }
  TESSERA_RETURN_IF_ERROR(CheckHandsOn(*frontend, *call));
  Op* barrier = ReplaceBy(program, call, OpKind::kPropagationBarrier);
  barrier->attribute = *direction;
  barrier->pure = true;
  return absl::OkStatus();
}

absl::Status ImportMark(HloProgram* program, SdyAttributeReader* frontend, Op* op) {
  switch (MarkOf(program->module(), *op)) {
    case Mark::kSharding:
      return ImportConstraint(program, frontend, op);
    case Mark::kShardingGroup:
      return ImportGroup(program, frontend, op);
    case Mark::kPropagationBarrier:
      return ImportBarrier(program, frontend, op);
    default:
      return absl::OkStatus();
  }
}

}  // namespace

Mark MarkOfCall(const hlo::Module& module, hlo::InstructionId call) {
  const std::string target = hlo::GetCustomCallTarget(module, call);
  const auto* found = std::find_if(std::begin(kTargets), std::end(kTargets),
                                   [&](const auto& entry) { return entry.first == target; });
  return found == std::end(kTargets) ? Mark::kNone : found->second;
}

absl::Status CheckHandsOn(const SdyAttributeReader& frontend, const Op& call) {
  for (int i = 0; i < call.num_results(); ++i) {
    const layout::Shape& operand = call.operand(i < call.num_operands() ? i : 0)->shape();
    const layout::Shape& result = call.result(i)->shape();
    if (layout::Compatible(operand, result)) continue;
    return frontend.ErrorAt(call.source,
                            absl::StrCat("this call hands its operand on: its result must be ",
                                         ShapeToString(operand, layout::kNoLayout), ", not ",
                                         ShapeToString(result, layout::kNoLayout)));
  }
  return absl::OkStatus();
}

absl::Status ImportMarks(HloProgram* program, SdyAttributeReader* frontend) {
  absl::Status status;
  ForEachOpPostOrder(*program, [&](Op* op) {
    const bool may_be = op->opcode == hlo::Opcode::kCustomCall && status.ok();
    if (may_be) status = ImportMark(program, frontend, op);
  });
  return status;
}

}  // namespace tessera::sharding::passes
