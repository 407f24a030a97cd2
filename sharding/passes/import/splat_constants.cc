#include "tessera/sharding/passes/import/splat_constants.h"

#include "tessera/hlo/literal.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool IsLargeSplat(const HloProgram& program, const Op& op) {
  if (op.kind != OpKind::kConstant) return false;
  if (op.result()->shape().NumElements().value_or(0) < kLargeSplat) return false;
  return op.part == OpPart::kPredZero || hlo::IsSplat(program.module(), op.source);
}

void Expand(HloProgram* program, Op* constant) {
  const bool is_zero = constant->part == OpPart::kPredZero;
  const layout::Shape& shape = constant->result()->shape();
  const layout::Shape* scalar = program->KeepShape(layout::Shape::Array(shape.element_type(), {}));
  OpHead head;
  head.source = constant->source;
  head.pure = true;
  head.kind = OpKind::kConstant;
  head.part = is_zero ? OpPart::kPredZero : OpPart::kSplatScalar;
  Op* value = program->AddOp(head, {}, {scalar}, InsertPoint::Before(constant));
  head.kind = OpKind::kHlo;
  head.part = is_zero ? OpPart::kPredZeros : OpPart::kSplatBroadcast;
  Op* broadcast = program->AddOp(head, {value->result()}, {&shape}, InsertPoint::Before(constant));
  broadcast->result()->set_sharding(constant->result()->sharding());
  program->Replace(constant, {broadcast->result()});
}

}  // namespace

void ExpandSplatConstants(HloProgram* program) {
  if (program->CountOf(OpKind::kConstant) == 0) return;
  ForEachOp(*program, [&](Op* op) {
    if (IsLargeSplat(*program, *op)) Expand(program, op);
  });
}

}  // namespace tessera::sharding::passes
