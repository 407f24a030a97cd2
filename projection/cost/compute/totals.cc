#include "tessera/projection/cost/compute/totals.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// The sums; names are kept apart, each once.
struct Sums {
  int64_t flops = 0, transcendentals = 0, bytes = 0, sent = 0;
};

// *total += times * part.
absl::Status Add(const Sums& part, int64_t times, Sums* total) {
  const Checked flops = Checked(part.flops) * times + total->flops;
  const Checked transcendentals = Checked(part.transcendentals) * times + total->transcendentals;
  const Checked bytes = Checked(part.bytes) * times + total->bytes;
  const Checked sent = Checked(part.sent) * times + total->sent;
  if (!flops.ok() || !transcendentals.ok() || !bytes.ok() || !sent.ok())
    return OverflowError("the cost of a computation");
  *total = {flops.value(), transcendentals.value(), bytes.value(), sent.value()};
  return absl::OkStatus();
}

// Each computation is added up once, however often it is called: functions that call the one before
// twice each are linear work. Recursion is as deep as calls are nested, which the verifier limits.
class Adder {
 public:
  explicit Adder(const Module& module) : module_(module) {}

  absl::StatusOr<Totals> Computation(hlo::ComputationId computation) {
    TESSERA_ASSIGN_OR_RETURN(const Sums sums, SumsOf(computation));
    return Finish(sums);
  }

 private:
  Totals Finish(const Sums& sums) {
    return {sums.flops, sums.transcendentals,      sums.bytes,
            sums.sent,  std::move(names_.unknown), std::move(names_.unknown_trips)};
  }

  absl::StatusOr<Sums> SumsOf(hlo::ComputationId computation) {
    const auto known = sums_.find(computation);
    if (known != sums_.end()) return known->second;
    Sums total;
    for (InstructionId id : module_.computation(computation).instructions) {
      TESSERA_ASSIGN_OR_RETURN(const Sums one, SumsOfInstruction(id));
      TESSERA_RETURN_IF_ERROR(Add(one, 1, &total));
    }
    sums_.emplace(computation, total);
    return total;
  }

  absl::StatusOr<Sums> SumsOfInstruction(InstructionId id) {
    Sums total;
    TESSERA_ASSIGN_OR_RETURN(Operations work, OperationsOf(module_, id, CostMode::kExact));
    TESSERA_ASSIGN_OR_RETURN(Traffic traffic, TrafficOf(module_, id, CostMode::kExact));
    TESSERA_ASSIGN_OR_RETURN(total.sent, SentPerDevice(module_, id));
    total.flops = work.flops;
    total.transcendentals = work.transcendentals;
    total.bytes = *traffic.total;
    if (work.unknown) names_.unknown.push_back(NameOf(id));
    TESSERA_RETURN_IF_ERROR(AddCalled(id, &total));
    return total;
  }

  absl::Status AddLoop(InstructionId id, Sums* total) {
    const std::optional<int64_t> trips = TripCount(module_, id);
    TESSERA_ASSIGN_OR_RETURN(const Sums body, SumsOf(module_.called(id)[0]));
    TESSERA_ASSIGN_OR_RETURN(const Sums condition, SumsOf(module_.called(id)[1]));
    const Checked tests = Checked(trips.value_or(0)) + 1;
    if (!tests.ok()) return OverflowError("the trips of a loop");
    TESSERA_RETURN_IF_ERROR(Add(body, trips.value_or(1), total));
    TESSERA_RETURN_IF_ERROR(Add(condition, tests.value(), total));
    if (!trips.has_value()) names_.unknown_trips.push_back(NameOf(id));
    return absl::OkStatus();
  }

  absl::Status AddBranches(InstructionId id, Sums* total) {
    Sums most;
    for (hlo::ComputationId branch : module_.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const Sums b, SumsOf(branch));
      most = {std::max(most.flops, b.flops), std::max(most.transcendentals, b.transcendentals),
              std::max(most.bytes, b.bytes), std::max(most.sent, b.sent)};
    }
    return Add(most, 1, total);
  }

  // Computations that the instruction runs as a part of the program. Of a fusion only the
  // arithmetic counts: its values stay inside.
  absl::Status AddCalled(InstructionId id, Sums* total) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (module_.called(id).empty()) return absl::OkStatus();
    if (opcode == Opcode::kWhile) return AddLoop(id, total);
    if (opcode == Opcode::kConditional) return AddBranches(id, total);
    const bool runs =
        opcode == Opcode::kCall || opcode == Opcode::kFusion || opcode == Opcode::kAsyncStart;
    if (!runs) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(Sums callee, SumsOf(module_.called(id)[0]));
    if (opcode == Opcode::kFusion) callee.bytes = 0;
    return Add(callee, 1, total);
  }

  std::string NameOf(InstructionId id) const { return std::string(module_.instruction(id).name); }

  const Module& module_;
  absl::flat_hash_map<hlo::ComputationId, Sums> sums_;
  Totals names_;  // its lists only
};

}  // namespace

absl::StatusOr<Totals> TotalsOf(const Module& module, hlo::ComputationId computation) {
  return Adder(module).Computation(computation);
}

}  // namespace tessera::projection
