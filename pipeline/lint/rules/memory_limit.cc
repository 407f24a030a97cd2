// The memory of a device against its limit.

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/lint/rules/rules.h"

namespace tessera::pipeline::lint {

void CheckMemory(const LintProgram& program, double budget, std::vector<Finding>* found) {
  if (!program.partitioned.ok() || static_cast<double>(program.memory) <= budget) return;
  Finding& finding = found->emplace_back();
  finding.name = program.peak_at;
  if (!program.buffers.empty()) finding.location = program.buffers.front().location;
  finding.message = absl::StrCat("the program needs ", layout::FormatBytes(program.memory),
                                 " of a device, by estimate; ", program.memory_limit_of, " has ",
                                 layout::FormatBytes(static_cast<int64_t>(budget)));
  finding.fix = "`tessera memory FILE` lists what is largest, with annotations that shard it";
  finding.amount = static_cast<double>(program.memory);
}

}  // namespace tessera::pipeline::lint
