#include "tessera/pipeline/verbs/costs/input/final_module.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/target/stage/stage.h"

namespace tessera::pipeline {

bool IsFinal(const hlo::Module& module) {
  return target::ReadStage(module).stage == target::Stage::kFinal;
}

bool IsOfOneDevice(const hlo::Module& module) {
  return target::IsPerDevice(target::ReadStage(module).stage);
}

absl::Status CheckNothingToPropagate(const hlo::Module& module, const Arguments& arguments) {
  std::vector<std::string> names = {"as-is"};
  for (const Flag& flag : PropagationFlags()) names.push_back(flag.name);
  for (const std::string& name : names) {
    const bool is_harmless = name == "mesh" || name == "stage" || name == "config";
    if (is_harmless || !arguments.Has(name) || arguments.IsOfProject(name)) continue;
    const target::StageReading read = target::ReadStage(module);
    return absl::InvalidArgumentError(absl::StrCat("--", name, ": the module is ",
                                                   target::StageName(read.stage), " (", read.sign,
                                                   "), nothing is propagated any more"));
  }
  return absl::OkStatus();
}

absl::Status CheckIsBeforePartitioner(const hlo::Module& module) {
  const target::StageReading read = target::ReadStage(module);
  if (!target::IsPerDevice(read.stage)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the module is ", target::StageName(read.stage), " (", read.sign,
      "): it is of one device, and no longer says how arrays are sharded. `collectives`, `layout` "
      "and `stats` read it, `memory` and `cost` with --target; for this answer give the program "
      "before the partitioner, as lowered.as_text(\"hlo\") of JAX gives it"));
}

absl::Status CheckSaysShardings(const hlo::Module& module, const ShardOptions& options) {
  const bool is_given = options.mesh.has_value() || !options.annotations.empty();
  return is_given && !IsFinal(module) ? absl::OkStatus() : CheckIsBeforePartitioner(module);
}

}  // namespace tessera::pipeline
