// The answer of the verb `reshards`, as text and as JSON (reshards_answer.proto).
//
//   ReshardReport report = ..;           // by reshards_verb.cc
//   ReshardsText(report);

#ifndef TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"

namespace tessera::pipeline {

// The answer about a module.
struct ReshardReport {
  Reshards all;
  std::string target;      // "h100:8"; empty: the partitioner's collectives are the answer
  bool can_list = true;    // `collectives` refuses a program with custom_partitioning
  int64_t final_sent = 0;  // by the reshards on the target, in all runs
  int64_t final_all = 0;   // by all collectives of the target
  std::vector<Reshard> shown;
  int64_t passed = 0;  // the filters, whatever --top cuts off
  std::optional<CostFixes> fixes;
};

// The bytes of a reshard: on the target, if the question has one.
inline int64_t TotalOf(const Reshard& reshard) {
  return reshard.on_target.has_value() ? reshard.on_target->total : reshard.total;
}

std::string ReshardsText(const ReshardReport& report);
std::string ReshardsJson(const ReshardReport& report);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_ANSWER_H_
