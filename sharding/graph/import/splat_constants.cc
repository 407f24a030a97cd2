#include "tessera/sharding/graph/import/splat_constants.h"

#include "tessera/hlo/literal.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::graph {
namespace {

bool IsLargeSplat(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::kConstant) return false;
  if (op.result()->shape().NumElements().value_or(0) < kLargeSplat) return false;
  return op.part == OpPart::kPredZero || hlo::IsSplat(graph.module(), op.source);
}

void Expand(Graph* graph, Op* constant) {
  const bool is_zero = constant->part == OpPart::kPredZero;
  const layout::Shape& shape = constant->result()->shape();
  const layout::Shape* scalar = graph->KeepShape(layout::Shape::Array(shape.element_type(), {}));
  OpHead head;
  head.source = constant->source;
  head.pure = true;
  head.kind = OpKind::kConstant;
  head.part = is_zero ? OpPart::kPredZero : OpPart::kSplatScalar;
  Op* value = graph->AddOp(head, {}, {scalar}, InsertPoint::Before(constant));
  head.kind = OpKind::kHlo;
  head.part = is_zero ? OpPart::kPredZeros : OpPart::kSplatBroadcast;
  Op* broadcast = graph->AddOp(head, {value->result()}, {&shape}, InsertPoint::Before(constant));
  broadcast->result()->set_sharding(constant->result()->sharding());
  graph->Replace(constant, {broadcast->result()});
}

}  // namespace

void ExpandSplatConstants(Graph* graph) {
  if (graph->CountOf(OpKind::kConstant) == 0) return;
  ForEachOp(*graph, [&](Op* op) {
    if (IsLargeSplat(*graph, *op)) Expand(graph, op);
  });
}

}  // namespace tessera::sharding::graph
