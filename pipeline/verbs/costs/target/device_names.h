// An instruction that only the program of one device has, after the partitioner: what it was made for, and what runs
// for it on a target.
//
//   TESSERA_ASSIGN_OR_RETURN(const auto found, FindOnDevice(module, options, choice, arguments, "all-reduce.5"));
//   found->made_for;     // {"dot_general.15"}: tensors of the propagated module
//   OnDeviceText(*found, choice);
//
// Cost: the module is propagated, partitioned and goes through the passes of the target. Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_DEVICE_NAMES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_DEVICE_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"

namespace tessera::pipeline {

struct OnDevice {
  std::string name;
  // Instructions, or where the partitioner names none an op_name.
  std::vector<std::string> made_for;
  // Collectives of the partitioner, and of the final program.
  std::vector<CollectiveLine> inserted, running;
};

// `module`: as Shardy gets it on the target. `name`: of the partitioned program or of the final one, NAME{K} of the
// array K that a combined collective moves. NotFound for another name, and for what is made for no tensor; else errors
// as of the partitioner and the passes.
absl::StatusOr<OnDevice> FindOnDevice(hlo::Module module, const ShardOptions& options,
                                      const TargetChoice& choice, const Arguments& arguments,
                                      absl::string_view name);

// all-reduce.5 is made for dot_general.15, after the partitioner
// the partitioner inserts
//     56 MiB x4    all-reduce bf16[32,512,1024] over fsdp: dot_general.15 of mul.53, ..
// on tpu-v5e:4x8 runs
//    112 MiB x4    all-reduce (bf16[32,512,1024], bf16[32,512,1024]) over fsdp: 2 arrays by all-reduce-combiner, ..
std::string OnDeviceText(const OnDevice& found, const TargetChoice& choice);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_DEVICE_NAMES_H_
