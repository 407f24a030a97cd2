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

// The module after the passes: new instructions have the names that FILE has for the same ones.
class FrontRun {
 public:
  FrontRun(hlo::Module module, const TargetChoice& choice)
      : names_(module), context_(std::move(module), choice.target, choice.flags) {}

  const hlo::Module& module() const { return context_.program.module(); }
  absl::Status Run(absl::Span<const target::Pass> passes) {
    return target::RunPasses(passes, &context_);
  }
  hlo::Module Release() { return std::move(context_.program).Release(); }
  // The module of the run, as Shardy gets it.
  hlo::Module Named(hlo::Module made) const {
    names_.GiveTo(&made);
    return hlo::Compacted(std::move(made));
  }

 private:
  const KnownNames names_;
  target::Context context_;
};

}  // namespace

// Each pass leaves its program in the module of the pipeline.
absl::Status PutInFront(const Arguments& arguments, ShardOptions* options) {
  TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> choice, ReadTarget(arguments));
  if (!choice.has_value()) return absl::OkStatus();
  const auto passes = target::PassesBeforeShardy(choice->target);
  const auto run = std::make_shared<std::optional<FrontRun>>();
  for (size_t k = 0; k < passes.size(); ++k) {
    const auto step = [=, choice = *choice](sharding::passes::Context& c) -> absl::Status {
      if (k == 0) {
        run->reset();
        if (!IsPropagated(c.module, arguments)) run->emplace(c.module, choice);
      }
      if (!run->has_value()) return absl::OkStatus();
      TESSERA_RETURN_IF_ERROR((*run)->Run(passes.subspan(k, 1)));
      c.module = (*run)->module();
      if (k + 1 == passes.size()) c.module = (*run)->Named(std::move(c.module));
      return absl::OkStatus();
    };
    options->in_front.push_back({passes[k].name, sharding::passes::Phase::kCleanUp,
                                 target::ReferenceName(passes[k]), passes[k].summary, step});
  }
  options->kept_callees = target::SizeOfKeptCallees(choice->target);
  options->structure = Structure::kXla;  // the text of FILE has no lines for what these passes make
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
  FrontRun run(std::move(module), choice);
  const absl::Status status = run.Run(passes);
  if (!status.ok()) return LocatedInInput(status, run.module(), std::nullopt);
  return run.Named(run.Release());
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
