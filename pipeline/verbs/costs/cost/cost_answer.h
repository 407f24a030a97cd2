// The answer of `tessera cost`, as text and as JSON (cost_answer.proto).

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_

#include <cstddef>
#include <optional>
#include <string>

#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

namespace tessera::pipeline {

// One page: the `top` longest of each list. `against`: of --against.
std::string CostText(const CostBill& bill, const std::optional<answers::CostAgainst>& against,
                     size_t top);
std::string CostJson(const CostBill& bill, const std::optional<answers::CostAgainst>& against);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COST_COST_ANSWER_H_
