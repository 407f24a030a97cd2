#include "tessera/pipeline/verbs/costs/target/standing_lines.h"

#include <string>
#include <utility>

#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr const char* kForms[] = {"synchronous", "in a fusion", "start and done at once",
                                  "asynchronous"};  // by target::Form

InSchedule ScheduleOf(const hlo::Module& module, const target::Execution& execution) {
  const auto name = [&](hlo::InstructionId id) {
    return id == hlo::kNoId ? "" : std::string(module.instruction(id).name);
  };
  return {kForms[static_cast<size_t>(execution.form)],
          execution.is_synchronous(),
          name(execution.begin),
          name(execution.end),
          execution.between.instructions,
          execution.between.products,
          execution.between.collectives};
}

}  // namespace

absl::StatusOr<std::vector<CollectiveLine>> StandingLines(
    hlo::Module module, const std::optional<sharding::Mesh>& mesh) {
  PartitionerInput input;
  input.module = std::move(module);
  input.mesh = mesh;
  const auto standing = target::FindStanding(input.module);
  if (!standing.ok()) return LocatedInInput(standing.status(), input);
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input, standing->found));
  const bool is_scheduled = input.module.header().is_scheduled;
  for (CollectiveLine& line : lines) {
    line.schedule =
        is_scheduled ? ScheduleOf(input.module, standing->executions[line.number]) : InSchedule{};
  }
  return lines;
}

}  // namespace tessera::pipeline
