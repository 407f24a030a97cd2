#include "tessera/cost/memory/tiled_layouts.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/layout/advise.h"

namespace tessera::cost {

using layout::Shape;

bool IsTiled(const Shape& array) { return array.has_layout() && !array.layout().tiles.empty(); }

namespace {

Shape Tiled(const Shape& shape, const layout::TileRules& rules) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_elements()) elements.push_back(Tiled(element, rules));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.is_array() || IsTiled(shape)) return shape;
  const auto advice = layout::Advise(shape, rules);
  return advice.ok() ? advice->same_order_best : shape;
}

}  // namespace

void TileForHardware(const layout::TileRules& rules, hlo::Module* device) {
  if (const auto& border = device->header().entry_layout; border.has_value()) {
    for (size_t k = 0; k < border->parameters.size(); ++k) {
      device->mutable_instruction(device->entry().parameters[k]).shape = border->parameters[k];
    }
  }
  absl::flat_hash_map<hlo::ShapeId, hlo::ShapeId> tiled;
  for (hlo::InstructionId id = 0; id < device->num_instructions(); ++id) {
    const hlo::ShapeId plain = device->shape_id(id);
    const auto [it, is_new] = tiled.try_emplace(plain);
    if (is_new) it->second = device->InternShape(Tiled(device->shape(id), rules));
    device->mutable_instruction(id).shape = it->second;
  }
}

std::optional<LayoutAdvice> BetterLayout(const Shape& array, const layout::TileRules& rules) {
  const auto advice = layout::Advise(array, rules);
  if (!advice.ok() || advice->best_bytes >= advice->current_bytes) return std::nullopt;
  return LayoutAdvice{advice->best, advice->best_bytes};
}

}  // namespace tessera::cost
