#include "tessera/pipeline/verbs/costs/target/target_front.h"

#include <optional>
#include <utility>

#include "tessera/hlo/compact.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/passes/clean_up.h"
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

}  // namespace

absl::StatusOr<hlo::Module> BeforeShardy(hlo::Module module, const TargetChoice& choice,
                                         const Arguments& arguments) {
  const auto passes = target::PassesBeforeShardy(choice.target);
  if (passes.empty() || IsPropagated(module, arguments)) return module;
  TESSERA_ASSIGN_OR_RETURN(std::optional<hlo::Module> cleaned,
                           passes::CleanUp(module, target::SizeOfKeptCallees(choice.target)));
  if (cleaned.has_value()) module = *std::move(cleaned);
  const KnownNames names(module);
  target::Context context(std::move(module), choice.target, choice.flags);
  const absl::Status status = target::RunPasses(passes, &context);
  if (!status.ok()) return LocatedInInput(status, context.program.module(), std::nullopt);
  hlo::Module simplified = std::move(context.program).Release();
  names.GiveTo(&simplified);
  return hlo::Compacted(std::move(simplified));
}

absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) return module;
  // Those of a --mesh are counted where the program is partitioned.
  if (!arguments.Has("mesh") && module.header().num_partitions > 1) {
    TESSERA_RETURN_IF_ERROR(CheckDevices(module, choice->target));
  }
  return BeforeShardy(std::move(module), *choice, arguments);
}

}  // namespace tessera::pipeline
