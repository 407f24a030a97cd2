// The answer of `tessera shardings --json` (shardings_answer.proto): tensors with everything that a
// program wants of them in numbers, so that no caller reads P('data', None) as text.
//
//   {"tensors":[{"name":"x","shape":"f32[16,32]","sharding":"P('data', None)","mesh":0,
//     "dimensions":[{"axes":["data"]},{"axes":[]}],"local_shape":[4,32],"bytes_per_device":512,
//     "parameter":0}],"meshes":[{"name":"mesh","axes":[{"name":"data","size":4}]}]}

#ifndef TESSERA_PIPELINE_VERBS_SHARDINGS_ANSWER_H_
#define TESSERA_PIPELINE_VERBS_SHARDINGS_ANSWER_H_

#include <string>

#include "absl/types/span.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/tensors.h"

namespace tessera::pipeline {

// `tensors` and `results` are of `sharded`. A line of text.
std::string ShardingsAsJson(const Sharded& sharded, absl::Span<const Tensor> tensors,
                            absl::Span<const Tensor> results);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SHARDINGS_ANSWER_H_
