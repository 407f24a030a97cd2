#include "tessera/cost/step/shard_shape.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using layout::Shape;
using sharding::HloSharding;

// `leaf` counts the arrays and tokens before it. A sharding that is no tuple is for all leaves.
Shape ShapeOf(const Shape& shape, const HloSharding& sharding, size_t* leaf) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_elements()) {
      elements.push_back(ShapeOf(element, sharding, leaf));
    }
    return Shape::Tuple(std::move(elements));
  }
  const size_t at = (*leaf)++;
  if (!shape.is_array()) return shape;
  const bool is_list = sharding.IsTuple();
  if (is_list && at >= sharding.elements().size()) return shape;
  const std::vector<int64_t> tile =
      TileShape(is_list ? sharding.elements()[at] : sharding, shape.dims());
  Shape shrunk = shape;
  for (size_t d = 0; d < tile.size(); ++d) shrunk.set_dim(static_cast<int64_t>(d), tile[d]);
  return shrunk;
}

absl::StatusOr<Shape> ElementOf(const hlo::Module& module, hlo::InstructionId id) {
  TESSERA_ASSIGN_OR_RETURN(const Shape tuple, ShardShapeOf(module, module.operands(id)[0]));
  const auto index = static_cast<size_t>(hlo::GetTupleIndex(module, id));
  const bool is_there = tuple.is_tuple() && index < tuple.tuple_elements().size();
  return is_there ? tuple.tuple_elements()[index] : module.shape(id);
}

}  // namespace

absl::StatusOr<Shape> ShardShapeOf(const hlo::Module& module, hlo::InstructionId id) {
  const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
  if (text.has_value()) {
    TESSERA_ASSIGN_OR_RETURN(const HloSharding sharding, sharding::ParseHloSharding(*text));
    size_t leaf = 0;
    return ShapeOf(module.shape(id), sharding, &leaf);
  }
  const bool is_element = module.instruction(id).opcode == hlo::Opcode::kGetTupleElement;
  return is_element ? ElementOf(module, id) : module.shape(id);
}

}  // namespace tessera::cost
