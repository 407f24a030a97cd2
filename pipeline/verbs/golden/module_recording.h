// The shardings of a finished run as a recording, which can be printed and compared.
//
//   TESSERA_RETURN_IF_ERROR(Finalize(options, sharded.get()));
//   golden::Recording now = RecordingOf(*sharded, options.reference.version);
//
// Has the tensors that `tessera shardings` lists: the arguments, by number; what is computed, in the
// order of the text; the results. Scalars are left out, they have no dimension to shard.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_MODULE_RECORDING_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_MODULE_RECORDING_H_

#include <string>

#include "tessera/pipeline/shard.h"
#include "tessera/sharding/explain/golden/recording.h"

namespace tessera::pipeline {

sharding::golden::Recording RecordingOf(const PropagatedModule& sharded, std::string reference);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_MODULE_RECORDING_H_
