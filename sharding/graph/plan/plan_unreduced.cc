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
//
// All parts have to be of one size. Dimensions that `in` or `out` do not divide are padded with
// zeros first, and what was added is cut off last:
//
//   pad {in} -> copy {in} -> .. -> SPMDShardToFullShape {out} -> slice {out}

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/plan/conversion_body.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/graph/plan/regions/manual_calls.h"
#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::graph {
namespace {

using hlo::Opcode;
using layout::Shape;

Shape LocalShape(const Shape& shape, const TensorSharding& s, const Mesh& mesh) {
  return Shape::Array(shape.element_type(), sharding::LocalShape(s, mesh, shape.dims()));
}

// The smallest shape that holds `shape` and that both shardings divide.
Shape PaddedShape(const Shape& shape, const TensorSharding& a, const TensorSharding& b,
                  const Mesh& mesh) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  for (int d = 0; d < a.rank(); ++d) {
    const int64_t parts =
        std::lcm(ShardedSize(a.dim(d).axes, mesh), ShardedSize(b.dim(d).axes, mesh));
    int64_t& size = dims[static_cast<size_t>(d)];
    size = (size + parts - 1) / parts * parts;
  }
  return Shape::Array(shape.element_type(), dims);
}

// padding=0_1x0_0
std::string PaddingText(const Shape& from, const Shape& to) {
  std::string text;
  for (int64_t d = 0; d < from.rank(); ++d) {
    absl::StrAppend(&text, d > 0 ? "x" : "", "0_", to.dim(d) - from.dim(d));
  }
  return text;
}

// slice={[0:3], [0:5]}
std::string SliceText(const Shape& to) {
  return absl::StrCat(
      "{",
      absl::StrJoin(to.dims(), ", ",
                    [](std::string* out, int64_t size) { absl::StrAppend(out, "[0:", size, "]"); }),
      "}");
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
// result and `whole`. `padded`: what all parts make up together.
struct PlanBuilder::Conversion {
  const Op* op;
  TensorSharding in;
  ManualContext inside;
  const Shape* padded;
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
  const Shape padded = PaddedShape(op->result()->shape(), in, out, mesh);
  Bind(op->result(),
       WriteConversion(frame, {op, in, AllManual(frame, out.mesh_id()), graph_.KeepShape(padded),
                               graph_.KeepShape(LocalShape(padded, in, mesh)),
                               graph_.KeepShape(LocalShape(padded, out, mesh))}));
}

NodeId PlanBuilder::AddPadding(Frame& frame, const Conversion& change, PlanSharding sharding) {
  const NodeId value = NodeOf(frame, change.op->operand(0));
  const Shape& shape = change.op->operand(0)->shape();
  if (shape.dims() == change.padded->dims()) return value;
  PlanNode zero;
  zero.opcode = Opcode::kConstant;
  zero.role = NodeRole::kConversion;
  zero.shape = graph_.KeepShape(Shape::Array(shape.element_type(), {}));
  zero.own = plan_.Keep({{}, ZeroLiteral(shape.element_type())});
  zero.sharding = Text(frame, kNoSharding, 0);
  PlanNode pad;
  pad.opcode = Opcode::kPad;
  pad.role = NodeRole::kConversion;
  pad.shape = change.padded;
  pad.operands = plan_.Keep({value, Add(frame, zero)});
  pad.own = plan_.Keep({{{hlo::AttributeName::kPadding, PaddingText(shape, *change.padded)}}, ""});
  pad.sharding = sharding;
  return Add(frame, pad);
}

// `converted`, and what was padded cut off.
NodeId PlanBuilder::AddConverted(Frame& frame, const Conversion& change, PlanNode converted) {
  const Shape* whole = graph_.KeepShape(WithDefaultLayout(change.op->result()->shape()));
  if (whole->dims() == change.padded->dims()) {
    converted.shape = whole;
    return Add(frame, converted);
  }
  PlanNode slice;
  slice.opcode = Opcode::kSlice;
  slice.role = NodeRole::kConversion;
  slice.source = std::exchange(converted.source, hlo::kNoId);
  slice.shape = whole;
  slice.operands = plan_.Keep({Add(frame, converted)});
  slice.own = plan_.Keep({{{hlo::AttributeName::kSlice, SliceText(*whole)}}, ""});
  slice.sharding = converted.sharding;
  return Add(frame, slice);
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
    return conversion;
  };
  PlanNode call;
  call.opcode = Opcode::kCall;
  call.role = NodeRole::kConversion;
  call.source = op->source;
  call.shape = change.whole;
  call.sharding = mark;
  call.called = plan_.Keep({ConversionComputation(change)});

  const ShardingId in = graph_.shardings().Intern(change.in);
  const PlanSharding before = Text(frame, in, change.in.rank());
  const NodeId start = copy(AddPadding(frame, change, before), before);
  call.operands = plan_.Keep({Add(frame, convert(kFullToShard, start, change.part, mark))});
  const NodeId end = copy(Add(frame, call), mark);
  return AddConverted(frame, change,
                      convert(kShardToFull, end, change.padded, Text(frame, op->result())));
}

}  // namespace tessera::sharding::graph
