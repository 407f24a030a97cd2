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

// Each computation is added up once, however often it runs.
class Adder {
 public:
  Adder(const WorkInput& input, const projection::Device& device)
      : input_(input), device_(device) {}

  absl::StatusOr<DeviceWork> OfComputation(hlo::ComputationId computation) {
    const auto known = known_.find(computation);
    if (known != known_.end()) return known->second;
    DeviceWork sum;
    for (const InstructionId id : input_.whole.computation(computation).instructions) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfInstruction(id));
      Add(one, 1, &sum);
    }
    known_.emplace(computation, sum);
    return sum;
  }

 private:
  absl::StatusOr<DeviceWork> OfInstruction(InstructionId id) {
    switch (input_.whole.instruction(id).opcode) {
      case Opcode::kWhile:
        return OfLoop(id);
      case Opcode::kConditional:
        return OfSlowestBranch(id);
      case Opcode::kCall:
      case Opcode::kAsyncStart:
        return OfComputation(input_.whole.called(id)[0]);
      default:
        return OfOne(id);
    }
  }

  absl::StatusOr<DeviceWork> OfLoop(InstructionId id) {
    const int64_t trips = projection::TripCount(input_.whole, id).value_or(1);
    DeviceWork sum;
    for (const hlo::ComputationId part : input_.whole.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(part));
      Add(one, static_cast<double>(trips), &sum);
    }
    return sum;
  }

  absl::StatusOr<DeviceWork> OfSlowestBranch(InstructionId id) {
    DeviceWork slowest;
    for (const hlo::ComputationId branch : input_.whole.called(id)) {
      TESSERA_ASSIGN_OR_RETURN(const DeviceWork one, OfComputation(branch));
      if (one.seconds >= slowest.seconds) slowest = one;
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
  absl::flat_hash_map<hlo::ComputationId, DeviceWork> known_;
};

}  // namespace

absl::StatusOr<DeviceWork> WorkOf(const WorkInput& input, const projection::Device& device) {
  return Adder(input, device).OfComputation(input.whole.entry_id());
}

}  // namespace tessera::cost
