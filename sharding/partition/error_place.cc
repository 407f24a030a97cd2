#include "tessera/sharding/partition/error_place.h"

#include "tessera/text/diagnostic.h"

namespace tessera::sharding::partition {

absl::Status AtInstruction(const absl::Status& status, const hlo::Module& module,
                           hlo::InstructionId id) {
  if (text::ErrorOffset(status) != 0) return status;
  const absl::Status placed = text::ErrorAt(module.instruction(id).source.begin, status.message());
  if (!absl::IsUnimplemented(status)) return placed;
  absl::Status out(absl::StatusCode::kUnimplemented, placed.message());
  placed.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace tessera::sharding::partition
