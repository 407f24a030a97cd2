// Infeed and outfeed in the shape of HLO. Both hold their data in a tuple of its own, as flat as
// the ops of the program are:
//
//   program   v, w, t = infeed(s)      HLO   i = ((v, w), token[]) infeed(s); d = i#0; v = d#0; ..
//   program   t = outfeed(v, w, s)     HLO   d = tuple(v, w); t = outfeed(d, s)
//
// An instruction without a sharding after propagation keeps the `sharding=` of the module.

#include <algorithm>
#include <utility>

#include "tessera/layout/shape_text.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/passes/emit/lowering.h"

namespace tessera::sharding::passes {

using hlo::AttributeName;
using hlo::Opcode;
using layout::Shape;

// None if there is none, or one that reads as none.
HloShardingId Lowering::GivenText(hlo::InstructionId source) {
  const auto text = program_.module().FindAttribute(source, AttributeName::kSharding);
  if (!text.has_value()) return kNoHloSharding;
  const auto sharding = ParseHloSharding(std::string(*text));
  if (!sharding.ok()) return kNoHloSharding;
  if (!sharding->IsTuple()) return form_.shardings.Add(*sharding);
  std::vector<HloShardingId> leaves;
  for (const HloSharding& leaf : sharding->elements()) leaves.push_back(form_.shardings.Add(leaf));
  return form_.shardings.Tuple(leaves);
}

void Lowering::LowerInfeed(Frame& frame, Op* op) {
  const size_t num_data = op->results.size() - 1;
  HloShardingId all = form_.shardings.Tuple(ResultTexts(frame, op));
  if (all == kNoHloSharding) all = GivenText(op->source);
  std::vector<Shape> shapes;
  std::vector<HloShardingId> shardings;
  for (size_t i = 0; i < num_data; ++i) {
    shapes.push_back(op->results[i].shape());
    shardings.push_back(form_.shardings.Leaf(all, i));
  }
  const Shape* const shape = program_.KeepShape(
      Shape::Tuple({Shape::Tuple(std::move(shapes)), op->results[num_data].shape()}));
  const bool pure = IsPure(op);
  Value* const made = Rebuild(frame, op, Opcode::kInfeed, PackedOperands(frame, op), shape, all);
  made->def()->pure = pure;
  Value* const data = AddElement(frame, made, 0, form_.shardings.Tuple(shardings));
  Values results;
  for (size_t i = 0; i < num_data; ++i) {
    Value* const element = AddElement(frame, data, static_cast<int64_t>(i), shardings[i]);
    // Users take the element for one in the default layout.
    fed_.emplace_back(element, &element->shape());
    element->set_shape(RowMajor(&element->shape()));
    results.push_back(element);
  }
  results.push_back(AddElement(frame, made, 1, form_.shardings.Leaf(all, num_data)));
  program_.Replace(op, results);
}

// At the end, tuple elements get the layouts of their infeeds.
void Lowering::LayOutFed() {
  for (const auto& [element, shape] : fed_) element->set_shape(shape);
}

void Lowering::LowerOutfeed(Frame& frame, Op* op) {
  Values data = OperandsOf(op);
  Value* const token = data.back();
  data.pop_back();
  std::vector<HloShardingId> shardings;
  for (const Value* value : data) shardings.push_back(HloShardingOf(value));
  Value* const packed = AddTuple(frame, data, form_.shardings.Tuple(shardings));
  HloShardingId sharding = Text(frame, op->result());
  if (sharding == kNoHloSharding) sharding = GivenText(op->source);
  Value* const made =
      Rebuild(frame, op, Opcode::kOutfeed, {packed, token}, &op->result()->shape(), sharding);
  made->def()->pure = false;
  const Shape& written = program_.module().shape(program_.module().operands(op->source)[0]);
  const bool is_flat =
      written.is_tuple() &&
      std::none_of(written.tuple_elements().begin(), written.tuple_elements().end(),
                   [](const Shape& element) { return element.is_tuple(); });
  if (!is_flat) {
    InfoOf(made).attributes = {
        {AttributeName::kOutfeedShape, layout::ShapeToString(packed->shape())}};
  }
  program_.Replace(op, {made});
}

}  // namespace tessera::sharding::passes
