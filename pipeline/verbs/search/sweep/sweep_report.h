// The result of a sweep, as text and as lines of JSON (sweep_answer.proto).
//
//   Swept swept = ..;                    // by sweep_verb.cc, or by sweep_merge.h out of lines
//   Rank(request, &swept);
//   SweepText(swept, request);
//
// Tested by sweep_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_REPORT_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/cost/sweep/ranking.h"
#include "tessera/pipeline/verbs/search/variants/confirmed.h"
#include "tessera/pipeline/verbs/search/variants/variant_key.h"

namespace tessera::pipeline {

struct SweepRequest {
  cost::By by = cost::By::kMemory;
  std::string by_word = "memory";
  size_t top = 20;       // rows of text
  std::string topology;  // as the user named it
  bool timed = false;    // are there times?
  bool planned = false;  // variants and keys alone
  int64_t limit = 0;  // of --memory-limit, or bytes that a device of the target has; 0: not known
  cost::CallCosts calls = {};  // of --kernel-cost
};

// Variants by their numbers in the grid.
struct Swept {
  std::vector<size_t> numbers;
  std::vector<Variant> variants;
  std::vector<std::string> keys;  // equal: the same answer; "" where a line has none
  std::vector<int64_t> uneven;    // arguments whose shardings do not divide
  cost::Outcomes outcomes;
  std::vector<size_t> ranked, refused;  // indices into these
  // Of --confirm: the first of the ranked ones, in their order.
  std::optional<Confirmed> confirmed;
};

void Rank(const SweepRequest& request, Swept* swept);

std::string SweepText(const Swept& swept, const SweepRequest& request);
// A line for each variant: the ranked ones, then the refused ones; of a plan all in order.
std::string SweepLines(const Swept& swept, const SweepRequest& request);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_REPORT_H_
