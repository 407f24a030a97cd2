#include "tessera/pipeline/command_line/target_flag.h"

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr char kOfEnvironment[] = "env";

absl::StatusOr<target::XlaFlags> ReadXlaFlags(const Arguments& arguments) {
  const std::string& text = arguments.Get("xla-flags");
  if (text != kOfEnvironment) return target::ParseXlaFlags(text);
  const char* const of_environment = std::getenv("XLA_FLAGS");
  return target::ParseXlaFlags(of_environment == nullptr ? "" : of_environment);
}

}  // namespace

std::vector<Flag> TargetFlags() {
  return {
      {"target", "CHIP:TOPOLOGY",
       "the machine that the program is compiled for: h100:1x1x8 (NVLink domains x hosts x "
       "devices), h100:8 for one host, tpu-v5e:4x4 (the sides of the torus), cpu",
       ""},
      {"xla-flags", "FLAGS|env",
       "flags of XLA that decide, as in \"--xla_gpu_all_reduce_combine_threshold_bytes=0\"; env "
       "reads the environment variable XLA_FLAGS",
       ""},
  };
}

absl::StatusOr<std::optional<TargetChoice>> ReadTarget(const Arguments& arguments) {
  if (!arguments.Has("target")) {
    if (!arguments.Has("xla-flags")) return std::nullopt;
    return absl::InvalidArgumentError("--xla-flags: needs --target");
  }
  TargetChoice choice;
  TESSERA_ASSIGN_OR_RETURN(choice.target, target::ParseTarget(arguments.Get("target")));
  if (arguments.Has("xla-flags") && choice.target.chip->platform == target::Platform::kTpu) {
    return absl::InvalidArgumentError(
        "--xla-flags: those that are modelled decide for GPUs, --target is a TPU");
  }
  TESSERA_ASSIGN_OR_RETURN(choice.flags, ReadXlaFlags(arguments));
  return choice;
}

}  // namespace tessera::pipeline
