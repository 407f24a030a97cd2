#include "tessera/cost/step/device_work.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr Opcode kContractions[] = {Opcode::kDot, Opcode::kConvolution, Opcode::kRaggedDot,
                                    Opcode::kScaledDot};

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
  std::vector<hlo::ComputationId> computations;
  double times = 1;
};

// Each computation is added up once, however often it runs.
class Adder {
 public:
  Adder(const WorkInput& input, const projection::Device& device, bool keeps_parts)
      : input_(input), device_(device), keeps_parts_(keeps_parts) {}

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
      for (const hlo::ComputationId callee : called->second.computations) {
        runs_[callee] += runs * called->second.times;
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
        called_[id] = {{input_.whole.called(id)[0]}, 1};
        return OfComputation(input_.whole.called(id)[0]);
      default:
        break;
    }
    TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfOne(id));
    if (keeps_parts_ && one.seconds > 0) ones_.emplace(id, one);
    return one;
  }

  absl::StatusOr<DeviceWork> OfLoop(InstructionId id) {
    const int64_t trips = projection::TripCount(input_.whole, id).value_or(1);
    const auto parts = input_.whole.called(id);
    called_[id] = {{parts.begin(), parts.end()}, static_cast<double>(trips)};
    DeviceWork sum;
    for (const hlo::ComputationId part : parts) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(part));
      Add(one, static_cast<double>(trips), &sum);
    }
    return sum;
  }

  absl::StatusOr<DeviceWork> OfSlowestBranch(InstructionId id) {
    DeviceWork slowest;
    for (const hlo::ComputationId branch : input_.whole.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(branch));
      if (one.seconds < slowest.seconds) continue;
      slowest = one;
      called_[id] = {{branch}, 1};
    }
    return slowest;
  }

  absl::StatusOr<DeviceWork> OfOne(InstructionId id) const {
    DeviceWork work;
    TESSERA_ASSIGN_OR_RETURN(work.flops, FlopsOf(id));
    TESSERA_ASSIGN_OR_RETURN(work.bytes, BytesOf(id));
    const double peak = work.flops > 0 ? PeakOf(id) : 0;
    if (peak > 0) work.seconds = work.flops / peak;
    if (device_.hbm_bytes_per_s() > 0) {
      work.seconds = std::max(work.seconds, work.bytes / device_.hbm_bytes_per_s());
    }
    return work;
  }

  absl::StatusOr<double> FlopsOf(InstructionId id) const {
    if (!absl::c_linear_search(kContractions, input_.whole.instruction(id).opcode)) return 0;
    TESSERA_ASSIGN_OR_RETURN(
        const projection::Operations whole,
        projection::OperationsOf(input_.whole, id, projection::CostMode::kExact));
    const double cells = Cells(input_.whole.shape(id));
    if (cells == 0) return 0;
    const auto reduced = input_.reduced.find(id);
    const double parts = reduced == input_.reduced.end() ? 1 : static_cast<double>(reduced->second);
    return static_cast<double>(whole.flops) * Cells(input_.device.shape(id)) / cells / parts;
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

  double PeakOf(InstructionId id) const {
    if (device_.peak_size() == 0) return 0;
    const layout::Shape* array = FirstArray(input_.device.shape(input_.device.operands(id)[0]));
    for (const projection::Peak& peak : device_.peak()) {
      if (array != nullptr && peak.dtype() == layout::ElementTypeName(array->element_type())) {
        return peak.flops_per_s();
      }
    }
    return device_.peak(0).flops_per_s();
  }

  const WorkInput& input_;
  const projection::Device& device_;
  const bool keeps_parts_;
  absl::flat_hash_map<hlo::ComputationId, DeviceWork> known_;
  std::vector<hlo::ComputationId> finished_;  // callees first
  absl::flat_hash_map<InstructionId, DeviceWork> ones_;
  absl::flat_hash_map<InstructionId, Called> called_;
  absl::flat_hash_map<hlo::ComputationId, double> runs_;
};

}  // namespace

absl::StatusOr<DeviceWork> WorkOf(const WorkInput& input, const projection::Device& device) {
  return Adder(input, device, /*keeps_parts=*/false).OfComputation(input.whole.entry_id());
}

absl::StatusOr<std::vector<InstructionWork>> ListWork(const WorkInput& input,
                                                      const projection::Device& device) {
  Adder adder(input, device, /*keeps_parts=*/true);
  TESSERA_RETURN_IF_ERROR(adder.OfComputation(input.whole.entry_id()).status());
  return adder.List();
}

}  // namespace tessera::cost
