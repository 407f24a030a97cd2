#include "tessera/cost/step/device_work.h"

#include <algorithm>
#include <optional>

#include "tessera/cost/step/contraction_rate.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

void Add(const DeviceWork& part, double times, DeviceWork* sum) {
  sum->flops += part.flops * times;
  sum->bytes += part.bytes * times;
  sum->seconds += part.seconds * times;
}

// The computations that an instruction runs, and how often.
struct Called {
  hlo::ComputationId computation = 0;
  double times = 1;
};

// Each computation is added up once, however often it runs.
class Adder {
 public:
  Adder(const hlo::Module& module, const Fused& fused, const projection::Device& device,
        bool keeps_parts, std::vector<Unpriced>* unpriced)
      : module_(module),
        fused_(fused),
        device_(device),
        keeps_parts_(keeps_parts),
        unpriced_(*unpriced) {}

  // The parts, callers first, once OfComputation() has run on the entry.
  std::vector<InstructionWork> List() {
    std::vector<InstructionWork> list;
    runs_[module_.entry_id()] = 1;
    for (auto computation = finished_.rbegin(); computation != finished_.rend(); ++computation) {
      const double runs = runs_[*computation];
      if (runs > 0) AddRuns(*computation, runs, &list);
    }
    return list;
  }

  absl::StatusOr<DeviceWork> OfComputation(hlo::ComputationId computation) {
    const auto known = known_.find(computation);
    if (known != known_.end()) return known->second;
    DeviceWork sum;
    for (const InstructionId id : module_.computation(computation).instructions) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfInstruction(id));
      Add(one, 1, &sum);
    }
    known_.emplace(computation, sum);
    finished_.push_back(computation);
    return sum;
  }

 private:
  // One run of a computation is so many of those that it calls.
  void AddRuns(hlo::ComputationId computation, double runs, std::vector<InstructionWork>* list) {
    for (const InstructionId id : module_.computation(computation).instructions) {
      if (const auto own = ones_.find(id); own != ones_.end()) {
        list->push_back({id, own->second, runs});
        continue;
      }
      const auto called = called_.find(id);
      if (called == called_.end()) continue;
      for (const Called& callee : called->second) {
        runs_[callee.computation] += runs * callee.times;
      }
    }
  }

  absl::StatusOr<DeviceWork> OfInstruction(InstructionId id) {
    switch (module_.instruction(id).opcode) {
      case Opcode::kWhile:
        return OfLoop(id);
      case Opcode::kConditional:
        return OfSlowestBranch(id);
      case Opcode::kCall:
      case Opcode::kAsyncStart:
        called_[id] = {{module_.called(id)[0], 1}};
        return OfComputation(module_.called(id)[0]);
      default:
        break;
    }
    TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfOne(id));
    if (keeps_parts_ && one.seconds > 0) ones_.emplace(id, one);
    return one;
  }

  // A condition is asked once more than the body runs.
  absl::StatusOr<DeviceWork> OfLoop(InstructionId id) {
    const std::optional<int64_t> trips = projection::TripCount(module_, id);
    const auto called = module_.called(id);
    const double body = static_cast<double>(trips.value_or(1));
    called_[id] = {{called[0], body}, {called[1], trips.has_value() ? body + 1 : 1}};
    DeviceWork sum;
    for (const Called& part : std::vector<Called>(called_[id])) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(part.computation));
      Add(one, part.times, &sum);
    }
    return sum;
  }

  absl::StatusOr<DeviceWork> OfSlowestBranch(InstructionId id) {
    DeviceWork slowest;
    for (const hlo::ComputationId branch : module_.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(branch));
      if (one.seconds < slowest.seconds) continue;
      slowest = one;
      called_[id] = {{branch, 1}};
    }
    return slowest;
  }

  absl::StatusOr<DeviceWork> OfOne(InstructionId id) {
    DeviceWork work;
    TESSERA_ASSIGN_OR_RETURN(work.bytes, BytesOf(id));
    TESSERA_RETURN_IF_ERROR(AddArithmetic(id, &work));
    if (device_.hbm_bytes_per_s() > 0) {
      work.seconds = std::max(work.seconds, work.bytes / device_.hbm_bytes_per_s());
    } else if (work.bytes > 0 && work.seconds == 0) {
      SayUnpriced(id, "the device has no bandwidth of memory");
    }
    return work;
  }

  // The contractions of the instruction, in a fusion all of them.
  absl::Status AddArithmetic(InstructionId id, DeviceWork* work) {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kFusion) {
      for (const InstructionId inner : module_.computation(module_.called(id)[0]).instructions) {
        TESSERA_RETURN_IF_ERROR(AddArithmetic(inner, work));
      }
    }
    if (opcode != Opcode::kCustomCall && !hlo::IsContraction(opcode)) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(const projection::Operations all,
                             projection::OperationsOf(module_, id, projection::CostMode::kExact));
    if (all.unknown) SayUnpriced(id, "its computation is unknown");
    if (all.flops == 0) return absl::OkStatus();
    const auto flops = static_cast<double>(all.flops);
    const double rate = FlopsPerSecond(module_, id, device_);
    work->flops += flops;
    if (rate > 0) {
      work->seconds += flops / rate;
    } else {
      SayUnpriced(id, "the device has no peak for it");
    }
    return absl::OkStatus();
  }

  void SayUnpriced(InstructionId id, const char* why) {
    if (unpriced_.empty() || unpriced_.back().id != id) unpriced_.push_back({id, why});
  }

  // The links have the time of what a collective moves; another name of an array moves nothing.
  absl::StatusOr<double> BytesOf(InstructionId id) const {
    const bool is_free = projection::CollectiveKindOf(module_.instruction(id).opcode).has_value() ||
                         projection::KindOf(module_, id) == projection::BufferKind::kAlias;
    if (is_free) return 0;
    TESSERA_ASSIGN_OR_RETURN(const projection::Traffic traffic,
                             projection::TrafficOf(module_, id, projection::CostMode::kExact));
    double bytes = fused_[id] ? 0 : static_cast<double>(traffic.written);
    const auto operands = module_.operands(id);
    for (size_t k = 0; k < operands.size() && k < traffic.read.size(); ++k) {
      if (!fused_[operands[k]]) bytes += static_cast<double>(traffic.read[k]);
    }
    return bytes;
  }

  const hlo::Module& module_;
  const Fused& fused_;
  const projection::Device& device_;
  const bool keeps_parts_;
  absl::flat_hash_map<hlo::ComputationId, DeviceWork> known_;
  std::vector<hlo::ComputationId> finished_;  // callees first
  absl::flat_hash_map<InstructionId, DeviceWork> ones_;
  absl::flat_hash_map<InstructionId, std::vector<Called>> called_;
  absl::flat_hash_map<hlo::ComputationId, double> runs_;
  std::vector<Unpriced>& unpriced_;
};

}  // namespace

absl::StatusOr<DeviceWork> WorkOf(const hlo::Module& module, const Fused& fused,
                                  const projection::Device& device,
                                  std::vector<Unpriced>* unpriced) {
  Adder adder(module, fused, device, /*keeps_parts=*/false, unpriced);
  return adder.OfComputation(module.entry_id());
}

absl::StatusOr<WorkList> ListWork(const hlo::Module& module, const Fused& fused,
                                  const projection::Device& device) {
  WorkList list;
  Adder adder(module, fused, device, /*keeps_parts=*/true, &list.unpriced);
  TESSERA_RETURN_IF_ERROR(adder.OfComputation(module.entry_id()).status());
  list.parts = adder.List();
  return list;
}

}  // namespace tessera::cost
