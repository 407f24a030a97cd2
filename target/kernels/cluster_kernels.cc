#include "tessera/target/kernels/cluster_kernels.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/kernels/body.h"
#include "tessera/target/kernels/clusters.h"
#include "tessera/target/kernels/fused.h"
#include "tessera/target/kernels/layout_copies.h"
#include "tessera/target/kernels/registers.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr double kLargestInFastMemory = 64.0 * 1024 * 1024;

constexpr Opcode kLayoutOnly[] = {Opcode::kCopy, Opcode::kTranspose, Opcode::kReshape,
                                  Opcode::kBitcast, Opcode::kBitcastConvert};

class Maker {
 public:
  Maker(const hlo::Module& module, const std::vector<InstructionId>& order)
      : module_(module), order_(order) {
    FindResults();
  }

  std::vector<DeviceKernel> Make() {
    std::vector<DeviceKernel> kernels;
    for (const Cluster& cluster : FindClusters(module_, order_)) {
      if (IsFree(cluster)) continue;
      DeviceKernel kernel = KernelOf(module_, BodyOf(cluster));
      if (cluster.members.size() == 1 && kernel.kind == KernelKind::kLoop &&
          module_.instruction(cluster.members[0]).opcode == Opcode::kBroadcast)
        kernel.kind = KernelKind::kLone;
      kernel.instruction = cluster.outputs.empty() ? cluster.members.back() : cluster.outputs[0];
      kernels.push_back(std::move(kernel));
    }
    for (const InstructionId id : order_) {
      const Role role = RoleOf(module_, id);
      if (role != Role::kAlone && role != Role::kFusion) continue;
      Body body = role == Role::kFusion ? BodyOfFusion(module_, id) : BodyOfOne(module_, id);
      Place(&body);
      DeviceKernel kernel = KernelOf(module_, body);
      kernel.instruction = id;
      if (role == Role::kAlone && kernel.kind != KernelKind::kScalar) {
        kernel.kind = KindOfAlone(module_.instruction(id).opcode);
      }
      kernels.push_back(std::move(kernel));
    }
    for (const LayoutCopy& copy : FindLayoutCopies(module_, order_)) {
      kernels.push_back(KernelOfCopy(copy));
    }
    return kernels;
  }

 private:
  // Values that are a result of the computation, or that loops carry.
  void FindResults() {
    for (const InstructionId id : order_) {
      const hlo::Instruction& instruction = module_.instruction(id);
      if (instruction.is_root) Keep(id);
      if (instruction.opcode == Opcode::kWhile) {
        for (const InstructionId operand : module_.operands(id)) Keep(operand);
        FindOverwritten(id);
      }
    }
  }

  // Values from which a loop starts that only fills them, a slice a trip: nobody has to write them.
  void FindOverwritten(InstructionId loop) {
    if (module_.operands(loop).empty() || module_.called(loop).empty()) return;
    const InstructionId start = module_.operands(loop)[0];
    const hlo::Computation& body = module_.computation(module_.called(loop)[0]);
    if (module_.instruction(start).opcode != Opcode::kTuple || body.parameters.empty()) return;
    absl::flat_hash_map<InstructionId, bool> only_filled;  // elements of the parameter
    for (const InstructionId id : body.instructions) {
      const auto operands = module_.operands(id);
      const Opcode opcode = module_.instruction(id).opcode;
      if (opcode == Opcode::kGetTupleElement && operands[0] == body.parameters[0]) {
        only_filled[id] = true;
        continue;
      }
      for (size_t k = 0; k < operands.size(); ++k) {
        const auto it = only_filled.find(operands[k]);
        if (it == only_filled.end()) continue;
        it->second &= opcode == Opcode::kDynamicUpdateSlice && k == 0;
      }
    }
    const auto elements = module_.operands(start);
    for (const auto& [id, is_filled] : only_filled) {
      const int64_t index = hlo::GetTupleIndex(module_, id);
      if (is_filled && index >= 0 && index < static_cast<int64_t>(elements.size())) {
        overwritten_.insert(elements[static_cast<size_t>(index)]);
      }
    }
  }

  void Keep(InstructionId id) {
    kept_.insert(id);
    if (module_.instruction(id).opcode != Opcode::kTuple) return;
    for (const InstructionId operand : module_.operands(id)) kept_.insert(operand);
  }

  // Where the array of an instruction was made.
  InstructionId SourceOf(InstructionId id) const {
    for (int depth = 0; depth < 8; ++depth) {
      const Opcode opcode = module_.instruction(id).opcode;
      const bool hands_on = opcode == Opcode::kGetTupleElement || opcode == Opcode::kBitcast ||
                            opcode == Opcode::kReshape || opcode == Opcode::kOptBarrier ||
                            opcode == Opcode::kCopy || opcode == Opcode::kTranspose;
      if (!hands_on || module_.operands(id).empty()) break;
      id = module_.operands(id)[0];
    }
    return id;
  }

  bool IsFast(InstructionId id) const {
    const InstructionId source = SourceOf(id);
    const Opcode opcode = module_.instruction(source).opcode;
    if (opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kWhile ||
        opcode == Opcode::kTuple) {
      return false;
    }
    if (kept_.contains(id) || kept_.contains(source)) return false;
    const layout::Shape& shape = module_.shape(id);
    return Registers(shape) * kElementsOfRegister * ElementWidth(shape) <= kLargestInFastMemory;
  }

  DeviceKernel KernelOfCopy(const LayoutCopy& copy) const {
    DeviceKernel kernel;
    kernel.instruction = copy.to;
    kernel.kind = KernelKind::kTileCopy;
    kernel.elements = Elements(module_.shape(copy.to));
    kernel.count = copy.tiles;
    kernel.accesses = {AccessOf(copy.from), AccessOf(copy.to)};
    kernel.accesses[1].is_written = true;
    return kernel;
  }

  Access AccessOf(InstructionId id) const {
    Access access = AccessTo(module_.shape(id));
    access.is_fast = IsFast(id);
    return access;
  }

  void Place(Body* body) const {
    for (BodyNode& node : body->nodes) {
      if (node.is_input || node.is_output) node.is_fast = IsFast(node.id);
    }
  }

  bool IsFree(const Cluster& cluster) const {
    if (absl::c_all_of(cluster.members, [&](InstructionId id) {
          return absl::c_linear_search(kLayoutOnly, module_.instruction(id).opcode);
        })) {
      return true;
    }
    return absl::c_all_of(cluster.outputs,
                          [&](InstructionId id) { return overwritten_.contains(id); });
  }

  Body BodyOf(const Cluster& cluster) const {
    Body body;
    absl::flat_hash_map<InstructionId, int32_t> nodes;
    for (const InstructionId id : cluster.members) {
      absl::InlinedVector<int32_t, 3> operands;
      for (const InstructionId operand : module_.operands(id)) {
        const auto [it, is_new] = nodes.try_emplace(operand, 0);
        if (is_new) it->second = body.AddInput(operand, IsFast(operand));
        operands.push_back(it->second);
      }
      nodes[id] = body.Add(id, operands);
    }
    for (const InstructionId id : cluster.outputs) body.AddOutput(nodes[id], IsFast(id));
    return body;
  }

  const hlo::Module& module_;
  const std::vector<InstructionId>& order_;
  absl::flat_hash_set<InstructionId> kept_, overwritten_;
};

}  // namespace

std::vector<DeviceKernel> ClusterKernels(const hlo::Module& module,
                                         const std::vector<InstructionId>& order) {
  return Maker(module, order).Make();
}

}  // namespace tessera::target
