// Loops in the shape of HLO.
//
// A loop of the program reads outer values where it likes. In HLO it carries them. The state is a
// tuple of what changes, then of what is captured, in order of first use. What an inner region uses
// comes before the operands of its op. A tuple of one element is that element.
//
//   program   r = while(x) { .. uses w .. }      HLO   t = tuple(x, w); s = while(t); r = s#0

#include <utility>
#include <vector>

#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/regions/captures.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

struct Lowering::LoopState {
  const LoopInfo* info;
  Values captured;
  Values elements;  // what changes, then what is captured
  std::vector<HloShardingId> shardings;
  // Inside: a captured value without sharding has none.
  std::vector<Element> inside;

  size_t num_carried() const { return elements.size() - captured.size(); }
  bool is_tuple() const { return elements.size() != 1; }
};

Lowering::LoopState Lowering::StateOf(const Frame& frame, const Op* op) {
  LoopState state = {
      op->As<LoopInfo>(), CapturedBy(op), OperandsOf(op), ControlShardings(frame, op), {}};
  for (size_t i = 0; i < state.elements.size(); ++i) {
    state.inside.push_back({&state.elements[i]->shape(), state.shardings[i]});
  }
  for (Value* value : state.captured) {
    Value* const element = Here(frame, value);
    const HloShardingId own = HloShardingOf(element);
    state.elements.push_back(element);
    state.shardings.push_back(own == kNoHloSharding ? form_.shardings.Replicated() : own);
    state.inside.push_back({&element->shape(), own});
  }
  return state;
}

void Lowering::LowerWhile(Frame& frame, Op* op) {
  const LoopState state = StateOf(frame, op);
  Value* const packed = Pack(frame, state.elements, state.shardings);
  const int condition = LoopRegion(frame, op->blocks()[0], state);
  const int body = LoopRegion(frame, op->blocks()[1], state);
  for (int region : {body, condition}) SetLoopLeaves(At(region), op, state);
  Value* const made = Rebuild(frame, op, Opcode::kWhile, {packed}, &packed->shape(),
                              OneOrTuple(state.shardings, state.is_tuple()));
  InfoOf(made).called = {body, condition};
  made->def()->pure = !HasEffect({body, condition});
  program_.Replace(op, ResultsOf(frame, op, made, state.shardings));
}

void Lowering::SetLoopLeaves(HloComputation& region, const Op* op, const LoopState& state) {
  const std::vector<int>& leaves = state.info->leaves;
  LeafMap map(layout::NumLeaves(program_.module().shape(program_.module().operands(op->source)[0])),
              -1);
  for (size_t k = 0; k < leaves.size(); ++k)
    map[static_cast<size_t>(leaves[k])] = static_cast<int>(k);
  region.parameter_leaves = {std::move(map)};
  region.num_carried = static_cast<int>(state.num_carried());
}

Lowering::Values Lowering::UnpackParameter(const Frame& inner, Block* block,
                                           const std::vector<Element>& elements,
                                           HloShardingId sharding, bool packed) {
  const Values args(block->args.begin(), block->args.end());
  std::vector<layout::Shape> shapes;
  if (packed) {
    shapes.reserve(elements.size());
    for (const Element& element : elements) shapes.push_back(*element.shape);
  }
  Value* const parameter =
      AddParameter(block, packed ? KeepTuple(std::move(shapes)) : elements[0].shape, sharding);
  Values values;
  for (const Element& element : elements) {
    values.push_back(
        packed ? AddElement(inner, parameter, static_cast<int64_t>(values.size()), element.sharding)
               : parameter);
  }
  for (Value* arg : args) arg->ReplaceAllUsesWith(values[static_cast<size_t>(arg->index())]);
  std::vector<bool> dropped(args.size(), true);
  dropped.push_back(false);
  program_.EraseArgs(block, dropped);
  return values;
}

int Lowering::LoopRegion(const Frame& frame, Block* block, const LoopState& state) {
  Frame inner;
  inner.manual = frame.manual;
  inner.computation = NewComputation("region", block);
  inner.at = InsertPoint::AtFront(block);
  Op* const first = block->first;
  const Values places = UnpackParameter(
      inner, block, state.inside, OneOrTuple(state.shardings, state.is_tuple()), state.is_tuple());
  const auto invariant = absl::MakeConstSpan(places).subspan(state.num_carried());
  for (size_t i = 0; i < state.captured.size(); ++i) {
    inner.captured[state.captured[i]] = invariant[i];
  }
  LowerOps(inner, first);
  HloComputation& region = At(inner.computation);
  region.is_region = true;
  region.is_loop_body = block->region == 1;
  if (region.is_loop_body) {
    LowerReturn(inner, block, state.shardings, invariant);
  } else {
    LowerReturn(inner, block, {});
  }
  CloseComputation(inner.computation);
  return inner.computation;
}

}  // namespace tessera::sharding::passes
