// Statistics of a module.
//
//   const answers::StatsAnswer stats = StatsOf(module);
//   stats.opcodes(0);            // add, 46547 times: the most frequent one
//   stats.without_rule();        // what propagation cannot pass

#ifndef TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_
#define TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_

#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/stats_answer.pb.h"

namespace tessera::pipeline {

answers::StatsAnswer StatsOf(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_
