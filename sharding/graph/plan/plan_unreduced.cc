// Changes of unreduced axes in the shape of HLO. Each is a small shard_map over all axes of the
// mesh, whose body does the work on one device's part:
//
//   kAllReduce              all-reduce over the groups of the axes
//   kReplicatedToUnreduced  the part where all coordinates along the axes are 0, else zeros
//   kShardedToUnreduced     zeros of the larger local shape, with the part written at its place
//
// The bodies are written by conversion_body.cc; this file writes what stands around them:
//
//   copy {in} -> SPMDFullToShardShape {manual} -> call {manual} -> copy {manual}
//             -> SPMDShardToFullShape {out}

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/plan/conversion_body.h"
#include "tessera/sharding/graph/plan/manual_calls.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/graph/sharding_access.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;
using layout::Shape;

Shape LocalShape(const Shape& shape, const TensorSharding& s, const Mesh& mesh) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  for (int d = 0; d < s.rank(); ++d) {
    const int64_t parts = ShardedSize(s.dim(d).axes, mesh);
    int64_t& size = dims[static_cast<size_t>(d)];
    size = (size + parts - 1) / parts;
  }
  return Shape::Array(shape.element_type(), dims);
}

}  // namespace

int64_t PlanBuilder::NextChannel() {
  if (next_channel_ == 0) {
    const hlo::Module& module = graph_.module();
    for (hlo::InstructionId i = 0; i < module.num_instructions(); ++i) {
      const auto used = hlo::GetInt(module, i, hlo::AttributeName::kChannelId);
      if (used.has_value()) next_channel_ = std::max(next_channel_, *used);
    }
  }
  return ++next_channel_;
}

// The computation that combines two elements of an all-reduce.
int PlanBuilder::AddCombiner(const Frame& frame, Opcode opcode, layout::ElementType type) {
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("region", hlo::kNoId);
  const Shape scalar = Shape::Array(type, {});
  const NodeId a = AddParameter(inner, graph_.KeepShape(scalar), kNoPlanSharding);
  const NodeId b = AddParameter(inner, graph_.KeepShape(scalar), kNoPlanSharding);
  PlanNode node;
  node.opcode = opcode;
  node.role = NodeRole::kConversion;
  node.shape = graph_.KeepShape(scalar);
  node.operands = plan_.Keep({a, b});
  node.sharding = Text(inner, kNoSharding, 0);
  At(inner).root = Add(inner, node);
  return inner.computation;
}

// A change of unreduced axes: from the sharding `in` and the local shape `part` to that of the
// result and `whole`.
struct PlanBuilder::Conversion {
  const Op* op;
  TensorSharding in;
  ManualContext inside;
  const Shape* part;
  const Shape* whole;
};

int PlanBuilder::ConversionComputation(const Conversion& change) {
  const OpKind kind = change.op->kind;
  const AxesInfo& info = *change.op->As<AxesInfo>();
  Frame inner;
  inner.manual = change.inside;
  inner.computation = NewComputation(kManualBody, hlo::kNoId);
  ConversionBody body(*this, inner, graph_.meshes().mesh(change.inside.mesh),
                      change.part->element_type());
  const NodeId parameter = body.Parameter(*change.part);
  const NodeId root = kind == OpKind::kAllReduce
                          ? body.AllReduce(parameter, info.axes[0], change.in.reduction())
                      : kind == OpKind::kReplicatedToUnreduced
                          ? body.ReplicatedToUnreduced(parameter, info.axes[0])
                          : body.ShardedToUnreduced(parameter, *change.whole, info.axes);
  At(inner).root = root;
  return inner.computation;
}

ManualContext PlanBuilder::AllManual(const Frame& frame, MeshId mesh) const {
  ManualContext inside = frame.manual;
  inside.mesh = mesh;
  for (int a = 0; a < graph_.meshes().mesh(mesh).num_axes(); ++a) {
    if (!absl::c_linear_search(frame.manual.axes, a)) inside.axes.push_back(a);
  }
  return inside;
}

void PlanBuilder::AddConversion(Frame& frame, Op* op) {
  const TensorSharding& out = *graph_.Find(op->result());
  const ShardingId from = EffectiveSharding(graph_, op->operand(0));
  const TensorSharding in = from == kNoSharding ? FullyClosedLike(out) : *graph_.Find(from);
  if (op->kind == OpKind::kAllReduce && in.unreduced_axes().empty()) {
    // The sum of an op's own partial results: the partitioner makes it, nothing is to be written.
    Bind(op->result(), NodeOf(frame, op->operand(0)));
    return;
  }
  const Mesh& mesh = graph_.meshes().mesh(out.mesh_id());
  const Shape& shape = op->result()->shape();
  Bind(op->result(), WriteConversion(frame, {op, in, AllManual(frame, out.mesh_id()),
                                             graph_.KeepShape(LocalShape(shape, in, mesh)),
                                             graph_.KeepShape(LocalShape(shape, out, mesh))}));
}

NodeId PlanBuilder::WriteConversion(Frame& frame, const Conversion& change) {
  const Op* op = change.op;
  const PlanSharding mark = Text(change.inside, kNoSharding, 0);
  const auto copy = [&](NodeId node, PlanSharding sharding) {
    return AddCopy(frame, node, sharding, NodeRole::kConversion, op->source);
  };
  const auto convert = [&](const char* target, NodeId node, const Shape* to,
                           PlanSharding sharding) {
    PlanNode conversion = ManualConversion(&plan_, target, op->source, node, to, sharding);
    conversion.role = NodeRole::kConversion;
    return Add(frame, conversion);
  };
  PlanNode call;
  call.opcode = Opcode::kCall;
  call.role = NodeRole::kConversion;
  call.source = op->source;
  call.shape = change.whole;
  call.sharding = mark;
  call.called = plan_.Keep({ConversionComputation(change)});

  const ShardingId in = graph_.shardings().Intern(change.in);
  const NodeId start = copy(NodeOf(frame, op->operand(0)), Text(frame, in, change.in.rank()));
  call.operands = plan_.Keep({convert(kFullToShard, start, change.part, mark)});
  const NodeId end = copy(Add(frame, call), mark);
  const Shape* whole = graph_.KeepShape(WithDefaultLayout(op->result()->shape()));
  return convert(kShardToFull, end, whole, Text(frame, op->result()));
}

}  // namespace tessera::sharding::graph
