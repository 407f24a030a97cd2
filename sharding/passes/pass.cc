#include "tessera/sharding/passes/pass.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// "; the nearest names are ..", or nothing.
std::string NearestNames(const Pipeline& pipeline, absl::string_view asked) {
  std::vector<absl::string_view> names;
  for (const Pass& pass : pipeline) names.push_back(pass.name);
  return text::NearestNames(asked, names);
}

// Whether the pass does what the reference's pass of this name does, among other things.
bool HasPart(const Pass& pass, absl::string_view name) {
  return absl::c_linear_search(absl::StrSplit(pass.reference, ", "), name);
}

absl::Status SeveralPasses(const Pipeline& pipeline, absl::string_view name,
                           const std::vector<size_t>& places) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is done by several passes: expected ",
                   absl::StrJoin(places, " or ", [&](std::string* out, size_t place) {
                     absl::StrAppend(out, NumberedPass(pipeline[place].name, place));
                   })));
}

}  // namespace

std::string NumberedPass(absl::string_view pass, size_t place) {
  return absl::StrFormat("%02d.%s", place + 1, pass);
}

bool NamesPass(absl::string_view name, absl::string_view pass, size_t place) {
  const size_t dot = name.find('.');
  size_t number = 0;
  if (!absl::SimpleAtoi(name.substr(0, dot), &number)) return name == pass;
  return number == place + 1 && (dot == absl::string_view::npos || name.substr(dot + 1) == pass);
}

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
  for (size_t place = 0; place < pipeline.size(); ++place) {
    if (NamesPass(name, pipeline[place].name, place)) return place;
  }
  std::vector<size_t> parts;  // of the reference's pass of this name
  for (size_t place = 0; place < pipeline.size(); ++place) {
    if (HasPart(pipeline[place], name)) parts.push_back(place);
  }
  if (parts.size() == 1) return parts[0];
  if (parts.size() > 1) return SeveralPasses(pipeline, name, parts);
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
