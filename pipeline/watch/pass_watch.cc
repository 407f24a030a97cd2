#include "tessera/pipeline/watch/pass_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/target/pass_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Context;
using sharding::passes::HasPass;
using sharding::passes::Pass;
using sharding::passes::Pipeline;

// The command that shows the program after a pass that stands after the pipeline; empty for no such pass.
std::string CommandAfter(const Arguments& arguments, absl::string_view flag,
                          absl::string_view name) {
  const std::string target =
      arguments.Has("target") ? absl::StrCat(" --target=", arguments.Get("target")) : "";
  if (name == "spmd-partitioning") return absl::StrCat("tessera partition FILE", target);
  const auto choice = ReadTarget(arguments);
  if (!choice.ok() || !choice->has_value()) return "";
  const auto& machine = (*choice)->target;
  const auto after = target::PassesOf(machine);
  const bool is_final = HasPass(target::PassesOfPartitioner(machine), name) ||
                        (after.ok() && HasPass(*after, name));
  if (!is_final && !HasPass(target::PassesBeforeKernels(machine), name)) return "";
  return absl::StrCat("tessera ", is_final ? "collectives" : "memory", " FILE", target, " --", flag,
                      "=", name);
}

// The pass that a flag names, by number and name.
absl::StatusOr<std::string> ReadPass(const Pipeline& pipeline, const Arguments& arguments,
                                     absl::string_view flag, absl::string_view name) {
  const auto place = FindPass(pipeline, name);
  if (place.ok()) return sharding::passes::NumberedPass(pipeline[*place].name, *place);
  const std::string command = CommandAfter(arguments, flag, name);
  return absl::Status(
      place.status().code(),
      absl::StrCat("--", flag, ": ",
                   command.empty() ? std::string(place.status().message())
                                   : absl::StrCat("'", name, "' runs after these passes: `",
                                                  command, "` shows the program after it")));
}

}  // namespace

std::vector<Flag> PassFlags() {
  return {
      {"dump-after", "PASS|all[:DIR]",
       "writes the program after this pass, or after each, to DIR/NN.PASS.txt; default of DIR: "
       "tessera_dump. PASS is a name of `tessera passes`, a number, or NN.PASS",
       "", true},
      {"stop-after", "PASS", "stops after this pass, and prints the program", "", false},
      {"pass-timing", "",
       "print for each pass milliseconds, millions of machine instructions and the number of ops "
       "after it, to standard error",
       "", false},
  };
}

absl::StatusOr<std::unique_ptr<PassWatch>> PassWatch::Create(const Arguments& arguments,
                                                             ShardOptions* options) {
  const Pipeline pipeline = ShardPipeline(*options);
  auto watch = std::make_unique<PassWatch>();
  for (const std::string& text : arguments.All("dump-after")) {
    DumpRequest request = ParseDumpRequest(text);
    if (request.pass != kAllPasses) {
      TESSERA_ASSIGN_OR_RETURN(request.pass,
                               ReadPass(pipeline, arguments, "dump-after", request.pass));
    }
    watch->dumps_.emplace_back(std::move(request), options->reference.behaviors);
  }
  if (arguments.Has("stop-after")) {
    TESSERA_ASSIGN_OR_RETURN(options->stop_after, ReadPass(pipeline, arguments, "stop-after",
                                                           arguments.Get("stop-after")));
  }
  if (arguments.Has("pass-timing")) watch->timer_.emplace();
  if (watch->timer_.has_value() || !watch->dumps_.empty()) options->pass_observer = watch.get();
  return watch;
}

void PassWatch::BeforePass(const Pass& pass, size_t place) {
  if (timer_.has_value()) timer_->BeforePass(pass, place);
}

absl::Status PassWatch::AfterPass(const Pass& pass, size_t place, const Context& context) {
  if (timer_.has_value()) TESSERA_RETURN_IF_ERROR(timer_->AfterPass(pass, place, context));
  for (PassDump& dump : dumps_) TESSERA_RETURN_IF_ERROR(dump.AfterPass(pass, place, context));
  return absl::OkStatus();
}

std::string PassWatch::Report() const {
  std::string report;
  for (const PassDump& dump : dumps_) {
    const std::string missed = dump.MissedPass();
    if (missed.empty()) continue;
    absl::StrAppend(&report, "note: --dump-after=", missed,
                    ": the answer needs no such pass, so it did not run; --stop-after=", missed,
                    " prints the program after it\n");
  }
  return absl::StrCat(report, timer_.has_value() ? PassTimingText(timer_->costs()) : "");
}

}  // namespace tessera::pipeline
