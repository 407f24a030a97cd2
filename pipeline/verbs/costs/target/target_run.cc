#include "tessera/pipeline/verbs/costs/target/target_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/watch/pass_dump.h"
#include "tessera/target/pass_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using target::Pass;

// The place of the first pass of this name.
absl::StatusOr<size_t> FindPass(absl::Span<const Pass> passes, absl::string_view flag,
                                absl::string_view name) {
  std::vector<absl::string_view> names;
  for (size_t k = 0; k < passes.size(); ++k) {
    if (passes[k].name == name) return k;
    names.push_back(passes[k].name);
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag, ": no pass of this target is named '",
                                                 name, "'; there are ",
                                                 absl::StrJoin(names, ", ")));
}

class Dumper : public target::PassObserver {
 public:
  static absl::StatusOr<Dumper> Create(const Arguments& arguments, absl::Span<const Pass> passes) {
    Dumper dumper;
    for (const std::string& text : arguments.All("dump-after")) {
      DumpRequest request = ParseDumpRequest(text);
      if (request.pass != kAllPasses) {
        TESSERA_RETURN_IF_ERROR(FindPass(passes, "dump-after", request.pass).status());
      }
      dumper.requests_.push_back(std::move(request));
    }
    return dumper;
  }

  absl::Status AfterPass(const Pass& pass, size_t place, const target::Context& context) override {
    for (const DumpRequest& request : requests_) {
      TESSERA_RETURN_IF_ERROR(
          WriteDump(request, pass.name, place, [&] { return PrintedProgram(context); }));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<DumpRequest> requests_;
};

absl::StatusOr<std::vector<Pass>> PassesToRun(const TargetChoice& choice, bool is_made,
                                              const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const auto behind, target::PassesOf(choice.target));
  std::vector<Pass> passes;
  if (is_made) {
    const auto first = target::PassesOfPartitioner(choice.target);
    passes.assign(first.begin(), first.end());
  }
  if (arguments.Get("stage") == "partitioned") return passes;
  passes.insert(passes.end(), behind.begin(), behind.end());
  if (!arguments.Has("stop-after")) return passes;
  TESSERA_ASSIGN_OR_RETURN(const size_t last,
                           FindPass(passes, "stop-after", arguments.Get("stop-after")));
  passes.resize(last + 1);
  return passes;
}

}  // namespace

std::vector<Flag> TargetPassFlags() {
  return {
      {"dump-after", "PASS|all[:DIR]",
       "with --target: writes the program as it is after this pass of the target, or after each, "
       "to DIR/NN.PASS.txt; DIR is tessera_dump where none is given",
       "", true},
      {"stop-after", "PASS",
       "with --target: ends the run after this pass of the target; the result is the program there",
       "", false},
  };
}

std::vector<Flag> FlagsWithTargetStages() {
  std::vector<Flag> flags = PropagationFlags();
  for (Flag& flag : flags) {
    if (flag.name != "stage") continue;
    flag.placeholder += "|partitioned|final";
    flag.help += "; with --target: the program after the partitioner, or the one that finally runs";
  }
  return flags;
}

absl::Status CheckTargetStage(const Arguments& arguments, bool has_target) {
  for (const Flag& flag : TargetPassFlags()) {
    if (has_target || !arguments.Has(flag.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag.name, ": needs the --target of a GPU or TPU"));
  }
  const std::string& stage = arguments.Get("stage");
  const bool is_of_target = stage == "partitioned" || stage == "final";
  if (!arguments.Has("stage") || is_of_target == has_target) return absl::OkStatus();
  return absl::InvalidArgumentError(
      has_target ? absl::StrCat("--stage=", stage, ": with --target, expected partitioned or final")
                 : absl::StrCat("--stage=", stage, ": needs the --target of a GPU or TPU"));
}

absl::StatusOr<std::unique_ptr<target::Context>> RunTarget(hlo::Module module, bool is_made,
                                                           const TargetChoice& choice,
                                                           const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckDevices(module, choice.target));
  TESSERA_ASSIGN_OR_RETURN(const auto passes, PassesToRun(choice, is_made, arguments));
  TESSERA_ASSIGN_OR_RETURN(Dumper dumper, Dumper::Create(arguments, passes));
  auto context = std::make_unique<target::Context>(std::move(module), choice.target, choice.flags);
  const absl::Status status = target::RunPasses(passes, context.get(), &dumper);
  if (!status.ok()) return LocatedInInput(status, context->program.module(), std::nullopt);
  return context;
}

absl::StatusOr<std::unique_ptr<target::Context>> RunBeforeKernels(hlo::Module module, bool is_made,
                                                                  const TargetChoice& choice) {
  TESSERA_RETURN_IF_ERROR(CheckDevices(module, choice.target));
  auto context = std::make_unique<target::Context>(std::move(module), choice.target, choice.flags);
  std::vector<Pass> passes;
  if (is_made) {
    const auto first = target::PassesOfPartitioner(choice.target);
    passes.assign(first.begin(), first.end());
  }
  const auto more = target::PassesBeforeKernels(choice.target);
  passes.insert(passes.end(), more.begin(), more.end());
  const absl::Status status = target::RunPasses(passes, context.get());
  if (!status.ok()) return LocatedInInput(status, context->program.module(), std::nullopt);
  return context;
}

absl::StatusOr<int64_t> PeakOnTarget(const hlo::Module& module, bool is_made,
                                     const TargetChoice& choice) {
  TESSERA_ASSIGN_OR_RETURN(const auto front, RunBeforeKernels(module, is_made, choice));
  TESSERA_ASSIGN_OR_RETURN(const cost::TargetMemory memory, cost::MemoryOnTarget(*front));
  return memory.peak;
}

absl::Status CheckDevices(const hlo::Module& module, const target::Target& target) {
  const int64_t devices = module.header().num_partitions;
  if (target.num_devices() == 0 || target.num_devices() == devices) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--target=", target.ToString(), " has ", target.num_devices(),
                   " devices, the module runs on ", devices,
                   devices > 1 ? "" : ": --mesh and --annotate shard it"));
}

std::string PrintedProgram(const target::Context& context) {
  hlo::PrintOptions options;
  options.load_like_xla = false;
  options.large_constants = true;
  return hlo::PrintModule(context.program.module(), options);
}

}  // namespace tessera::pipeline
