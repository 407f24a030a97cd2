// The answer of `tessera cost`, as text and as JSON (cost_answer.proto).

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_

#include <optional>
#include <string>

#include "tessera/pipeline/verbs/costs/cost/against.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

namespace tessera::pipeline {

// One page: the longest of everything. `all`: without a limit. `against`: of --against.
std::string CostText(const CostBill& bill, const std::optional<Against>& against, bool all);
std::string CostJson(const CostBill& bill, const std::optional<Against>& against);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_
