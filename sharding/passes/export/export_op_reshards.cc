#include "tessera/sharding/passes/export/export_op_reshards.h"

#include "tessera/sharding/passes/export/skip_barriers.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/constant_text.h"

namespace tessera::sharding::passes {
namespace {

using reshard::Conversion;
using reshard::ConversionKind;

// The reference's factors see through barriers, whatever sharding their results have.
ShardingId SeenSharding(HloProgram& program, const Value* value) {
  return EffectiveSharding(program, SkipBarriers(value));
}

reshard::ReshardTensor TensorOf(HloProgram& program, const Value* value) {
  const bool array = value->is_array();
  return {program.Find(SeenSharding(program, value)),
          array ? value->shape().NumElements().value_or(0) : 0};
}

reshard::OpReshardQuery MakeQuery(HloProgram& program, const Op* op,
                                  const factors::OpShardingRule& rule, reshard::Version version) {
  reshard::OpReshardQuery query;
  query.behaviors = program.behaviors();
  query.rule = &rule;
  query.version = version;
  if (HasOpcode(op, hlo::Opcode::kDot)) query.op_class = reshard::OpClass::kDot;
  for (const Use& use : op->operands) query.operands.push_back(TensorOf(program, use.value()));
  for (const Value& result : op->results) query.results.push_back(TensorOf(program, &result));
  return query;
}

}  // namespace

void OpResharder::ReshardResult(Value* result, const reshard::ResultReshards& plan) {
  if (plan.sharding.has_value()) {
    WriteSharding(program_, result, program_.shardings().Intern(*plan.sharding));
  }
  Value* value = result;
  if (!plan.all_reduce.empty() && plan.sharding.has_value()) {
    Conversion step;
    step.kind = ConversionKind::kAllReduce;
    step.axes = plan.all_reduce;
    step.sharding = *plan.sharding;
    Value* sum = inserter_.AddStep(step, value, InsertPoint::After(value))->result();
    value->ReplaceOtherUsesWith(sum);
    value = sum;
  }
  if (plan.reshard.has_value()) {
    value->ReplaceOtherUsesWith(
        inserter_.AddReshard(value, *plan.reshard, InsertPoint::After(value))->result());
  }
}

void OpResharder::AddToKey(const Value* value) {
  key_.push_back(SeenSharding(program_, value));
  key_.push_back(value->is_array() ? value->shape().NumElements().value_or(0) : 0);
}

void OpResharder::SetKey(const Op* op, const factors::OpShardingRule& rule,
                         reshard::Version version) {
  key_.clear();
  key_.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(&rule)));
  key_.push_back(static_cast<int64_t>(version));
  key_.push_back(HasOpcode(op, hlo::Opcode::kDot));
  for (const Use& use : op->operands) AddToKey(use.value());
  for (const Value& result : op->results) AddToKey(&result);
}

const reshard::OpReshards& OpResharder::PlanFor(const Op* op, const factors::OpShardingRule& rule,
                                                reshard::Version version) {
  SetKey(op, rule, version);
  const auto [known, is_new] = plans_.try_emplace(key_);
  Planned& planned = known->second;
  if (is_new || !(planned.rule == rule)) {
    planned.rule = rule;
    const auto query = MakeQuery(program_, op, rule, version);
    planned.plan = reshard::PlanOpReshards(query, program_.meshes());
  }
  return planned.plan;
}

void OpResharder::Run(Op* op, const factors::OpShardingRule& rule, reshard::Version version) {
  const reshard::OpReshards& plan = PlanFor(op, rule, version);
  for (size_t k = 0; k < plan.operands.size(); ++k) {
    if (!plan.operands[k].has_value()) continue;
    Use& use = op->operands[k];
    use.Set(
        inserter_.AddReshard(use.value(), *plan.operands[k], InsertPoint::Before(op))->result());
  }
  for (size_t k = 0; k < plan.results.size(); ++k) {
    ReshardResult(op->result(static_cast<int>(k)), plan.results[k]);
  }
}

}  // namespace tessera::sharding::passes
