#include "tessera/cost/step/device_work.h"

#include <algorithm>
#include <optional>

#include "tessera/cost/step/contraction_rate.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

const layout::Shape* FirstArray(const layout::Shape& shape) {
  const layout::Shape* first = nullptr;
  layout::ForEachLeaf(shape, [&](const layout::Shape& leaf) {
    if (first == nullptr && leaf.is_array()) first = &leaf;
  });
  return first;
}

double Cells(const layout::Shape& shape) {
  const layout::Shape* array = FirstArray(shape);
  return array == nullptr ? 0 : static_cast<double>(array->NumElements().value_or(0));
}

void Add(const DeviceWork& part, double times, DeviceWork* sum) {
  sum->flops += part.flops * times;
  sum->bytes += part.bytes * times;
  sum->seconds += part.seconds * times;
}

// What an instruction runs, and how often.
struct Called {
  hlo::ComputationId computation = 0;
  double times = 1;
};

// Each computation is added up once, however often it runs.
class Adder {
 public:
  Adder(const WorkInput& input, const projection::Device& device, bool keeps_parts,
        std::vector<Unpriced>* unpriced)
      : input_(input), device_(device), keeps_parts_(keeps_parts), unpriced_(*unpriced) {}

  // The parts, callers first, once OfComputation() has been asked for the entry.
  std::vector<InstructionWork> List() {
    std::vector<InstructionWork> list;
    runs_[input_.whole.entry_id()] = 1;
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
    for (const InstructionId id : input_.whole.computation(computation).instructions) {
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
    for (const InstructionId id : input_.whole.computation(computation).instructions) {
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
    switch (input_.whole.instruction(id).opcode) {
      case Opcode::kWhile:
        return OfLoop(id);
      case Opcode::kConditional:
        return OfSlowestBranch(id);
      case Opcode::kCall:
      case Opcode::kAsyncStart:
        called_[id] = {{input_.whole.called(id)[0], 1}};
        return OfComputation(input_.whole.called(id)[0]);
      default:
        break;
    }
    TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfOne(id));
    if (keeps_parts_ && one.seconds > 0) ones_.emplace(id, one);
    return one;
  }

  // A condition is asked once more than the body runs.
  absl::StatusOr<DeviceWork> OfLoop(InstructionId id) {
    const std::optional<int64_t> trips = projection::TripCount(input_.whole, id);
    const auto called = input_.whole.called(id);
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
    for (const hlo::ComputationId branch : input_.whole.called(id)) {
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
    TESSERA_RETURN_IF_ERROR(AddArithmetic(id, ShareOf(id), &work));
    if (device_.hbm_bytes_per_s() > 0) {
      work.seconds = std::max(work.seconds, work.bytes / device_.hbm_bytes_per_s());
    } else if (work.bytes > 0 && work.seconds == 0) {
      SayUnpriced(id, "the device has no bandwidth of memory");
    }
    return work;
  }

  // The contractions of the instruction, in a fusion all of them. `share`: of a device.
  absl::Status AddArithmetic(InstructionId id, double share, DeviceWork* work) {
    const Opcode opcode = input_.whole.instruction(id).opcode;
    if (opcode == Opcode::kFusion) {
      for (const InstructionId inner :
           input_.whole.computation(input_.whole.called(id)[0]).instructions) {
        TESSERA_RETURN_IF_ERROR(AddArithmetic(inner, share, work));
      }
    }
    if (opcode != Opcode::kCustomCall && !IsContraction(opcode)) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(
        const projection::Operations whole,
        projection::OperationsOf(input_.whole, id, projection::CostMode::kExact));
    if (whole.unknown) SayUnpriced(id, "its computation is unknown");
    if (whole.flops == 0) return absl::OkStatus();
    const double flops = static_cast<double>(whole.flops) * share;
    const double rate = FlopsPerSecond(input_.whole, id, device_);
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

  // What a device does of an instruction: the tile of its result, less what a sum over devices says
  // that others did.
  double ShareOf(InstructionId id) const {
    const double cells = Cells(input_.whole.shape(id));
    if (cells == 0) return 0;
    const auto reduced = input_.reduced.find(id);
    const double parts = reduced == input_.reduced.end() ? 1 : static_cast<double>(reduced->second);
    return Cells(input_.device.shape(id)) / cells / parts;
  }

  absl::StatusOr<double> BytesOf(InstructionId id) const {
    TESSERA_ASSIGN_OR_RETURN(
        const projection::Traffic traffic,
        projection::TrafficOf(input_.device, id, projection::CostMode::kExact));
    double bytes = input_.fused[id] ? 0 : static_cast<double>(traffic.written);
    const auto operands = input_.device.operands(id);
    for (size_t k = 0; k < operands.size() && k < traffic.read.size(); ++k) {
      if (!input_.fused[operands[k]]) bytes += static_cast<double>(traffic.read[k]);
    }
    return bytes;
  }

  const WorkInput& input_;
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

absl::StatusOr<DeviceWork> WorkOf(const WorkInput& input, const projection::Device& device,
                                  std::vector<Unpriced>* unpriced) {
  Adder adder(input, device, /*keeps_parts=*/false, unpriced);
  return adder.OfComputation(input.whole.entry_id());
}

absl::StatusOr<WorkList> ListWork(const WorkInput& input, const projection::Device& device) {
  WorkList list;
  Adder adder(input, device, /*keeps_parts=*/true, &list.unpriced);
  TESSERA_RETURN_IF_ERROR(adder.OfComputation(input.whole.entry_id()).status());
  list.parts = adder.List();
  return list;
}

}  // namespace tessera::cost
