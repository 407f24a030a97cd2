#include "tessera/pipeline/verbs/costs/input/final_module.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/target/stage/compiled_for.h"
#include "tessera/target/stage/stage.h"

namespace tessera::pipeline {
namespace {

struct SignOfPlatform {
  target::Platform platform;
  absl::string_view name;
  absl::string_view sign;
};

// As target::CompiledFor() finds them.
constexpr SignOfPlatform kSigns[] = {
    {target::Platform::kTpu, "TPU", "tiles in layouts"},
    {target::Platform::kGpu, "GPU", "operation_queue_id in instructions"},
};

const SignOfPlatform* SignOf(target::Platform platform) {
  return absl::c_find_if(kSigns, [&](const auto& sign) { return sign.platform == platform; });
}

// Flags of passes of a compiler, which have run.
std::string NoteOnIdleFlags(const Arguments& arguments) {
  std::vector<std::string> idle;
  for (const char* const name : {"dump-after", "stop-after", "xla-flags"}) {
    if (arguments.Has(name) && !arguments.IsOfProject(name))
      idle.push_back(absl::StrCat("--", name));
  }
  if (idle.empty()) return "";
  return absl::StrCat("note: the module is compiled already: ", absl::StrJoin(idle, " and "),
                      idle.size() == 1 ? " has" : " have", " no effect\n");
}

}  // namespace

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

absl::Status CheckCompiledFor(const hlo::Module& module, const target::Target& target) {
  const auto platform = target::CompiledFor(module);
  if (platform.has_value() && *platform != target.chip->platform) {
    const SignOfPlatform& sign = *SignOf(*platform);
    return absl::InvalidArgumentError(
        absl::StrCat("--target=", target.ToString(), ": the module was compiled for a ", sign.name,
                     " (", sign.sign, "); give that target, or the module before its compilation"));
  }
  return target::CheckCompiledDevices(target, module.header().num_partitions,
                                      "the module was compiled for");
}

std::string NoteOnNoSchedule(const hlo::Module& module) {
  if (module.header().is_scheduled) return "";
  return absl::StrCat(
      "note: the module has no schedule (is_scheduled=true), but ", target::ReadStage(module).sign,
      ": it is from inside of a compiler's pipeline, and passes after it are not run\n");
}

std::string NoteOnCompiler(const hlo::Module& module, const target::Target& target) {
  const auto* const sign = SignOf(target.chip->platform);
  if (sign == std::end(kSigns) || target::CompiledFor(module).has_value()) return "";
  return absl::StrCat("note: the module was not compiled for a ", sign->name, ": it has no ",
                      sign->sign, "\n");
}

std::string NotesOnFinal(const hlo::Module& module, const target::Target& target,
                         const Arguments& arguments) {
  return NoteOnNoSchedule(module) + NoteOnCompiler(module, target) + NoteOnIdleFlags(arguments);
}

absl::Status CheckIsBeforePartitioner(const hlo::Module& module) {
  const target::StageReading read = target::ReadStage(module);
  if (!target::IsPerDevice(read.stage)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the module is ", target::StageName(read.stage), " (", read.sign,
      "): it is the program of one device, and no longer says how arrays are sharded. "
      "`collectives`, ",
      read.stage == target::Stage::kFinal
          ? "`memory`, `layout`, `stats` and `report` read it, and `cost` with --target"
          : "`layout` and `stats` read it, `memory` and `cost` with --target",
      ". For this answer pass the lowered module: lowered.as_text(\"hlo\") of JAX"));
}

absl::Status CheckSaysShardings(const hlo::Module& module, const ShardOptions& options) {
  const bool is_given = options.mesh.has_value() || !options.annotations.empty();
  return is_given && !IsFinal(module) ? absl::OkStatus() : CheckIsBeforePartitioner(module);
}

}  // namespace tessera::pipeline
