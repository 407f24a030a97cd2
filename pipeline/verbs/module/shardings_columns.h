// The answer of `tessera shardings --columns` (ShardingColumns of shardings_answer.proto): a list for
// each member in place of an object for each tensor.
//
//   {"names":["x","w","y"],"placement":[0,1,0],"op_name":[1,2,0],..,
//     "texts":["","args[0]","args[1]"],"placements":[{"shape":"f32[16,32]",..},..],..}
//
// A program has few distinct placements (a shape with its sharding), op_names and lines, so each is
// written once. A reader in another language makes no object for a tensor before it wants one.
// Linear in the tensors. Tested by //pipeline:json_answers_test, which compares with --json.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_COLUMNS_H_
#define TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_COLUMNS_H_

#include <string>

#include "absl/types/span.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/tensors.h"

namespace tessera::pipeline {

// As ShardingsAsJson().
std::string ShardingsAsColumns(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                               absl::Span<const Tensor> results, const std::string& reference);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_COLUMNS_H_
