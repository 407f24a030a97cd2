#include "tessera/pipeline/verbs/costs/target/target_front.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/compact.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/known_names.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool IsPropagated(const hlo::Module& module, const Arguments& arguments) {
  const target::StageReading read = target::ReadStage(module);
  return read.stage == target::Stage::kFinal || target::IsPerDevice(read.stage) ||
         StateOf(module, arguments) != ShardingState::kToPropagate;
}

// Whether the target has as many devices as --mesh, or as the module without one.
absl::Status CheckFits(const hlo::Module& module, const target::Target& target,
                       const Arguments& arguments) {
  if (!arguments.Has("mesh")) {
    return DevicesOf(module) > 1 ? CheckDevices(module, target) : absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const sharding::Mesh mesh, ParseMeshFlag(arguments.Get("mesh")));
  return target::CheckNumDevices(target, mesh.num_devices(),
                                 absl::StrCat("--mesh=", arguments.Get("mesh"), " has"));
}

}  // namespace

absl::StatusOr<hlo::Module> BeforeShardy(hlo::Module module, const TargetChoice& choice,
                                         const Arguments& arguments) {
  const auto passes = target::PassesBeforeShardy(choice.target);
  if (passes.empty() || IsPropagated(module, arguments)) return module;
  TESSERA_ASSIGN_OR_RETURN(std::optional<hlo::Module> cleaned,
                           passes::CleanUp(module, target::SizeOfKeptCallees(choice.target)));
  if (cleaned.has_value()) {
    RememberInput(hlo::UnreadModule(module), &*cleaned);
    module = *std::move(cleaned);
  }
  const KnownNames names(module);
  target::Context context(std::move(module), choice.target, choice.flags);
  const absl::Status status = target::RunPasses(passes, &context);
  if (!status.ok()) return LocatedInInput(status, context.program.module(), std::nullopt);
  hlo::Module simplified = std::move(context.program).Release();
  names.GiveTo(&simplified);
  return hlo::Compacted(std::move(simplified));
}

absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const TargetChoice& choice,
                                      const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckFits(module, choice.target, arguments));
  return BeforeShardy(std::move(module), choice, arguments);
}

absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) return module;
  return ForTarget(std::move(module), *choice, arguments);
}

}  // namespace tessera::pipeline
