#include "tessera/pipeline/input/source_locations.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {
namespace {

// Where installed packages and Python's own library lie, and the insides of JAX's own in a
// checkout.
constexpr absl::string_view kLibraries[] = {
    "/site-packages/", "/dist-packages/", "/lib/python3", "<frozen ",   "<__array_function__",
    "/jax/_src/",      "/flax/core/",     "/flax/linen/", "/flax/nnx/", "/haiku/_src/"};

// The user's further libraries: parts of paths, as in TESSERA_LIBRARIES=/our_layers/:/optim/.
const std::vector<std::string>& FurtherLibraries() {
  static const auto* const libraries = [] {
    const char* given = std::getenv("TESSERA_LIBRARIES");
    return new std::vector<std::string>(
        absl::StrSplit(given == nullptr ? "" : given, ':', absl::SkipEmpty()));
  }();
  return *libraries;
}

bool IsOfLibrary(const std::string& place) {
  const auto is_in = [&](absl::string_view mark) { return absl::StrContains(place, mark); };
  return absl::c_any_of(kLibraries, is_in) || absl::c_any_of(FurtherLibraries(), is_in);
}

}  // namespace

std::string SourceLocations::Place(const hlo::StackFrame* frame) const {
  const hlo::FileLocation* place =
      frame == nullptr ? nullptr : At(frames_.locations, frame->location);
  const std::string* file = place == nullptr ? nullptr : At(frames_.file_names, place->file);
  return file == nullptr ? "" : absl::StrCat(*file, ":", place->line);
}

std::string SourceLocations::Of(hlo::InstructionId id) const {
  return Of(hlo::GetMetadata(module_, id));
}

std::string SourceLocations::Of(const hlo::Metadata& metadata) const {
  if (!metadata.source_file.empty()) {
    return absl::StrCat(metadata.source_file, ":", metadata.source_line);
  }
  return Place(At(frames_.frames, metadata.stack_frame_id));
}

void SourceLocations::ForEachOwn(const hlo::Metadata& metadata,
                                 absl::FunctionRef<bool(std::string)> visit) const {
  const hlo::StackFrame* frame = At(frames_.frames, metadata.stack_frame_id);
  // Parents come before their children; the count is for a table in which they do not.
  for (size_t left = frames_.frames.size(); frame != nullptr && left > 0; --left) {
    std::string place = Place(frame);
    if (!place.empty() && !IsOfLibrary(place) && !visit(std::move(place))) return;
    frame = At(frames_.frames, frame->parent);
  }
}

std::string SourceLocations::UsersOwn(hlo::InstructionId id) const {
  const hlo::Metadata metadata = hlo::GetMetadata(module_, id);
  std::string own;
  ForEachOwn(metadata, [&](std::string place) {
    own = std::move(place);
    return false;
  });
  return own.empty() ? Of(metadata) : own;
}

std::vector<std::string> SourceLocations::LinesTo(hlo::InstructionId id) const {
  const hlo::Metadata metadata = hlo::GetMetadata(module_, id);
  std::vector<std::string> lines;
  ForEachOwn(metadata, [&](std::string place) {
    if (!absl::c_linear_search(lines, place)) lines.push_back(std::move(place));
    return true;
  });
  if (lines.empty()) lines.push_back(Of(metadata));
  if (lines.front().empty()) lines.clear();
  return lines;
}

std::string DistinctPlace(const std::vector<std::string>& lines,
                          absl::Span<const std::vector<std::string>> all) {
  const auto is_like = [&](const std::vector<std::string>& other, size_t n) {
    return other != lines && other.size() >= n &&
           std::equal(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(n), other.begin());
  };
  size_t n = std::min<size_t>(1, lines.size());
  while (n < lines.size() && absl::c_any_of(all, [&](const std::vector<std::string>& other) {
           return is_like(other, n);
         })) {
    ++n;
  }
  return absl::StrJoin(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(n), " from ");
}

}  // namespace tessera::pipeline
