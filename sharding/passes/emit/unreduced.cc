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
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/emit/conversion_body.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/regions/manual_calls.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {
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

int64_t Lowering::NextChannel() {
  if (next_channel_ == 0) {
    const hlo::Module& module = program_.module();
    for (hlo::InstructionId i = 0; i < module.num_instructions(); ++i) {
      const auto used = hlo::GetInt(module, i, hlo::AttributeName::kChannelId);
      if (used.has_value()) next_channel_ = std::max(next_channel_, *used);
    }
  }
  return ++next_channel_;
}

// The computation that combines two elements of an all-reduce.
int Lowering::AddCombiner(const Frame& frame, Opcode opcode, layout::ElementType type) {
  Frame inner;
  inner.manual = frame.manual;
  inner.at = InsertPoint::AtEnd(program_.NewBlock(frame.at.block->function, hlo::kNoId));
  inner.computation = NewComputation("region", inner.at.block);
  NewNode node;
  node.opcode = opcode;
  node.role = HloRole::kConversion;
  node.shape = program_.KeepShape(Shape::Array(type, {}));
  node.sharding = Text(inner, kNoSharding, 0);
  Value* const a = AddParameter(inner.at.block, node.shape, kNoHloSharding);
  Value* const b = AddParameter(inner.at.block, node.shape, kNoHloSharding);
  program_.AddOp({OpKind::kReturn}, {Add(inner, node, {a, b})}, {}, inner.at);
  return inner.computation;
}

// A change of unreduced axes: from the sharding `in` and the local shape `part` to the result's
// sharding and `whole`. `padded`: the shape of all parts together.
struct Lowering::Conversion {
  const Op* op;
  Value* operand;
  TensorSharding in;
  ManualContext inside;
  const Shape* padded;
  const Shape* part;
  const Shape* whole;
};

int Lowering::ConversionComputation(const Conversion& change) {
  const OpKind kind = change.op->kind;
  const AxesInfo& info = *change.op->As<AxesInfo>();
  Frame inner;
  inner.manual = change.inside;
  inner.at = InsertPoint::AtEnd(program_.NewBlock(change.op->block->function, hlo::kNoId));
  inner.computation = NewComputation(kManualBody, inner.at.block);
  ConversionBody body(*this, inner, program_.meshes().mesh(change.inside.mesh),
                      change.part->element_type());
  Value* const parameter = body.Parameter(*change.part);
  body.Return(kind == OpKind::kAllReduce
                  ? body.AllReduce(parameter, info.axes[0], change.in.reduction())
              : kind == OpKind::kReplicatedToUnreduced
                  ? body.ReplicatedToUnreduced(parameter, info.axes[0])
                  : body.ShardedToUnreduced(parameter, *change.whole, info.axes));
  return inner.computation;
}

ManualContext Lowering::AllManual(const Frame& frame, MeshId mesh) const {
  ManualContext inside = frame.manual;
  inside.mesh = mesh;
  for (int a = 0; a < program_.meshes().mesh(mesh).num_axes(); ++a) {
    if (!absl::c_linear_search(frame.manual.axes, a)) inside.axes.push_back(a);
  }
  return inside;
}

// Operands are lowered before their conversion, and lowering overwrites their sharding slot; so the
// shardings are noted now.
void Lowering::NoteConversions() {
  static constexpr std::initializer_list<OpKind> kChanges = {
      OpKind::kAllReduce, OpKind::kReplicatedToUnreduced, OpKind::kShardedToUnreduced};
  if (!program_.HasAny(kChanges)) return;
  for (Function* f : program_.functions()) {
    ForEachOp(f->body, [&](const Op* op) {
      if (!absl::c_linear_search(kChanges, op->kind)) return;
      sharding_read_[op] = EffectiveSharding(program_, op->operand(0));
    });
  }
}

void Lowering::LowerConversion(Frame& frame, Op* op) {
  const TensorSharding& out = *program_.Find(op->result());
  const TensorSharding* const from = program_.Find(sharding_read_.at(op));
  const TensorSharding in = from == nullptr ? FullyClosedLike(out) : *from;
  if (op->kind == OpKind::kAllReduce && in.unreduced_axes().empty()) {
    // The sum of an op's own partial results: the partitioner makes it, nothing is to be written.
    return program_.Replace(op, {op->operand(0)});
  }
  const Mesh& mesh = program_.meshes().mesh(out.mesh_id());
  const Shape padded = PaddedShape(op->result()->shape(), in, out, mesh);
  program_.Replace(
      op, {WriteConversion(
              frame, {op, op->operand(0), in, AllManual(frame, out.mesh_id()),
                      program_.KeepShape(padded), program_.KeepShape(LocalShape(padded, in, mesh)),
                      program_.KeepShape(LocalShape(padded, out, mesh))})});
}

Value* Lowering::AddPadding(Frame& frame, const Conversion& change, HloShardingId sharding) {
  const Shape& shape = change.operand->shape();
  if (shape.dims() == change.padded->dims()) return change.operand;
  NewNode zero;
  zero.role = HloRole::kConversion;
  zero.shape = program_.KeepShape(Shape::Array(shape.element_type(), {}));
  zero.sharding = Text(frame, kNoSharding, 0);
  NewNode pad;
  pad.opcode = Opcode::kPad;
  pad.role = HloRole::kConversion;
  pad.shape = change.padded;
  pad.sharding = sharding;
  Value* const padding = AddConstant(frame, zero, ZeroLiteral(shape.element_type()));
  Value* const made = Add(frame, pad, {change.operand, padding});
  InfoOf(made).attributes = {{hlo::AttributeName::kPadding, PaddingText(shape, *change.padded)}};
  return made;
}

// `end` converted to the global shape, with the padding sliced off.
Value* Lowering::AddConverted(Frame& frame, const Conversion& change, Value* end,
                              HloShardingId sharding) {
  const hlo::InstructionId source = change.op->source;
  const Shape* const whole = RowMajor(&change.op->result()->shape());
  const auto convert = [&](hlo::InstructionId of, const Shape* to) {
    return AddBoundary(frame, kShardToFull, HloRole::kConversion, of, end, to, sharding);
  };
  if (whole->dims() == change.padded->dims()) return convert(source, whole);
  NewNode slice;
  slice.opcode = Opcode::kSlice;
  slice.role = HloRole::kConversion;
  slice.source = source;
  slice.shape = whole;
  slice.sharding = sharding;
  Value* const made = Add(frame, slice, {convert(hlo::kNoId, change.padded)});
  InfoOf(made).attributes = {{hlo::AttributeName::kSlice, SliceText(*whole)}};
  return made;
}

Value* Lowering::WriteConversion(Frame& frame, const Conversion& change) {
  const Op* op = change.op;
  const HloShardingId mark = Text(change.inside, kNoSharding, 0);
  const auto copy = [&](Value* value, HloShardingId sharding) {
    return AddCopy(frame, value, sharding, HloRole::kConversion, op->source);
  };
  const int body = ConversionComputation(change);
  const ShardingId in = program_.shardings().Intern(change.in);
  const HloShardingId before = Text(frame, in, change.in.rank());
  Value* const start = copy(AddPadding(frame, change, before), before);
  Value* const local =
      AddBoundary(frame, kFullToShard, HloRole::kConversion, op->source, start, change.part, mark);
  NewNode call;
  call.opcode = Opcode::kCall;
  call.role = HloRole::kConversion;
  call.source = op->source;
  call.shape = change.whole;
  call.sharding = mark;
  Value* const called = Add(frame, call, {local});
  InfoOf(called).called = {body};
  return AddConverted(frame, change, copy(called, mark), Text(frame, op->result()));
}

}  // namespace tessera::sharding::passes
