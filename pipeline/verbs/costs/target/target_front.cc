#include "tessera/pipeline/verbs/costs/target/target_front.h"

#include <cstddef>
#include <memory>
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

// A run of the passes one by one. Each leaves its program in the module of the run.
class FrontRun {
 public:
  FrontRun(TargetChoice choice, Arguments arguments)
      : choice_(std::move(choice)), arguments_(std::move(arguments)) {}

  absl::Status RunPass(absl::Span<const target::Pass> passes, size_t k,
                       sharding::passes::Context& c) {
    if (k == 0) Begin(c.module);
    if (!context_.has_value()) return absl::OkStatus();
    TESSERA_RETURN_IF_ERROR(target::RunPasses(passes.subspan(k, 1), &*context_));
    c.module = context_->program.module();
    if (k + 1 < passes.size()) return absl::OkStatus();
    names_->GiveTo(&c.module);
    c.module = hlo::Compacted(std::move(c.module));
    return absl::OkStatus();
  }

 private:
  void Begin(const hlo::Module& module) {
    context_.reset();
    if (IsPropagated(module, arguments_)) return;
    names_.emplace(module);
    context_.emplace(module, choice_.target, choice_.flags);
  }

  const TargetChoice choice_;
  const Arguments arguments_;
  std::optional<KnownNames> names_;
  std::optional<target::Context> context_;
};

}  // namespace

absl::Status PutInFront(const Arguments& arguments, ShardOptions* options) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) return absl::OkStatus();
  const auto passes = target::PassesBeforeShardy(choice->target);
  const auto run = std::make_shared<FrontRun>(*choice, arguments);
  for (size_t k = 0; k < passes.size(); ++k) {
    options->in_front.push_back(
        {passes[k].name, sharding::passes::Phase::kCleanUp, target::ReferenceName(passes[k]),
         passes[k].summary,
         [run, passes, k](sharding::passes::Context& c) { return run->RunPass(passes, k, c); }});
  }
  options->kept_callees = target::SizeOfKeptCallees(choice->target);
  return absl::OkStatus();
}

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

absl::Status CheckFitsTarget(const hlo::Module& module, const target::Target& target,
                             const Arguments& arguments) {
  if (!arguments.Has("mesh")) {
    return DevicesOf(module) > 1 ? CheckDevices(module, target) : absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const sharding::Mesh mesh, ParseMeshFlag(arguments.Get("mesh")));
  return target::CheckNumDevices(target, mesh.num_devices(),
                                 absl::StrCat("--mesh=", arguments.Get("mesh"), " has"));
}

absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const TargetChoice& choice,
                                      const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckFitsTarget(module, choice.target, arguments));
  return BeforeShardy(std::move(module), choice, arguments);
}

absl::StatusOr<hlo::Module> ForTarget(hlo::Module module, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) return module;
  return ForTarget(std::move(module), *choice, arguments);
}

}  // namespace tessera::pipeline
