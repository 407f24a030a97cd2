#include "tessera/cost/memory/device_module.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
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

// Which element of its operand an instruction without a sharding of its own is; none for others.
// `tuple`: of the operand.
const Shape* ElementOf(const hlo::Module& module, hlo::InstructionId id, const Shape& tuple) {
  const auto index = static_cast<size_t>(hlo::GetTupleIndex(module, id));
  if (!tuple.is_tuple() || index >= tuple.tuple_elements().size()) return nullptr;
  return &tuple.tuple_elements()[index];
}

bool IsElement(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == hlo::Opcode::kGetTupleElement &&
         !module.HasAttribute(id, hlo::AttributeName::kSharding);
}

// Few shapes lie in few ways: each pair is worked out once.
class Shrinker {
 public:
  explicit Shrinker(hlo::Module* module) : module_(*module) {}

  absl::Status Shrink(hlo::InstructionId id) {
    const auto text = module_.FindAttribute(id, hlo::AttributeName::kSharding);
    if (!text.has_value()) return absl::OkStatus();
    const auto [shrunk, is_new] = shrunk_.try_emplace(std::make_pair(*text, module_.shape_id(id)));
    if (is_new) {
      TESSERA_ASSIGN_OR_RETURN(const HloSharding* sharding, Read(*text));
      size_t leaf = 0;
      shrunk->second = module_.InternShape(ShapeOf(module_.shape(id), *sharding, &leaf));
    }
    module_.mutable_instruction(id).shape = shrunk->second;
    return absl::OkStatus();
  }

  // `x#1` has no sharding of its own: it is what the tuple has become.
  void TakeElement(hlo::InstructionId id) {
    if (!IsElement(module_, id)) return;
    const Shape* element = ElementOf(module_, id, module_.shape(module_.operands(id)[0]));
    if (element != nullptr) module_.SetShape(id, *element);
  }

 private:
  absl::StatusOr<const HloSharding*> Read(absl::string_view text) {
    const auto [it, is_new] = read_.try_emplace(text);
    if (is_new) {
      TESSERA_ASSIGN_OR_RETURN(it->second, sharding::ParseHloSharding(text));
    }
    return &it->second;
  }

  hlo::Module& module_;
  // Texts live as long as the module.
  absl::node_hash_map<absl::string_view, HloSharding> read_;
  absl::flat_hash_map<std::pair<absl::string_view, hlo::ShapeId>, hlo::ShapeId> shrunk_;
};

}  // namespace

absl::Status ShrinkToDevice(hlo::Module* module) {
  Shrinker shrinker(module);
  for (hlo::InstructionId id = 0; id < module->num_instructions(); ++id) {
    TESSERA_RETURN_IF_ERROR(shrinker.Shrink(id));
  }
  for (hlo::InstructionId id = 0; id < module->num_instructions(); ++id) shrinker.TakeElement(id);
  return absl::OkStatus();
}

absl::StatusOr<Shape> DeviceShapeOf(const hlo::Module& module, hlo::InstructionId id) {
  if (IsElement(module, id)) {
    TESSERA_ASSIGN_OR_RETURN(const Shape tuple, DeviceShapeOf(module, module.operands(id)[0]));
    const Shape* element = ElementOf(module, id, tuple);
    return element == nullptr ? module.shape(id) : *element;
  }
  const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) return module.shape(id);
  TESSERA_ASSIGN_OR_RETURN(const HloSharding sharding, sharding::ParseHloSharding(*text));
  size_t leaf = 0;
  return ShapeOf(module.shape(id), sharding, &leaf);
}

}  // namespace tessera::cost
