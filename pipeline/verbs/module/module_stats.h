// What a module holds, in numbers.
//
//   ModuleStats stats = StatsOf(module);
//   stats.opcodes[0];            // {"add", 46547}: the most frequent one
//   stats.without_rule;          // what propagation cannot pass

#ifndef TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_
#define TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::pipeline {

// Most frequent first, equal ones by name.
using NamedCounts = std::vector<std::pair<std::string, int64_t>>;

struct ModuleStats {
  std::string module;
  int64_t computations = 0;
  int64_t instructions = 0;
  int64_t num_partitions = 1;
  int64_t replica_count = 1;
  NamedCounts opcodes, custom_call_targets, shardings, without_rule;
  std::string meshes;  // xla.sdy.meshes, empty if there are none
  int64_t argument_bytes = 0;
  int64_t result_bytes = 0;
  std::optional<int64_t> flops, transcendentals, bytes_accessed;
  std::vector<std::string> unknown_trips;  // loops counted once
};

ModuleStats StatsOf(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_MODULE_STATS_H_
