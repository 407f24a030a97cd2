#include "tessera/sharding/partition/emit/entry.h"

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/emit/kept_computations.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {
namespace {

using layout::Shape;

// The unsharded layout with the sizes of a shard.
Shape Shrunk(const Shape& whole, const Shape& shard) {
  if (whole.is_tuple()) {
    std::vector<Shape> elements;
    for (int64_t i = 0; i < Size(whole.tuple_elements()); ++i) {
      elements.push_back(Shrunk(At(whole.tuple_elements(), i), At(shard.tuple_elements(), i)));
    }
    return Shape::Tuple(std::move(elements));
  }
  Shape out = whole;
  for (int64_t i = 0; i < out.rank(); ++i) out.set_dim(i, shard.dim(i));
  return out;
}

}  // namespace

void FitHeader(const hlo::Module& input, hlo::Module* module) {
  const hlo::EntryShapes before(input);
  hlo::EntryLayout layout;
  const std::vector<hlo::InstructionId> parameters = module->entry().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape shape = Shrunk(before.Parameter(i), module->shape(parameters[i]));
    layout.parameters.push_back(module->InternShape(shape));
  }
  layout.result = module->InternShape(Shrunk(before.Result(), module->shape(module->entry().root)));
  hlo::ModuleHeader& header = module->mutable_header();
  header = input.header();
  for (absl::string_view* const text : {&header.name, &header.origin_recovery_table,
                                        &header.debug_attributes, &header.stack_frames}) {
    *text = module->Held(*text);
  }
  header.entry_layout = std::move(layout);
  header.is_scheduled = false;
  header.spmd_propagation_to_parameters = {false};
  header.spmd_propagation_to_output = {false};
}

}  // namespace tessera::sharding::partition
