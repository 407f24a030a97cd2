// What a search found, as text and as JSON (suggest_answer.proto).

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_REPORT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/verbs/search/suggest_search.h"

namespace tessera::pipeline {

struct SuggestRequest {
  std::string topology;
  std::optional<int64_t> limit;  // bytes of a device
};

std::string SuggestionText(const Suggestion& suggestion, const SuggestRequest& request);
// Of --plan.
std::string MeshesJson(const std::vector<std::string>& meshes);
std::string SuggestionJson(const Suggestion& suggestion, const SuggestRequest& request);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_REPORT_H_
