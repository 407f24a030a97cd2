// --target=CHIP:TOPOLOGY and --xla-flags: for which machine a program is compiled, and how. For
// every verb that answers about a compiled program.
//
//   verb.flags = Joined(verb.flags, TargetFlags());
//   ...
//   absl::StatusOr<std::optional<TargetChoice>> choice = ReadTarget(arguments);

#ifndef TESSERA_PIPELINE_COMMAND_LINE_TARGET_FLAG_H_
#define TESSERA_PIPELINE_COMMAND_LINE_TARGET_FLAG_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/target/target.h"
#include "tessera/target/xla_flags.h"

namespace tessera::pipeline {

struct TargetChoice {
  target::Target target;
  target::XlaFlags flags;
  target::SkippedXlaFlags skipped = {};
};

// The help of --target without `cpu`, for a verb that needs a machine with times.
inline constexpr absl::string_view kTargetHelp =
    "the machine that the program is compiled for: h100:1x1x8 (NVLink domains x hosts x devices), "
    "h100:8 for one host, tpu-v5e:4x4 (the sides of the torus), tpu-v5e:4x4:slices=2";

std::vector<Flag> TargetFlags();

// Equal for arguments for which ReadTarget() gives the same: a part of a key for OnPrepared().
std::string TargetKey(const Arguments& arguments);

// Nothing without --target. InvalidArgument, which names the flag, for one that does not read, and
// for --xla-flags without a target.
absl::StatusOr<std::optional<TargetChoice>> ReadTarget(const Arguments& arguments);

// Names the flags that were skipped; empty if there are none.
std::string NoteOnSkippedFlags(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_TARGET_FLAG_H_
