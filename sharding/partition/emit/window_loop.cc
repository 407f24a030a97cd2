#include "tessera/sharding/partition/emit/window_loop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

namespace {

// The index that lies along `dim` of one array.
DotDim IndexAt(const DotDims& dims, Side side, int64_t dim) {
  for (const DotDimList* list :
       {&dims.batch, &dims.contracting, &dims.lhs_non_contracting, &dims.rhs_non_contracting}) {
    for (const DotDim& index : *list) {
      if (DimOf(index, side) == dim) return index;
    }
  }
  return {};
}

}  // namespace

WindowLoop::WindowLoop(Tools tools, const recipe::Windows& windows, Id dot)
    : tools_(std::move(tools)),
      windows_(windows),
      dot_(dot),
      dims_(DimsOfProduct(*tools_.input, dot)) {
  const Side stays = windows_.lhs_moves ? Side::kRhs : Side::kLhs;
  const DotDim index = windows_.taken.empty()
                           ? IndexAt(dims_, Side::kOut, windows_.placed.front().dim)
                           : IndexAt(dims_, stays, windows_.taken.front().dim);
  lhs_two_ = index.lhs;
  rhs_two_ = index.rhs;
  // A spatial dimension that is contracted has one element in the result, too.
  out_two_ = windows_.kind == Kind::kContracting ? -1 : index.out;
}

// Sums are padded in no dimension.
std::vector<int64_t> WindowLoop::PaddedOut() const {
  std::vector<int64_t> dims(windows_.dims.begin(), windows_.dims.end());
  for (const recipe::Windows::Part& part : windows_.placed) {
    At(dims, part.dim) = *std::max_element(part.starts.begin(), part.starts.end()) + part.size;
  }
  return dims;
}

WindowLoop::State WindowLoop::Begin(Id lhs, Id rhs, BodyWriter* body) const {
  State state = {lhs, rhs, 0, 0, 0};
  const ElementType type = tools_.input->shape(dot_).element_type();
  const Shape out = MakeShape(type, PaddedOut());
  if (InBothDirections() && !IsScatter()) {
    Id& moving = Moving(state);
    moving = WithOne(body, moving, windows_.lhs_moves ? lhs_two_ : rhs_two_);
  }
  state.out = body->Zeros(out);
  state.around = InBothDirections() && !IsScatter()
                     ? tools_.permute(body, Moving(state), windows_.forth)
                     : body->Zeros(out);
  state.trip = U32(body, 0);
  return state;
}

Shape WindowLoop::StateShape(const State& state, const BodyWriter& body) const {
  std::vector<Shape> shapes;
  for (Id id : {state.lhs, state.rhs, state.out, state.around, state.trip}) {
    shapes.push_back(body.shape(id));
  }
  return Shape::Tuple(std::move(shapes));
}

WindowLoop::State WindowLoop::Unpack(BodyWriter* body, const Shape& shape) const {
  const Id all = tools_.parameter(body, "param", shape);
  return {body->Element(all, 0), body->Element(all, 1), body->Element(all, 2),
          body->Element(all, 3), body->Element(all, 4)};
}

WindowLoop::Id WindowLoop::Pack(BodyWriter* body, const State& state, const Shape& shape) const {
  return body->Add(Opcode::kTuple, shape,
                   {state.lhs, state.rhs, state.out, state.around, state.trip});
}

// The counter goes on by two where a trip multiplies twice two shards.
hlo::ComputationId WindowLoop::Condition(const Shape& shape) const {
  BodyWriter body = tools_.new_body(IsScatter() ? "windowed_dot_general_cond_rs"
                                                : "windowed_dot_general_cond_ag");
  const Id trip = body.Element(tools_.parameter(&body, "param", shape), 4);
  const Id end = U32(&body, InBothDirections() ? windows_.devices / 2 : windows_.devices);
  tools_.module->SetRoot(body.computation(),
                         body.Add(Opcode::kCompare, MakeShape(ElementType::kPred, {}), {trip, end},
                                  {{AttributeName::kDirection, "LT"}}));
  return body.computation();
}

hlo::ComputationId WindowLoop::TripInBothDirections(const Shape& shape) const {
  BodyWriter body = tools_.new_body(IsScatter() ? "windowed_dot_general_body_rs"
                                                : "windowed_dot_general_body_ag");
  State now = Unpack(&body, shape);
  for (int half = 0; half < 2; ++half) {
    State next = now;
    Sent(next) = tools_.permute(&body, Sent(now), windows_.back);
    next.around = tools_.permute(&body, now.around, windows_.forth);
    // Sums are added to when they have arrived, shards are multiplied before they are sent on.
    if (IsScatter()) now.out = next.out;
    MultiplyTwo(&body, now.around, &now, &next.around);
    next.out = now.out;
    next.trip = Next(&body, now.trip);
    now = next;
  }
  tools_.module->SetRoot(body.computation(), Pack(&body, now, shape));
  return body.computation();
}

WindowLoop::Id WindowLoop::SendUnlessLast(BodyWriter* body, Id trip, Id sent) const {
  const Id has_more =
      body->Add(Opcode::kCompare, MakeShape(ElementType::kPred, {}),
                {trip, U32(body, windows_.devices)}, {{AttributeName::kDirection, "LT"}});
  const Shape shape = body->shape(sent);
  BodyWriter sends = tools_.new_body("window_collective_permute");
  const Id window = tools_.parameter(&sends, "window", shape);
  tools_.module->SetRoot(sends.computation(), tools_.permute(&sends, window, windows_.back));
  BodyWriter keeps = tools_.new_body("last_iteration_noop");
  tools_.module->SetRoot(keeps.computation(), tools_.parameter(&keeps, "window", shape));
  const Id id = body->Add(Opcode::kConditional, shape, {has_more, sent, sent});
  tools_.module->SetCalled(id, {sends.computation(), keeps.computation()});
  return id;
}

hlo::ComputationId WindowLoop::TripOneWay(const Shape& shape) const {
  BodyWriter body = tools_.new_body(IsScatter() ? "windowed_dot_general_body_rs"
                                                : "windowed_dot_general_body_ag");
  State state = Unpack(&body, shape);
  MultiplyOne(&body, &state);
  state.trip = Next(&body, state.trip);
  Sent(state) = SendUnlessLast(&body, state.trip, Sent(state));
  tools_.module->SetRoot(body.computation(), Pack(&body, state, shape));
  return body.computation();
}

WindowLoop::Id WindowLoop::Finish(BodyWriter* body, Id loop) const {
  Id out = body->Element(loop, 2);
  if (IsScatter() && InBothDirections()) {
    const Id around = tools_.permute(body, body->Element(loop, 3), windows_.forth);
    out = Two(body, Opcode::kAdd, out, around);
  }
  const std::vector<int64_t> none(windows_.dims.size(), 0);
  return SliceTo(body, out, none, windows_.dims);
}

WindowLoop::Id WindowLoop::Write(Id lhs, Id rhs, BodyWriter* body) {
  const State begin = Begin(lhs, rhs, body);
  const Shape shape = StateShape(begin, *body);
  const hlo::ComputationId condition = Condition(shape);
  const hlo::ComputationId trip =
      InBothDirections() ? TripInBothDirections(shape) : TripOneWay(shape);
  const Id loop = body->Add(Opcode::kWhile, shape, {Pack(body, begin, shape)});
  tools_.module->SetCalled(loop, {trip, condition});
  return Finish(body, loop);
}

WindowLoop::Id WindowLoop::U32(BodyWriter* body, int64_t value) const {
  return body->Scalar(ElementType::kU32, absl::StrCat(value));
}

WindowLoop::Id WindowLoop::Two(BodyWriter* body, Opcode opcode, Id a, Id b) const {
  const Shape shape = body->shape(a);
  return body->Add(opcode, shape, {a, b});
}

WindowLoop::Id WindowLoop::Next(BodyWriter* body, Id trip) const {
  return Two(body, Opcode::kAdd, trip, U32(body, 1));
}

WindowLoop::Id WindowLoop::ReshapedTo(BodyWriter* body, Id id,
                                      absl::Span<const int64_t> dims) const {
  return body->Add(Opcode::kReshape, MakeShape(body->shape(id).element_type(), dims), {id});
}

WindowLoop::Id WindowLoop::WithOne(BodyWriter* body, Id id, int64_t dim) const {
  const Shape shape = body->shape(id);
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.insert(dims.begin() + dim, 1);
  return ReshapedTo(body, id, dims);
}

WindowLoop::Id WindowLoop::Without(BodyWriter* body, Id id, int64_t dim) const {
  const Shape shape = body->shape(id);
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.erase(dims.begin() + dim);
  return ReshapedTo(body, id, dims);
}

WindowLoop::Id WindowLoop::SliceTo(BodyWriter* body, Id id, absl::Span<const int64_t> starts,
                                   absl::Span<const int64_t> limits) const {
  const Shape shape = body->shape(id);
  std::vector<hlo::SliceDimension> slice;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < limits.size(); ++i) {
    slice.push_back({starts[i], limits[i], 1});
    sizes.push_back(limits[i] - starts[i]);
  }
  if (shape.dims() == sizes) return id;
  return body->Add(Opcode::kSlice, MakeShape(shape.element_type(), sizes), {id},
                   {{AttributeName::kSlice, hlo::PrintSlice(slice)}});
}

}  // namespace tessera::sharding::partition
