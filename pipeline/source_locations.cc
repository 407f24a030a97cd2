#include "tessera/pipeline/source_locations.h"

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline {

std::string SourceLocations::Of(hlo::InstructionId id) const {
  const hlo::Metadata metadata = hlo::GetMetadata(module_, id);
  if (!metadata.source_file.empty()) {
    return absl::StrCat(metadata.source_file, ":", metadata.source_line);
  }
  const hlo::StackFrame* frame = At(frames_.frames, metadata.stack_frame_id);
  const hlo::FileLocation* place =
      frame == nullptr ? nullptr : At(frames_.locations, frame->location);
  const std::string* file = place == nullptr ? nullptr : At(frames_.file_names, place->file);
  return file == nullptr ? "" : absl::StrCat(*file, ":", place->line);
}

}  // namespace tessera::pipeline
