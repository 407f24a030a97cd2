#include "tessera/pipeline/verbs/costs/cost/cost_input.h"

#include <optional>
#include <utility>

#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::Status TakeFinal(hlo::Module module, const TargetChoice& choice, const Arguments& arguments,
                       CostInput* program) {
  TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));
  // A machine of a file takes the kernels of any compiler.
  if (choice.target.chip->platform != target::Platform::kCpu) {
    TESSERA_RETURN_IF_ERROR(CheckCompiledFor(module, choice.target));
  }
  if (arguments.Has("mesh")) {
    TESSERA_ASSIGN_OR_RETURN(program->input.mesh, ParseMeshFlag(arguments.Get("mesh")));
  }
  program->is_final = true;
  program->notes = NotesOnFinal(module, choice.target, arguments);
  program->input.module = std::move(module);
  return absl::OkStatus();
}

// Nothing where memory is not predicted.
std::optional<cost::PeakRange> TpuPeak(const PartitionedForTarget& partitioned,
                                       const TargetChoice& choice, const Arguments& arguments) {
  auto context =
      RunBeforeKernels(partitioned.device.module, partitioned.was_partitioned, choice, arguments);
  if (!context.ok()) return std::nullopt;
  const auto peak = cost::PeakRangeOnTarget(**context);
  return peak.ok() ? std::make_optional(*peak) : std::nullopt;
}

absl::Status Compile(hlo::Module module, const TargetChoice& choice, const Arguments& arguments,
                     CostInput* input) {
  TESSERA_ASSIGN_OR_RETURN(PartitionedForTarget partitioned,
                           PartitionForTarget(std::move(module), choice, arguments));
  if (choice.target.chip->platform == target::Platform::kTpu) {
    input->peak = TpuPeak(partitioned, choice, arguments);
  }
  TESSERA_ASSIGN_OR_RETURN(TargetProgram program,
                           RunAfterPartitioner(std::move(partitioned), choice, arguments));
  input->notes = std::move(program.notes);
  input->was_partitioned = program.was_partitioned;
  input->input.mesh = std::move(program.mesh);
  input->schedule = cost::ScheduleOf(*program.context);
  if (input->schedule.peak.has_value()) {
    input->peak = cost::PeakRangeOnTarget(*program.context, *input->schedule.peak);
  }
  input->origins = std::move(program.context->origins);
  input->input.module = std::move(program.context->program).Release();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CostInput> ReadCostInput(hlo::Module module, const TargetChoice& choice,
                                        const Arguments& arguments) {
  CostInput program;
  TESSERA_RETURN_IF_ERROR(IsFinal(module)
                              ? TakeFinal(std::move(module), choice, arguments, &program)
                              : Compile(std::move(module), choice, arguments, &program));
  auto standing = target::FindStanding(program.input.module);
  if (!standing.ok()) return LocatedInInput(standing.status(), program.input);
  program.standing = *std::move(standing);
  return program;
}

}  // namespace tessera::pipeline
