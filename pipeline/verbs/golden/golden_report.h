// The answers of `check` and `diff`: the tensors that changed, in the user's words, and as JSON.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_REPORT_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/verbs/golden/diff_costs.h"
#include "tessera/pipeline/verbs/golden/golden_causes.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

struct GoldenLists {
  std::vector<sharding::golden::Change> changes;
  std::vector<int> gone, added;  // entries of before and after
};

struct GoldenReport {
  const sharding::golden::Recording& before;
  const sharding::golden::Recording& after;
  sharding::golden::Comparison comparison;
  std::string before_name, after_name;  // as the user calls them
  GoldenLists shown = {};               // of the comparison
  size_t left_out = 0;                  // how many are not shown
  size_t compared = 0;                  // tensors of `after` that pass --match and --min-bytes
  std::string axis = "";                // of --axis
  std::vector<GoldenCause> causes = {};
  std::optional<DiffCosts> costs = std::nullopt;
};

// The same tensors with the same axes of the same meshes.
bool IsEqual(const GoldenReport& report);

// `most`: of causes, and of operations that send otherwise, at most so many are shown; 0: all.
std::string GoldenText(const GoldenReport& report, size_t most);
// A ComparisonAnswer of golden_answer.proto.
std::string GoldenJson(const GoldenReport& report);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_REPORT_H_
