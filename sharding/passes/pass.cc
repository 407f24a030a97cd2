#include "tessera/sharding/passes/pass.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// "; the nearest names are ..", or nothing.
std::string NearestNames(const Pipeline& pipeline, absl::string_view asked) {
  std::vector<absl::string_view> names;
  for (const Pass& pass : pipeline) names.push_back(pass.name);
  const std::vector<std::string> near = text::NearNames(asked, names);
  return near.empty() ? "" : absl::StrCat("; the nearest names are ", absl::StrJoin(near, ", "));
}

}  // namespace

absl::string_view PhaseName(Phase phase) {
  static constexpr absl::string_view kNames[] = {"clean-up",  "import", "prepare",
                                                 "propagate", "export", "emit"};
  return kNames[static_cast<size_t>(phase)];
}

absl::Status RunPasses(const Pipeline& pipeline, size_t begin, size_t end, Context* context,
                       PassObserver* observer) {
  for (size_t k = begin; k < end; ++k) {
    if (observer != nullptr) observer->BeforePass(pipeline[k], k);
    TESSERA_RETURN_IF_ERROR(pipeline[k].Run(*context));
    if (observer != nullptr) {
      TESSERA_RETURN_IF_ERROR(observer->AfterPass(pipeline[k], k, *context));
    }
  }
  return absl::OkStatus();
}

absl::Status RunPasses(const Pipeline& pipeline, Context* context, PassObserver* observer) {
  return RunPasses(pipeline, 0, pipeline.size(), context, observer);
}

size_t BeginOf(const Pipeline& pipeline, Phase phase) {
  const auto first = std::find_if(pipeline.begin(), pipeline.end(),
                                  [&](const Pass& pass) { return pass.phase >= phase; });
  return static_cast<size_t>(first - pipeline.begin());
}

absl::StatusOr<size_t> FindPass(const Pipeline& pipeline, absl::string_view name) {
  const auto found = std::find_if(pipeline.begin(), pipeline.end(),
                                  [&](const Pass& pass) { return pass.name == name; });
  if (found != pipeline.end()) return static_cast<size_t>(found - pipeline.begin());
  return absl::InvalidArgumentError(absl::StrCat("no pass of this pipeline is named '", name, "'",
                                                 NearestNames(pipeline, name),
                                                 "; `tessera passes` lists all"));
}

Pipeline Concatenate(std::vector<Pipeline> pipelines) {
  Pipeline all;
  for (Pipeline& part : pipelines) {
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  }
  return all;
}

}  // namespace tessera::sharding::passes
