// Slices, pads, masks and other recipes of one node. A step that changes nothing is left out; its
// operand takes the place of the node.

#include "tessera/sharding/partition/emit/expander.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/device_text.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::ElementType;

namespace {

// Of slice=: this size, from `start` on along `dim`, from the beginning along the others.
std::string SliceFromText(const layout::Shape& size, int64_t dim, int64_t start) {
  constexpr size_t kMostOfDim = 64;
  std::string out(static_cast<size_t>(size.rank()) * kMostOfDim + 2, '{');
  char* to = &out[1];
  for (int64_t i = 0; i < size.rank(); ++i) {
    const int64_t from = i == dim ? start : 0;
    if (i > 0) to = std::copy_n(", ", 2, to);
    *to++ = '[';
    to = PutNumber(from, to);
    *to++ = ':';
    to = PutNumber(from + size.dim(i), to);
    *to++ = ']';
  }
  *to++ = '}';
  out.resize(static_cast<size_t>(to - out.data()));
  return out;
}

std::string LeastText(ElementType type) {
  const int64_t bits = layout::BitWidth(type);
  if (type == ElementType::kPred) return "false";
  if (layout::IsSigned(type)) {
    return bits == 64 ? "-9223372036854775808" : absl::StrCat(-(int64_t{1} << (bits - 1)));
  }
  return layout::IsUnsigned(type) ? "0" : "-inf";
}

std::string MostText(ElementType type) {
  const int64_t bits = layout::BitWidth(type);
  if (type == ElementType::kPred) return "true";
  if (layout::IsSigned(type)) {
    return absl::StrCat((uint64_t{1} << (bits - 1)) - 1);
  }
  if (layout::IsUnsigned(type)) {
    return absl::StrCat(bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  }
  return "inf";
}

std::string FillText(recipe::Fill::Number value, ElementType type) {
  switch (value) {
    case recipe::Fill::Number::kZero:
      return ZeroText(type);
    case recipe::Fill::Number::kOne:
      return type == ElementType::kPred ? "true" : layout::IsComplex(type) ? "(1, 0)" : "1";
    case recipe::Fill::Number::kMinusOne:
      return layout::IsUnsigned(type) ? MostText(type) : "-1";
    case recipe::Fill::Number::kLowest:
      return LeastText(type);
    case recipe::Fill::Number::kHighest:
      break;
  }
  return MostText(type);
}

// Few have one.
bool HasChannel(const hlo::Module& module, hlo::InstructionId id) {
  for (const hlo::Attribute& attribute : module.attributes(id)) {
    if (attribute.name() == AttributeName::kChannelId) return true;
  }
  return false;
}

constexpr hlo::ShapeId kNoShape = ~hlo::ShapeId{0};

BodyWriter::Id Filled(BodyWriter& body, const layout::Shape& shape, recipe::Fill::Number value) {
  const ElementType type = shape.element_type();
  return body.Spread(shape, body.Scalar(type, FillText(value, type)));
}

}  // namespace

Expander::Expander(Output* output, const Graph& graph)
    : output_(output),
      input_(*output->input),
      module_(*output->module),
      graph_(graph),
      shapes_(graph.num_shapes(), kNoShape),
      is_named_(input_.num_instructions()) {
  for (Id id = 0; id < input_.num_instructions(); ++id) {
    if (!HasChannel(input_, id)) continue;
    const auto used = hlo::GetInt(input_, id, AttributeName::kChannelId);
    if (used.has_value()) last_channel_ = std::max(last_channel_, *used);
  }
}

absl::StatusOr<Expander::Id> Expander::Expand(NodeId node, Ids operands, BodyWriter* body) {
  const Node& expanded = graph_.node(node);
  const Site at = {node, expanded, operands, *body};
  if (expanded.form >= 0) {
    const CollectiveForm& form = At(graph_.forms(), expanded.form);
    // What moves in a loop is written with the loop.
    if (form.trips > 0) return operands[0];
    return form.given == hlo::kNoId ? MadeCollective(at, form) : Written(at, operands, {});
  }
  return std::visit([&](const auto& recipe) { return Of(at, recipe); },
                    graph_.recipes()[expanded.recipe]);
}

hlo::ShapeId Expander::ShapeOf(const Node& node) {
  hlo::ShapeId& known = shapes_[Graph::NumberOf(node.shape)];
  if (known == kNoShape) known = InternWithoutLayout(*node.shape, &module_);
  return known;
}

absl::string_view Expander::IndexText(int32_t index) {
  if (Size(index_texts_) <= index) index_texts_.resize(static_cast<size_t>(index) + 1);
  absl::string_view& text = At(index_texts_, index);
  if (text.empty()) text = module_.Keep(absl::AlphaNum(index).Piece());
  return text;
}

absl::string_view Expander::SizesOf(hlo::ShapeId shape) {
  if (shape >= size_texts_.size()) size_texts_.resize(module_.num_shapes());
  absl::string_view& text = size_texts_[shape];
  if (text.empty()) text = module_.Keep(hlo::PrintInts(module_.interned_shape(shape).dims()));
  return text;
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at,
                                          const recipe::DefaultSharding& /*unsaid*/) {
  if (at.node.opcode == Opcode::kFusion && graph_.options().is_for_costs) {
    return Written(at, at.operands.first(input_.operands(at.node.cause).size()), {});
  }
  return absl::UnimplementedError(absl::StrCat(
      "XLA's partitioner cuts the operands of this ", hlo::OpcodeName(at.node.opcode),
      " and not its computation, which its verifier refuses: partition the module before it is "
      "fused. `tessera collectives` says what it sends"));
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Plain& /*plain*/) {
  if (at.node.opcode != Opcode::kGetTupleElement) {
    return at.body.AddKept(at.node.opcode, ShapeOf(at.node), at.operands, {});
  }
  return at.body.AddKept(at.node.opcode, ShapeOf(at.node), at.operands,
                         {{AttributeName::kIndex, IndexText(at.node.element), 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::AsWritten& written) {
  if (at.node.opcode == Opcode::kConstant) return WrittenConstant(at);
  return Written(at, at.operands, written);
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::SliceAsWritten& /*slice*/) {
  recipe::Slice local = {hlo::GetSlice(input_, at.node.cause)};
  const layout::Shape& from = at.body.shape(at.operands[0]);
  for (int64_t i = 0; i < from.rank(); ++i) {
    if (from.dim(i) == at.node.shape->dim(i)) At(local.dims, i) = {0, from.dim(i), 1};
  }
  return Written(at, at.operands, {{{AttributeName::kSlice, hlo::PrintSlice(local.dims)}}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Dimensions& dimensions) {
  const absl::string_view dims = TextOf(at, [&] { return hlo::PrintInts(dimensions.dims); });
  return at.body.AddKept(at.node.opcode, ShapeOf(at.node), at.operands,
                         {{AttributeName::kDimensions, dims, 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Slice& slice) {
  const absl::string_view dims = TextOf(at, [&] { return hlo::PrintSlice(slice.dims); });
  return at.body.AddKept(Opcode::kSlice, ShapeOf(at.node), at.operands,
                         {{AttributeName::kSlice, dims, 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::SliceFrom& slice) {
  const absl::string_view dims =
      TextOf(at, [&] { return SliceFromText(*at.node.shape, slice.dim, slice.start); });
  return at.body.AddKept(Opcode::kSlice, ShapeOf(at.node), at.operands,
                         {{AttributeName::kSlice, dims, 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Pad& pad) {
  const absl::string_view dims = TextOf(at, [&] { return hlo::PrintPadding(pad.dims); });
  return at.body.AddKept(Opcode::kPad, ShapeOf(at.node), at.operands,
                         {{AttributeName::kPadding, dims, 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::DynamicSlice& slice) {
  if (at.body.shape(at.operands[0]).dims() == at.node.shape->dims()) return at.operands[0];
  absl::InlinedVector<Id, 8> operands = {at.operands[0]};
  for (TableId start : slice.starts) operands.push_back(at.body.Number(start));
  const hlo::ShapeId shape = ShapeOf(at.node);
  return at.body.AddKept(Opcode::kDynamicSlice, shape, operands,
                         {{AttributeName::kDynamicSliceSizes, SizesOf(shape), 0}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::StartsGiven& given) {
  const size_t arrays = at.node.opcode == Opcode::kDynamicSlice ? 1 : 2;
  std::vector<Id> operands(at.operands.begin(), at.operands.begin() + arrays);
  const Ids starts = at.operands.subspan(arrays);
  const ElementType type =
      starts.empty() ? ElementType::kS32 : at.body.shape(starts[0]).element_type();
  for (int64_t dim = 0; dim < at.node.shape->rank(); ++dim) {
    const auto found = std::find(given.dims.begin(), given.dims.end(), dim) - given.dims.begin();
    operands.push_back(found < Size(given.dims) ? At(starts, found) : at.body.Scalar(type, "0"));
  }
  recipe::AsWritten written;
  if (arrays == 1) {
    written.instead = {{AttributeName::kDynamicSliceSizes, hlo::PrintInts(at.node.shape->dims())}};
  }
  return Written(at, operands, written);
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Concatenate& concatenate) {
  if (at.operands.size() == 1) return at.operands[0];
  return at.body.Add(Opcode::kConcatenate, ShapeOf(at.node), at.operands,
                     {{AttributeName::kDimensions, hlo::PrintInts({concatenate.dim})}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Iota& iota) {
  const Id counted = Written(at, {}, {});
  if (iota.start == Recipes::kZeros) return counted;
  Id start = at.body.Number(iota.start);
  const ElementType type = at.node.shape->element_type();
  if (type != ElementType::kS32) {
    start = at.body.Add(Opcode::kConvert, layout::Shape::Array(type, {}, std::nullopt), {start});
  }
  return at.body.Add(Opcode::kAdd, *at.node.shape,
                     {counted, at.body.Spread(*at.node.shape, start)});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Fill& fill) {
  return Filled(at.body, *at.node.shape, fill.value);
}

Expander::Id Expander::AllOf(const Site& at, const std::vector<Id>& conditions) {
  Id all = conditions[0];
  for (size_t i = 1; i < conditions.size(); ++i) {
    all = at.body.Add(Opcode::kAnd, at.body.shape(all), {all, conditions[i]});
  }
  return all;
}

// The value where it is in range, else the scalar.
Expander::Id Expander::Within(const Site& at, const recipe::InRange& range, Id value, Id scalar) {
  const layout::Shape shape = at.body.shape(value);
  const layout::Shape mask = layout::Shape::Array(ElementType::kPred, shape.dims(), std::nullopt);
  std::vector<Id> conditions;
  for (const recipe::InRange::Range& r : range.ranges) {
    const DeviceTable& starts = graph_.recipes().table(r.start);
    const auto compare = [&](int64_t limit, absl::string_view direction) {
      const Id indices = at.body.Indices(mask, r.dim, r.start);
      const Id bound = at.body.Scalar(ElementType::kS32, absl::StrCat(limit));
      conditions.push_back(at.body.Add(Opcode::kCompare, mask,
                                       {indices, at.body.Spread(mask, bound)},
                                       {{AttributeName::kDirection, direction}}));
    };
    if (starts.least < r.low) compare(r.low, "GE");
    if (starts.most + mask.dim(r.dim) > r.high) compare(r.high, "LT");
  }
  if (conditions.empty()) return value;
  const Id fill = at.body.Spread(shape, scalar);
  return at.body.Add(Opcode::kSelect, shape, {AllOf(at, conditions), value, fill});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::InRange& range) {
  return Within(at, range, at.operands[0], at.operands[1]);
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::OnDevices& chosen) {
  const layout::Shape& shape = *at.node.shape;
  const Id number = at.body.Number(chosen.id), other = Filled(at.body, shape, chosen.other);
  if (!chosen.device.has_value()) {
    const Id is_later = at.body.Add(Opcode::kConvert, MakeShape(ElementType::kPred, {}), {number});
    return at.body.Add(Opcode::kSelect, shape,
                       {at.body.Spread(shape, is_later), other, at.operands[0]});
  }
  const Id device = at.body.Scalar(ElementType::kU32, absl::StrCat(*chosen.device));
  return at.body.Add(
      Opcode::kSelect, shape,
      {at.body.Spread(shape, Compare(at, number, "EQ", device)), at.operands[0], other});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::PlaceInZeros& place) {
  const ElementType type = at.node.shape->element_type();
  const Id zero = at.body.Scalar(type, ZeroText(type));
  std::vector<TableId> starts(static_cast<size_t>(at.node.shape->rank()), Recipes::kZeros);
  for (const recipe::InRange::Range& range : place.within.ranges)
    At(starts, range.dim) = range.start;
  std::vector<Id> operands = {at.body.Spread(*at.node.shape, zero),
                              Within(at, place.within, at.operands[0], zero)};
  for (TableId start : starts) operands.push_back(at.body.Number(start));
  return at.body.Add(Opcode::kDynamicUpdateSlice, *at.node.shape, operands);
}

}  // namespace tessera::sharding::partition
