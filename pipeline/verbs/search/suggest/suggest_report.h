// The findings of a search, as text and as JSON (suggest_answer.proto).

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_REPORT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/search/suggest/suggest_search.h"
#include "tessera/pipeline/verbs/search/variants/confirmed.h"

namespace tessera::pipeline {

// The module as it is, where other meshes were tried, too.
struct OwnMesh {
  sharding::Mesh mesh;
  MaybeCost cost;
};

struct SuggestRequest {
  std::string topology;
  std::optional<int64_t> limit;           // bytes of a device
  std::string python = "";                // SuggestionPython()
  absl::StatusOr<std::string> diff = "";  // of the module's text, or why there is none
  std::optional<Confirmed> confirmed = std::nullopt;
  std::optional<OwnMesh> own_mesh = std::nullopt;
  double error = 0;  // of predicted times on this machine, as a share; 0 if nothing was compared
};

// Whether what was found is within the limit.
bool Fits(const Suggestion& suggestion, const SuggestRequest& request);

std::string SuggestionText(const Suggestion& suggestion, const SuggestRequest& request);
// A dictionary from the path of each argument to its spec, to paste into the user's program:
//   shardings = {
//       "params['layer']['w']": P('data', None),
//   }
// and after it the constraints by their lines, as comments.
std::string SuggestionPython(const Suggestion& suggestion, const hlo::Module& module);
// A variant of the front in the user's words.
std::string FrontText(const SuggestedVariant& variant);
// Of --plan.
std::string MeshesJson(const std::vector<std::string>& meshes);
std::string SuggestionJson(const Suggestion& suggestion, const SuggestRequest& request);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_SUGGEST_REPORT_H_
