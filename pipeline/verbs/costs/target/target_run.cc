#include "tessera/pipeline/verbs/costs/target/target_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/watch/pass_dump.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/near_names.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::HasPass;
using target::Pass;

// The passes that run, and how many of the target's stand in front of them: numbers are those of
// `tessera passes`, also for a module that is partitioned already.
struct PassList {
  std::vector<Pass> passes;
  size_t left_out = 0;
  bool ends_at_partitioner = false;  // --stage=partitioned
};

constexpr char kAnotherStage[] = "leave it out, or use --stage=final";

// Where the program of a pass can be seen that is not in the list; empty for no such pass.
std::string WhereElse(const TargetChoice& choice, absl::string_view name) {
  if (name == "spmd-partitioning") {
    return absl::StrCat("; `tessera partition FILE --target=", choice.target.ToString(),
                        " --stage=partitioned` prints the program after it");
  }
  if (HasPass(target::PassesBeforeKernels(choice.target), name)) {
    return "; it runs for `memory`";
  }
  if (const auto after = target::PassesOf(choice.target); after.ok() && HasPass(*after, name)) {
    return "; it runs for `collectives`, and with --stage=final for `partition`";
  }
  if (HasPass(target::PassesBeforeShardy(choice.target), name) ||
      HasPass(ShardPipeline(ShardOptions()), name)) {
    return absl::StrCat("; `tessera shardings FILE --target=", choice.target.ToString(),
                        " --dump-after=", name, "` shows the program after it");
  }
  return "";
}

absl::Status NoPass(const TargetChoice& choice, const PassList& list, absl::string_view flag,
                    absl::string_view name) {
  const auto after = target::PassesOf(choice.target);
  if (list.ends_at_partitioner && after.ok() && HasPass(*after, name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, ": --stage=partitioned stops before '", name, "': ", kAnotherStage));
  }
  std::vector<absl::string_view> names;
  for (const Pass& pass : list.passes) names.push_back(pass.name);
  const std::string elsewhere = WhereElse(choice, name);
  return absl::InvalidArgumentError(absl::StrCat(
      "--", flag, ": no pass after the partitioner of this target is named '", name, "'",
      elsewhere.empty() ? text::DidYouMean(name, names) : elsewhere, "; `tessera passes --target=",
      choice.target.ToString(), "` numbers those that can be named"));
}

// The place of the first pass of this name, or number and name.
absl::StatusOr<size_t> FindPass(const TargetChoice& choice, const PassList& list,
                                absl::string_view flag, absl::string_view name) {
  for (size_t k = 0; k < list.passes.size(); ++k) {
    if (sharding::passes::NamesPass(name, list.passes[k].name, k + list.left_out)) return k;
  }
  return NoPass(choice, list, flag, name);
}

class Dumper : public target::PassObserver {
 public:
  static absl::StatusOr<Dumper> Create(const Arguments& arguments, const TargetChoice& choice,
                                       const PassList& list) {
    Dumper dumper;
    dumper.left_out_ = list.left_out;
    for (const std::string& text : arguments.All("dump-after")) {
      DumpRequest request = ParseDumpRequest(text);
      if (request.pass != kAllPasses) {
        TESSERA_RETURN_IF_ERROR(FindPass(choice, list, "dump-after", request.pass).status());
      } else if (list.passes.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--dump-after: --stage=partitioned has no pass after the partitioner: ",
                         kAnotherStage));
      }
      dumper.requests_.push_back(std::move(request));
    }
    return dumper;
  }

  absl::Status AfterPass(const Pass& pass, size_t place, const target::Context& context) override {
    for (const DumpRequest& request : requests_) {
      TESSERA_RETURN_IF_ERROR(WriteDump(request, pass.name, place + left_out_,
                                        [&] { return PrintedProgram(context); }));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<DumpRequest> requests_;
  size_t left_out_ = 0;
};

absl::StatusOr<PassList> PassesToRun(const TargetChoice& choice, bool was_partitioned,
                                     absl::Span<const Pass> after, const Arguments& arguments) {
  const auto first = target::PassesOfPartitioner(choice.target);
  PassList list;
  list.ends_at_partitioner = after.empty();
  if (was_partitioned) {
    list.left_out = first.size();
  } else {
    list.passes.assign(first.begin(), first.end());
  }
  list.passes.insert(list.passes.end(), after.begin(), after.end());
  if (!arguments.Has("stop-after")) return list;
  TESSERA_ASSIGN_OR_RETURN(const size_t last,
                           FindPass(choice, list, "stop-after", arguments.Get("stop-after")));
  list.passes.resize(last + 1);
  return list;
}

// `after`: the passes after the partitioner.
absl::StatusOr<std::unique_ptr<target::Context>> RunOn(hlo::Module module, bool was_partitioned,
                                                       const TargetChoice& choice,
                                                       absl::Span<const Pass> after,
                                                       const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckDevices(module, choice.target));
  TESSERA_ASSIGN_OR_RETURN(const PassList list,
                           PassesToRun(choice, was_partitioned, after, arguments));
  TESSERA_ASSIGN_OR_RETURN(Dumper dumper, Dumper::Create(arguments, choice, list));
  auto context = std::make_unique<target::Context>(std::move(module), choice.target, choice.flags);
  const absl::Status status = target::RunPasses(list.passes, context.get(), &dumper);
  if (!status.ok()) return LocatedInInput(status, context->program.module(), std::nullopt);
  return context;
}

}  // namespace

std::vector<Flag> TargetPassFlags() {
  return {
      {"dump-after", "PASS|all[:DIR]",
       "with --target: writes the program after this pass of the target, or after each, to "
       "DIR/NN.PASS.txt; default of DIR: tessera_dump. NN.PASS is one of several passes of a name, "
       "as `tessera passes --target` numbers them",
       "", true},
      {"stop-after", "PASS",
       "with --target: stops after this pass of the target, the first of this name or NN.PASS, and "
       "prints the program",
       "", false},
  };
}

std::vector<Flag> FlagsWithTargetStages() {
  std::vector<Flag> flags = PropagationFlags();
  for (Flag& flag : flags) {
    if (flag.name != "stage") continue;
    flag.placeholder += "|partitioned|final";
    flag.help = absl::StrCat("without --target, the stage of FILE. ", flag.help,
                             ". With --target, the stage of the answer. partitioned: after the "
                             "partitioner, final: after all passes");
  }
  for (const auto& more : {TargetFlags(), TargetPassFlags()}) {
    flags.insert(flags.end(), more.begin(), more.end());
  }
  return flags;
}

absl::Status CheckTargetStage(const Arguments& arguments, bool has_target) {
  if (!has_target) {
    TESSERA_RETURN_IF_ERROR(CheckNoTargetPasses(arguments, "needs the --target of a GPU or TPU"));
  }
  const std::string& stage = arguments.Get("stage");
  const bool is_of_target = stage == "partitioned" || stage == "final";
  if (!arguments.Has("stage") || is_of_target == has_target) return absl::OkStatus();
  return absl::InvalidArgumentError(
      has_target ? absl::StrCat("--stage=", stage, ": with --target, expected partitioned or final")
                 : absl::StrCat("--stage=", stage, ": needs the --target of a GPU or TPU"));
}

absl::Status CheckNoTargetPasses(const Arguments& arguments, absl::string_view reason) {
  for (const Flag& flag : TargetPassFlags()) {
    if (!arguments.Has(flag.name)) continue;
    return absl::InvalidArgumentError(absl::StrCat("--", flag.name, ": ", reason));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<target::Context>> RunTarget(hlo::Module module, bool was_partitioned,
                                                           const TargetChoice& choice,
                                                           const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(auto after, target::PassesOf(choice.target));
  if (arguments.Get("stage") == "partitioned") after = {};
  return RunOn(std::move(module), was_partitioned, choice, after, arguments);
}

absl::StatusOr<std::unique_ptr<target::Context>> RunBeforeKernels(hlo::Module module,
                                                                  bool was_partitioned,
                                                                  const TargetChoice& choice,
                                                                  const Arguments& arguments) {
  return RunOn(std::move(module), was_partitioned, choice,
               target::PassesBeforeKernels(choice.target), arguments);
}

absl::StatusOr<std::unique_ptr<target::Context>> PartitionOn(const PartitionerInput& input,
                                                             const TargetChoice& choice) {
  const target::Target& target = choice.target;
  TESSERA_ASSIGN_OR_RETURN(
      auto made, MakeDeviceModule(input, target::PartitionerOptions(target, choice.flags)));
  TESSERA_RETURN_IF_ERROR(CheckDevices(made.module, target));
  auto context = std::make_unique<target::Context>(std::move(made.module), target, choice.flags);
  TESSERA_RETURN_IF_ERROR(target::RunPasses(target::PassesOfPartitioner(target), context.get()));
  return context;
}

absl::Status CheckDevices(const hlo::Module& module, const target::Target& target) {
  const int64_t devices = DevicesOf(module);
  if (target.slices > 1 && target::ReadStage(module).stage == target::Stage::kFinal) {
    return target::CheckCompiledDevices(target, devices, "the module runs on");
  }
  const absl::Status fits = target::CheckNumDevices(target, devices, "the module runs on");
  if (fits.ok() || devices > 1) return fits;
  return absl::InvalidArgumentError(
      absl::StrCat(fits.message(), ": --mesh and --annotate shard it"));
}

std::string PrintedProgram(const hlo::Module& module) {
  hlo::PrintOptions options;
  options.load_like_xla = false;
  options.large_constants = true;
  return hlo::PrintModule(module, options);
}

std::string PrintedProgram(const target::Context& context) {
  return PrintedProgram(context.program.module());
}

}  // namespace tessera::pipeline
