#include "tessera/pipeline/passes/calls/places.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline::passes {

std::string PlaceText(const hlo::Metadata& metadata) {
  if (metadata.stack_frame_id != 0) {
    return absl::StrCat(" stack_frame_id=", metadata.stack_frame_id);
  }
  if (metadata.source_file.empty()) return "";
  return absl::StrCat(" source_file=\"", absl::CEscape(metadata.source_file),
                      "\" source_line=", metadata.source_line);
}

void TakePlace(hlo::Module* module, hlo::InstructionId id, const std::string& place) {
  if (place.empty() || !PlaceText(hlo::GetMetadata(*module, id)).empty()) return;
  absl::string_view text = module->FindAttribute(id, hlo::AttributeName::kMetadata).value_or("{}");
  absl::ConsumeSuffix(&text, "}");
  const absl::string_view added = text == "{" ? absl::string_view(place).substr(1) : place;
  module->SetAttribute(id, hlo::AttributeName::kMetadata, absl::StrCat(text, added, "}"));
}

}  // namespace tessera::pipeline::passes
