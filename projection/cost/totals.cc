#include "tessera/projection/cost/totals.h"

#include <algorithm>

#include "tessera/projection/checked.h"
#include "tessera/projection/cost/collective_bytes.h"
#include "tessera/projection/cost/traffic.h"
#include "tessera/projection/cost/trip_count.h"
#include "tessera/projection/cost/work.h"
#include "tessera/projection/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// *total += times * part.
absl::Status Add(const Totals& part, int64_t times, Totals* total) {
  const Checked flops = Checked(part.flops) * times + total->flops;
  const Checked transcendentals = Checked(part.transcendentals) * times + total->transcendentals;
  const Checked bytes = Checked(part.bytes) * times + total->bytes;
  const Checked sent = Checked(part.sent) * times + total->sent;
  if (!flops.ok() || !transcendentals.ok() || !bytes.ok() || !sent.ok())
    return OverflowError("the cost of a computation");
  total->flops = flops.value();
  total->transcendentals = transcendentals.value();
  total->bytes = bytes.value();
  total->sent = sent.value();
  total->unknown.insert(total->unknown.end(), part.unknown.begin(), part.unknown.end());
  total->unknown_trips.insert(total->unknown_trips.end(), part.unknown_trips.begin(),
                              part.unknown_trips.end());
  return absl::OkStatus();
}

absl::Status AddLoop(const Module& module, InstructionId id, Totals* total) {
  const std::optional<int64_t> trips = TripCount(module, id);
  TESSERA_ASSIGN_OR_RETURN(Totals body, TotalsOf(module, module.called(id)[0]));
  TESSERA_ASSIGN_OR_RETURN(Totals condition, TotalsOf(module, module.called(id)[1]));
  TESSERA_RETURN_IF_ERROR(Add(body, trips.value_or(1), total));
  TESSERA_RETURN_IF_ERROR(Add(condition, trips.has_value() ? *trips + 1 : 1, total));
  if (!trips.has_value()) total->unknown_trips.push_back(std::string(module.instruction(id).name));
  return absl::OkStatus();
}

absl::Status AddBranches(const Module& module, InstructionId id, Totals* total) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<Totals> branches, TotalsOfBranches(module, id));
  Totals most;
  for (const Totals& b : branches) {
    most.flops = std::max(most.flops, b.flops);
    most.transcendentals = std::max(most.transcendentals, b.transcendentals);
    most.bytes = std::max(most.bytes, b.bytes);
    most.sent = std::max(most.sent, b.sent);
    most.unknown.insert(most.unknown.end(), b.unknown.begin(), b.unknown.end());
    most.unknown_trips.insert(most.unknown_trips.end(), b.unknown_trips.begin(),
                              b.unknown_trips.end());
  }
  return Add(most, 1, total);
}

// Computations that the instruction runs as a part of the program. Of a fusion only the arithmetic
// counts: its values stay inside.
absl::Status AddCalled(const Module& module, InstructionId id, Totals* total) {
  const Opcode opcode = module.instruction(id).opcode;
  if (module.called(id).empty()) return absl::OkStatus();
  if (opcode == Opcode::kWhile) return AddLoop(module, id, total);
  if (opcode == Opcode::kConditional) return AddBranches(module, id, total);
  const bool runs =
      opcode == Opcode::kCall || opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart;
  if (!runs) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(Totals callee, TotalsOf(module, module.called(id)[0]));
  if (opcode == Opcode::kFusion) callee.bytes = 0;
  return Add(callee, 1, total);
}

}  // namespace

absl::StatusOr<Totals> TotalsOfInstruction(const Module& module, InstructionId id) {
  Totals total;
  TESSERA_ASSIGN_OR_RETURN(Operations work, OperationsOf(module, id, CostMode::kExact));
  TESSERA_ASSIGN_OR_RETURN(Traffic traffic, TrafficOf(module, id, CostMode::kExact));
  TESSERA_ASSIGN_OR_RETURN(total.sent, SentPerDevice(module, id));
  total.flops = work.flops;
  total.transcendentals = work.transcendentals;
  total.bytes = *traffic.total;
  if (work.unknown) total.unknown.push_back(std::string(module.instruction(id).name));
  TESSERA_RETURN_IF_ERROR(AddCalled(module, id, &total));
  return total;
}

absl::StatusOr<Totals> TotalsOf(const Module& module, hlo::ComputationId computation) {
  Totals total;
  for (InstructionId id : module.computation(computation).instructions) {
    TESSERA_ASSIGN_OR_RETURN(Totals one, TotalsOfInstruction(module, id));
    TESSERA_RETURN_IF_ERROR(Add(one, 1, &total));
  }
  return total;
}

absl::StatusOr<std::vector<Totals>> TotalsOfBranches(const Module& module,
                                                     InstructionId conditional) {
  std::vector<Totals> out;
  for (hlo::ComputationId branch : module.called(conditional)) {
    TESSERA_ASSIGN_OR_RETURN(Totals one, TotalsOf(module, branch));
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tessera::projection
