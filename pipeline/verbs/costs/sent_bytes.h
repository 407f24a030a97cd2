// The bytes that each device sends in a step, as XLA's partitioner would make it.
//
//   std::optional<int64_t> sent = SentBytesOf(module, options);
//   // none where the pass or the partitioner refuses the module
//
// Cost: as of `tessera collectives`.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_SENT_BYTES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_SENT_BYTES_H_

#include <cstdint>
#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"

namespace tessera::pipeline {

std::optional<int64_t> SentBytesOf(const hlo::Module& module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_SENT_BYTES_H_
