#include "tessera/target/kernels/program_kernels.h"

#include <optional>
#include <utility>

#include "tessera/hlo/call_limits.h"
#include "tessera/hlo/order.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/target/kernels/clusters/cluster_kernels.h"
#include "tessera/target/kernels/final_kernels.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/stage/stage.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;

class Walk {
 public:
  Walk(const hlo::Module& module, const Chip* chip, const FusedBefore* fused)
      : module_(module), post_order_(module), visited_(module.num_computations(), false) {
    program_.is_final = ReadStage(module).stage == Stage::kFinal;
    if (program_.is_final) return;
    const bool is_tpu = chip != nullptr && chip->platform == Platform::kTpu;
    facts_.emplace(ClusterFacts{LoopValues(module, is_tpu), StoredArrays(module, chip),
                                RowTables(module), NearMemoryOf(chip),
                                chip != nullptr ? *chip : Chip(), fused});
  }

  void Visit(ComputationId c) {
    if (visited_[c]) return;
    visited_[c] = true;
    ComputationKernels found;
    found.computation = c;
    for (const InstructionId id : module_.computation(c).instructions) {
      if (RoleOf(module_, id) != Role::kCaller || module_.called(id).empty()) continue;
      found.calls.push_back(CallOf(id));
      for (const ComputationId callee : module_.called(id)) Visit(callee);
    }
    found.kernels = program_.is_final ? FinalKernels(module_, c)
                                      : ClusterKernels(module_, post_order_.Of(c), *facts_);
    program_.computations.push_back(std::move(found));
  }

  ProgramKernels Release() { return std::move(program_); }

 private:
  KernelCall CallOf(InstructionId id) const {
    const auto called = module_.called(id);
    KernelCall call;
    call.caller = id;
    call.callees.assign(called.begin(), called.end());
    const Opcode opcode = module_.instruction(id).opcode;
    call.is_choice = opcode == Opcode::kConditional;
    if (opcode != Opcode::kWhile) return call;
    const auto trips = projection::TripCount(module_, id);
    call.runs_known = trips.has_value();
    call.runs = static_cast<double>(trips.value_or(1));
    return call;
  }

  const hlo::Module& module_;
  hlo::PostOrderWalk post_order_;
  std::vector<bool> visited_;
  std::optional<ClusterFacts> facts_;  // of a module that no compiler has finished
  ProgramKernels program_;
};

}  // namespace

absl::StatusOr<ProgramKernels> FindKernels(const hlo::Module& module, const Chip* chip,
                                           const FusedBefore* fused) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto runs = [&](InstructionId id) {
    return module.instruction(id).opcode == Opcode::kFusion;
  };
  TESSERA_RETURN_IF_ERROR(
      hlo::CheckUnfolded(module, runs, "with what each fusion runs, the module"));
  Walk walk(module, chip, fused);
  walk.Visit(module.entry_id());
  return walk.Release();
}

}  // namespace tessera::target
