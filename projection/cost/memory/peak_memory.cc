#include "tessera/projection/cost/memory/peak_memory.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/cost/memory/memory_program.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::StatusOr<MemoryReport> ReportOn(const Callee& callee, const MemoryOptions& options,
                                      MemoryPrograms* programs) {
  MemoryReport report;
  TESSERA_ASSIGN_OR_RETURN(const Program program,
                           programs->Of(callee.computation, callee.role, &report.values));
  TESSERA_ASSIGN_OR_RETURN(report.profile, ProfileOf(program, options.liveness));
  report.constants = programs->constants();
  return report;
}

}  // namespace

std::string NameOf(const hlo::Module& module, const ArrayOf& array) {
  const absl::string_view name = module.instruction(array.instruction).name;
  return array.leaves == 1 ? std::string(name) : absl::StrCat(name, "{", array.leaf, "}");
}

absl::StatusOr<MemoryReport> PeakMemory(const hlo::Module& module, const MemoryOptions& options) {
  MemoryPrograms programs(module, options);
  return ReportOn({module.entry_id(), Role::kEntry}, options, &programs);
}

absl::StatusOr<std::optional<MemoryReport>> PeakMemoryInside(const hlo::Module& module,
                                                             hlo::InstructionId caller,
                                                             const MemoryOptions& options) {
  MemoryPrograms programs(module, options);
  std::optional<MemoryReport> worst;
  for (const Callee& callee : CalleesOf(module, caller)) {
    TESSERA_ASSIGN_OR_RETURN(MemoryReport report, ReportOn(callee, options, &programs));
    const int64_t most = worst.has_value() ? worst->profile.peak : 0;
    if (report.profile.peak > most) worst = std::move(report);
  }
  return worst;
}

}  // namespace tessera::projection
