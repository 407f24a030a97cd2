// Walks the entry and all that it runs. Each loop, branch and call is a body; a fusion or an asynchronous
// computation belongs to the body of its caller.

#include "tessera/target/collectives/standing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/target/collectives/given.h"
#include "tessera/target/collectives/schedule.h"
#include "tessera/target/collectives/slice_transfers.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using sharding::partition::Body;
using sharding::partition::Collective;

// Where the walk is.
struct Place {
  int32_t body = 0;
  // The fusion or asynchronous start, in the schedule of the body, in which the walk is.
  InstructionId outer = hlo::kNoId;
  bool is_async = false;  // it is a start
  bool is_fused = false;  // there is a fusion on the way
  // The fusion or start that calls this computation, and where it stands; none in a body's own.
  InstructionId caller = hlo::kNoId;
  const Place* around = nullptr;
};

struct Found {
  Collective collective;
  Execution execution;
};

bool IsSyncStart(const hlo::Module& module, InstructionId id) {
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  return config.has_value() && absl::StrContains(*config, "\"is_sync\":true");
}

Body::Role BodyRoleOf(Opcode caller, size_t callee) {
  if (caller == Opcode::kConditional) return Body::Role::kBranch;
  if (caller != Opcode::kWhile) return Body::Role::kCall;
  return callee == 0 ? Body::Role::kLoop : Body::Role::kCondition;
}

class Walk {
 public:
  explicit Walk(const hlo::Module& module)
      : module_(module), schedules_(module), reader_(module), transfers_(module) {}

  absl::StatusOr<StandingCollectives> Run() {
    bodies_.push_back({Body::Role::kEntry, module_.entry_id(), hlo::kNoId, -1, 0});
    TESSERA_RETURN_IF_ERROR(Visit(module_.entry_id(), {}));
    for (Found& one : found_) Measure(&one.execution);
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return a.collective.body < b.collective.body;
    });
    StandingCollectives all;
    all.found.bodies = std::move(bodies_);
    for (Found& one : found_) {
      all.found.collectives.push_back(std::move(one.collective));
      all.executions.push_back(one.execution);
    }
    return all;
  }

 private:
  absl::Status Visit(ComputationId c, const Place& place) {
    for (const InstructionId id : module_.computation(c).instructions) {
      if (RunsCollective(module_.instruction(id).opcode)) {
        TESSERA_RETURN_IF_ERROR(Add(c, id, place));
        continue;
      }
      if (IsSliceTransfer(module_, id)) TESSERA_RETURN_IF_ERROR(AddTransfer(id, place));
      const auto called = module_.called(id);
      for (size_t k = 0; k < called.size(); ++k) {
        if (!schedules_.HasCollective(called[k])) continue;
        TESSERA_RETURN_IF_ERROR(Visit(called[k], Inside(id, k, place)));
      }
    }
    return absl::OkStatus();
  }

  // Where the walk is in callee `k` of an instruction.
  Place Inside(InstructionId id, size_t k, const Place& around) {
    Place place = around;
    place.caller = hlo::kNoId;
    const Opcode opcode = module_.instruction(id).opcode;
    const bool starts = opcode == Opcode::kAsyncStart;
    if (starts || opcode == Opcode::kFusion || opcode == Opcode::kCustomCall) {
      if (place.outer == hlo::kNoId) {
        place.outer = id;
        place.is_async = starts;
      }
      place.is_fused |= opcode == Opcode::kFusion;
      place.caller = id;
      place.around = &around;
      return place;
    }
    bodies_.push_back({BodyRoleOf(opcode, k), module_.called(id)[k], id, place.body, 0});
    place.body = static_cast<int32_t>(bodies_.size()) - 1;
    if (!place.is_async) place.outer = hlo::kNoId;
    return place;
  }

  absl::Status Add(ComputationId c, InstructionId id, const Place& place) {
    Execution execution = ExecutionOf(id, place);
    if (place.is_fused && !place.is_async) {
      const std::string chain =
          hlo::GetFrontendAttribute(module_, id, "chain_id").value_or(std::string());
      if (!chain.empty() && !IsFirstOfChain(chain, id, place)) return absl::OkStatus();
      if (!chain.empty()) execution.form = Form::kAsynchronous;
    }
    TESSERA_ASSIGN_OR_RETURN(Collective collective, reader_.Read(id));
    collective.body = place.body;
    collective.producer = OutsideOf(collective.producer, place);
    if (place.is_fused && collective.opcode == Opcode::kAllReduce) {
      if (auto slice = ReducedAndSliced(module_, c)) {
        collective.opcode = Opcode::kReduceScatter;
        collective.shape = *std::move(slice);
      }
    }
    found_.push_back({std::move(collective), execution});
    return absl::OkStatus();
  }

  // The operand of fusions and asynchronous starts around for a parameter; any other instruction
  // itself.
  InstructionId OutsideOf(InstructionId moved, const Place& place) const {
    for (const Place* at = &place; moved != hlo::kNoId && at->caller != hlo::kNoId;
         at = at->around) {
      const hlo::Instruction& inside = module_.instruction(moved);
      const auto operands = module_.operands(at->caller);
      if (inside.opcode != Opcode::kParameter || inside.parameter_number >= operands.size()) break;
      moved = operands[inside.parameter_number];
    }
    return moved;
  }

  absl::Status AddTransfer(InstructionId send, const Place& place) {
    Found one;
    TESSERA_ASSIGN_OR_RETURN(one.collective, transfers_.Read(send));
    one.collective.body = place.body;
    one.execution.form = Form::kAsynchronous;
    one.execution.begin = send;
    one.execution.end = transfers_.DoneOf(send);
    found_.push_back(std::move(one));
    return absl::OkStatus();
  }

  Execution ExecutionOf(InstructionId id, const Place& place) const {
    const bool is_native = StartsCollective(module_.instruction(id).opcode);
    Execution e;
    e.begin = e.end = place.outer == hlo::kNoId ? id : place.outer;
    if (place.is_async || (is_native && place.outer == hlo::kNoId)) {
      e.end = schedules_.DoneOf(e.begin);
      const bool is_sync = IsSyncStart(module_, e.begin) || IsSyncStart(module_, id);
      e.form = is_sync ? Form::kSyncStart : Form::kAsynchronous;
    } else if (place.is_fused) {
      e.form = Form::kFused;
    }
    return e;
  }

  // If not, extends the chain to this stage. A chain may span a loop, with its first and last stage outside of it.
  bool IsFirstOfChain(const std::string& chain, InstructionId id, const Place& place) {
    const int64_t channel = hlo::GetInt(module_, id, hlo::AttributeName::kChannelId).value_or(0);
    for (int32_t body = place.body; body >= 0; body = bodies_[static_cast<size_t>(body)].parent) {
      const auto begun = chains_.find(std::make_tuple(body, chain, channel));
      if (begun == chains_.end()) continue;
      if (body == place.body) found_[begun->second].execution.end = place.outer;
      return false;
    }
    chains_.emplace(std::make_tuple(place.body, chain, channel), found_.size());
    return true;
  }

  void Measure(Execution* e) {
    if (e->begin == e->end || e->end == hlo::kNoId) return;
    e->between = schedules_.BetweenOf(e->begin, e->end);
  }

  const hlo::Module& module_;
  Schedules schedules_;
  CollectiveReader reader_;
  SliceTransfers transfers_;
  std::vector<Body> bodies_;
  std::vector<Found> found_;
  absl::flat_hash_map<std::tuple<int32_t, std::string, int64_t>, size_t> chains_;
};

}  // namespace

absl::StatusOr<StandingCollectives> FindStanding(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto runs = [&](InstructionId id) { return !module.called(id).empty(); };
  TESSERA_RETURN_IF_ERROR(hlo::CheckUnfolded(module, runs, "with what each call runs, the module"));
  return Walk(module).Run();
}

}  // namespace tessera::target
