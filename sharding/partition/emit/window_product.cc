// One product of a dot in windows: which shards it is of, what is taken of the operand that stays,
// and where the result goes.
//
//   // on device 3 of 8, trip 1: the shards of devices 4 and 1, that is (1 + 3) % 8 and (8 + 3 - 1 - 1) % 8

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/emit/window_loop.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using hlo::DotDimensions;
using hlo::IntList;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

namespace {

// These have an infinity, so that a maximum joins what is padded with it.
bool HasInfinity(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBf16 || type == ElementType::kF16 ||
         type == ElementType::kF64;
}

void ShiftFrom(int64_t dim, IntList* list) {
  for (int64_t& entry : *list) entry += entry >= dim ? 1 : 0;
}

// A pair of dimensions in front of that pair of which `lhs` has `dim`, which is shifted already.
void InsertPair(int64_t lhs_dim, int64_t rhs_dim, IntList* lhs, IntList* rhs) {
  const auto at = std::find(lhs->begin(), lhs->end(), lhs_dim + 1) - lhs->begin();
  if (at == static_cast<int64_t>(lhs->size())) return;
  lhs->insert(lhs->begin() + at, lhs_dim);
  rhs->insert(rhs->begin() + at, rhs_dim);
}

bool Has(const IntList& list, int64_t dim) {
  return std::find(list.begin(), list.end(), dim) != list.end();
}

}  // namespace

DotDimensions WindowLoop::DimsWithTwo() const {
  DotDimensions dims = hlo::GetDotDimensions(*tools_.input, dot_);
  if (lhs_two_ >= 0) ShiftFrom(lhs_two_, &dims.lhs_batch);
  if (lhs_two_ >= 0) ShiftFrom(lhs_two_, &dims.lhs_contracting);
  if (rhs_two_ >= 0) ShiftFrom(rhs_two_, &dims.rhs_batch);
  if (rhs_two_ >= 0) ShiftFrom(rhs_two_, &dims.rhs_contracting);
  if (lhs_two_ < 0 || rhs_two_ < 0) return dims;
  InsertPair(lhs_two_, rhs_two_, &dims.lhs_batch, &dims.rhs_batch);
  InsertPair(lhs_two_, rhs_two_, &dims.lhs_contracting, &dims.rhs_contracting);
  return dims;
}

WindowLoop::Id WindowLoop::Dot(BodyWriter* body, Id lhs, Id rhs, const DotDimensions& dims) const {
  const Shape left = body->shape(lhs), right = body->shape(rhs);
  std::vector<int64_t> out;
  for (int64_t dim : dims.lhs_batch) out.push_back(left.dim(dim));
  for (int64_t i = 0; i < left.rank(); ++i) {
    if (!Has(dims.lhs_batch, i) && !Has(dims.lhs_contracting, i)) out.push_back(left.dim(i));
  }
  for (int64_t i = 0; i < right.rank(); ++i) {
    if (!Has(dims.rhs_batch, i) && !Has(dims.rhs_contracting, i)) out.push_back(right.dim(i));
  }
  absl::InlinedVector<BodyWriter::AttributeText, 6> said;
  std::vector<std::string> texts;
  texts.reserve(4);
  const auto say = [&](AttributeName name, const IntList& list) {
    if (list.empty()) return;
    texts.push_back(hlo::PrintInts(list));
    said.push_back({name, texts.back()});
  };
  say(AttributeName::kLhsBatchDims, dims.lhs_batch);
  say(AttributeName::kLhsContractingDims, dims.lhs_contracting);
  say(AttributeName::kRhsBatchDims, dims.rhs_batch);
  say(AttributeName::kRhsContractingDims, dims.rhs_contracting);
  for (AttributeName name : {AttributeName::kOperandPrecision, AttributeName::kAlgorithm}) {
    const auto text = tools_.input->FindAttribute(dot_, name);
    if (text.has_value()) said.push_back({name, *text});
  }
  return body->Add(Opcode::kDot, MakeShape(tools_.input->shape(dot_).element_type(), out),
                   {lhs, rhs}, said);
}

WindowLoop::Id WindowLoop::Product(BodyWriter* body, Id lhs, Id rhs, bool of_two) const {
  if (tools_.input->instruction(dot_).opcode == Opcode::kConvolution) {
    return Convolve(body, lhs, rhs, of_two);
  }
  return Dot(body, lhs, rhs, of_two ? DimsWithTwo() : hlo::GetDotDimensions(*tools_.input, dot_));
}

WindowLoop::Id WindowLoop::Number(BodyWriter* body) const {
  const Id device = body->PartitionId();
  const int64_t devices = tools_.input->header().num_partitions;
  if (windows_.devices == devices) return device;
  return body->Add(Opcode::kConvert, MakeShape(ElementType::kU32, {}),
                   {body->Number(windows_.number)});
}

WindowLoop::Sources WindowLoop::SourcesOf(BodyWriter* body, Id trip) const {
  const Id number = Number(body), devices = U32(body, windows_.devices);
  const int64_t half = windows_.devices / 2;
  Id after = Two(body, Opcode::kAdd, trip, number);
  if (IsScatter()) after = Two(body, Opcode::kAdd, after, U32(body, half + 1));
  Id ahead = Two(body, Opcode::kAdd, devices, number);
  ahead = Two(body, Opcode::kSubtract, ahead, U32(body, IsScatter() ? half : 1));
  ahead = Two(body, Opcode::kSubtract, ahead, trip);
  return {Two(body, Opcode::kRemainder, after, devices),
          Two(body, Opcode::kRemainder, ahead, devices)};
}

WindowLoop::Id WindowLoop::StartOf(BodyWriter* body, const recipe::Windows::Part& part,
                                   Id source) const {
  const Id all =
      body->Add(Opcode::kConstant, MakeShape(ElementType::kS32, {Size(part.starts)}), {});
  tools_.module->SetLiteralText(all, absl::StrCat("{", absl::StrJoin(part.starts, ", "), "}"));
  const Id own = body->Add(Opcode::kDynamicSlice, MakeShape(ElementType::kS32, {1}), {all, source},
                           {{AttributeName::kDynamicSliceSizes, "{1}"}});
  return body->Add(Opcode::kReshape, MakeShape(ElementType::kS32, {}), {own});
}

// With zeros after it, as far as the last part goes.
WindowLoop::Id WindowLoop::Padded(BodyWriter* body, Id whole) const {
  const Shape shape = body->shape(whole);
  Shape padded = shape;
  std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(shape.rank()));
  for (const recipe::Windows::Part& part : windows_.taken) {
    const int64_t end = *std::max_element(part.starts.begin(), part.starts.end()) + part.size;
    At(padding, part.dim).high = end - shape.dim(part.dim);
    padded.set_dim(part.dim, end);
  }
  if (padded == shape) return whole;
  const Id zero = body->Scalar(shape.element_type(), ZeroText(shape.element_type()));
  return body->Add(Opcode::kPad, padded, {whole, zero},
                   {{AttributeName::kPadding, hlo::PrintPadding(padding)}});
}

WindowLoop::Id WindowLoop::TakeOne(BodyWriter* body, Id whole, Id source) const {
  const Id padded = Padded(body, whole);
  Shape shape = body->shape(padded);
  std::vector<Id> operands = {padded};
  operands.resize(static_cast<size_t>(shape.rank()) + 1, body->Scalar(ElementType::kS32, "0"));
  for (const recipe::Windows::Part& part : windows_.taken) {
    At(operands, part.dim + 1) = StartOf(body, part, source);
    shape.set_dim(part.dim, part.size);
  }
  const IntList sizes(shape.dims().begin(), shape.dims().end());
  return body->Add(Opcode::kDynamicSlice, shape, operands,
                   {{AttributeName::kDynamicSliceSizes, hlo::PrintInts(sizes)}});
}

// Each part is padded to both, and the two are joined as XLA does it: by a maximum.
WindowLoop::Id WindowLoop::TakeTwo(BodyWriter* body, Id whole, const Sources& sources) const {
  const int64_t two = windows_.taken.front().dim;
  const Id one = WithOne(body, Padded(body, whole), two);
  Shape shape = body->shape(one);
  const ElementType type = shape.element_type();
  shape.set_dim(two, 2);
  const Id fill = body->Scalar(type, HasInfinity(type) ? "-inf" : ZeroText(type));
  const auto part_of = [&](Id source, bool is_high) {
    std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(shape.rank()));
    (is_high ? At(padding, two).high : At(padding, two).low) = 1;
    const Id padded = body->Add(Opcode::kPad, shape, {one, fill},
                                {{AttributeName::kPadding, hlo::PrintPadding(padding)}});
    std::vector<Id> operands = {padded};
    operands.resize(static_cast<size_t>(shape.rank()) + 1, body->Scalar(ElementType::kS32, "0"));
    Shape part = shape;
    for (const recipe::Windows::Part& taken : windows_.taken) {
      const int64_t dim = taken.dim + (taken.dim >= two ? 1 : 0);
      At(operands, dim + 1) = StartOf(body, taken, source);
      part.set_dim(dim, taken.size);
    }
    const IntList sizes(part.dims().begin(), part.dims().end());
    return body->Add(Opcode::kDynamicSlice, part, operands,
                     {{AttributeName::kDynamicSliceSizes, hlo::PrintInts(sizes)}});
  };
  const Id after = part_of(sources.after, true), ahead = part_of(sources.ahead, false);
  return Two(body, HasInfinity(type) ? Opcode::kMaximum : Opcode::kAdd, after, ahead);
}

WindowLoop::Id WindowLoop::Half(BodyWriter* body, Id product, int64_t which) const {
  const Shape shape = body->shape(product);
  std::vector<int64_t> starts(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> limits(shape.dims().begin(), shape.dims().end());
  At(starts, out_two_) = which;
  At(limits, out_two_) = which + 1;
  return Without(body, SliceTo(body, product, starts, limits), out_two_);
}

WindowLoop::Id WindowLoop::Place(BodyWriter* body, Id out, Id part, Id source) const {
  const Shape shape = body->shape(out);
  std::vector<Id> operands = {out, part};
  operands.resize(static_cast<size_t>(shape.rank()) + 2, body->Scalar(ElementType::kS32, "0"));
  for (const recipe::Windows::Part& placed : windows_.placed) {
    At(operands, placed.dim + 2) = StartOf(body, placed, source);
  }
  return body->Add(Opcode::kDynamicUpdateSlice, shape, operands);
}

void WindowLoop::MultiplyTwo(BodyWriter* body, Id ahead, State* state, Id* around) const {
  const Sources sources = SourcesOf(body, state->trip);
  State both = *state;
  if (!windows_.taken.empty()) Staying(both) = TakeTwo(body, Staying(both), sources);
  if (!IsScatter()) {
    const int64_t dim = windows_.lhs_moves ? lhs_two_ : rhs_two_;
    Shape joined = body->shape(Moving(both));
    joined.set_dim(dim, 2);
    Moving(both) = body->Add(Opcode::kConcatenate, joined, {Moving(both), ahead},
                             {{AttributeName::kDimensions, absl::StrCat("{", dim, "}")}});
  }
  const Id product = Product(body, both.lhs, both.rhs, /*of_two=*/true);
  if (windows_.kind == Kind::kContracting) {
    state->out = Two(body, Opcode::kAdd, state->out, product);
    return;
  }
  const Id first = Half(body, product, 0), second = Half(body, product, 1);
  if (IsScatter()) {
    state->out = Two(body, Opcode::kAdd, state->out, first);
    *around = Two(body, Opcode::kAdd, *around, second);
    return;
  }
  state->out = Place(body, state->out, first, sources.after);
  state->out = Place(body, state->out, second, sources.ahead);
}

void WindowLoop::MultiplyOne(BodyWriter* body, State* state) const {
  // A sum ends on the device that keeps it.
  const Id trip = IsScatter() ? Next(body, state->trip) : state->trip;
  const Id source = Two(body, Opcode::kRemainder, Two(body, Opcode::kAdd, trip, Number(body)),
                        U32(body, windows_.devices));
  State part = *state;
  if (!windows_.taken.empty()) Staying(part) = TakeOne(body, Staying(part), source);
  const Id product = Product(body, part.lhs, part.rhs, /*of_two=*/false);
  state->out = AddsToOut() ? Two(body, Opcode::kAdd, state->out, product)
                           : Place(body, state->out, product, source);
}

}  // namespace tessera::sharding::partition
