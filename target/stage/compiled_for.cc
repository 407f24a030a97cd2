#include "tessera/target/stage/compiled_for.h"

#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/leaves.h"

namespace tessera::target {
namespace {

bool HasQueue(const hlo::Module& module, hlo::InstructionId id) {
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  return config.has_value() && absl::StrContains(*config, "operation_queue_id");
}

}  // namespace

std::optional<Platform> CompiledFor(const hlo::Module& module) {
  for (hlo::ShapeId id = 0; id < module.num_shapes(); ++id) {
    if (layout::HasTiles(module.interned_shape(id))) return Platform::kTpu;
  }
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (HasQueue(module, id)) return Platform::kGpu;
  }
  return std::nullopt;
}

}  // namespace tessera::target
