#include "tessera/pipeline/command_line/target_flag.h"

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr char kOfEnvironment[] = "env";

// libtpu reads its own variable.
const char* VariableOf(target::Platform platform) {
  return platform == target::Platform::kTpu ? "LIBTPU_INIT_ARGS" : "XLA_FLAGS";
}

// Flags that decide nothing are skipped. So are flags of an environment that are not modelled: it has flags
// for other ends as well.
absl::StatusOr<target::XlaFlags> ReadXlaFlags(const Arguments& arguments, target::Platform platform,
                                              target::SkippedXlaFlags* skipped) {
  const std::string& text = arguments.Get("xla-flags");
  if (text != kOfEnvironment) return target::ParseXlaFlags(text, platform, skipped);
  skipped->takes_unmodelled = true;
  const char* const of_environment = std::getenv(VariableOf(platform));
  return target::ParseXlaFlags(of_environment == nullptr ? "" : of_environment, platform, skipped);
}

}  // namespace

std::vector<Flag> TargetFlags() {
  return {
      {"target", "CHIP:TOPOLOGY", absl::StrCat(kTargetHelp, ", cpu"), ""},
      {"xla-flags", "FLAGS|env",
       "flags of XLA that change the answer, as in "
       "\"--xla_gpu_all_reduce_combine_threshold_bytes=0\"; env "
       "reads the environment variable XLA_FLAGS, for TPUs LIBTPU_INIT_ARGS, and skips flags that "
       "are not modelled. Flags of dumps and the like are skipped, too; a note names all",
       ""},
  };
}

std::string TargetKey(const Arguments& arguments) {
  return absl::StrCat(arguments.Get("target"), " ", arguments.Get("xla-flags"), " ");
}

absl::StatusOr<std::optional<TargetChoice>> ReadTarget(const Arguments& arguments) {
  if (!arguments.Has("target")) {
    if (!arguments.Has("xla-flags")) return std::nullopt;
    return absl::InvalidArgumentError("--xla-flags: needs --target");
  }
  TargetChoice choice;
  TESSERA_ASSIGN_OR_RETURN(choice.target, target::ParseTarget(arguments.Get("target")));
  const target::Platform platform = choice.target.chip->platform;
  if (arguments.Has("xla-flags") && platform == target::Platform::kCpu) {
    return absl::InvalidArgumentError(
        "--xla-flags: those that are modelled decide for GPUs and TPUs, --target is a CPU");
  }
  TESSERA_ASSIGN_OR_RETURN(choice.flags, ReadXlaFlags(arguments, platform, &choice.skipped));
  return choice;
}

std::string NoteOnSkippedFlags(const Arguments& arguments) {
  if (!arguments.Has("xla-flags")) return "";
  const auto choice = ReadTarget(arguments);
  if (!choice.ok() || !choice->has_value()) return "";
  const bool is_env = arguments.Get("xla-flags") == kOfEnvironment;
  const std::string begin = absl::StrCat(
      "note: ", is_env ? VariableOf((*choice)->target.chip->platform) : "--xla-flags", ": ");
  const auto& [harmless, unmodelled, unused] = (*choice)->skipped;
  return absl::StrCat(
      harmless.empty() ? ""
                       : absl::StrCat(begin, absl::StrJoin(harmless, ", "),
                                      harmless.size() == 1 ? " decides" : " decide",
                                      " nothing of the program\n"),
      unmodelled.empty()
          ? ""
          : absl::StrCat(begin, "not modelled, ignored: ", absl::StrJoin(unmodelled, ", "), "\n"));
}

}  // namespace tessera::pipeline
