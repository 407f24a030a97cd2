// The memory of a device against its limit.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

namespace {

using layout::FormatBytes;

std::string MessageOf(const LintProgram& program, double budget, bool is_too_close) {
  const std::string needs =
      absl::StrCat("the program needs ", FormatBytes(program.memory), " of a device, by estimate");
  const std::string limit = absl::StrCat("; ", program.memory_limit_of, " has ",
                                         FormatBytes(static_cast<int64_t>(budget)));
  if (!is_too_close) return absl::StrCat(needs, limit);
  return absl::StrCat(needs, ", between ", FormatBytes(program.memory_low), " and ",
                      FormatBytes(program.memory_high), limit, ": too close to say");
}

}  // namespace

// The verdict of `tessera memory`. A peak that is too close to say is a warning, also with a limit of the user.
void CheckMemory(const LintProgram& program, double budget, std::vector<Finding>* found) {
  if (!program.partitioned.ok() || static_cast<double>(program.memory_high) <= budget) return;
  Finding& finding = found->emplace_back();
  finding.name = program.peak_at;
  if (!program.buffers.empty()) finding.location = program.buffers.front().location;
  finding.is_uncertain = static_cast<double>(program.memory_low) <= budget;
  finding.message = MessageOf(program, budget, finding.is_uncertain);
  const bool has_target = program.memory_high > program.memory_low;
  finding.fix = has_target
                    ? "`tessera memory FILE` lists what is largest, `tessera suggest FILE` tries "
                      "annotations"
                    : "`tessera memory FILE` lists what is largest, with annotations that shard it";
  finding.amount = static_cast<double>(program.memory);
}

}  // namespace tessera::pipeline::lint
