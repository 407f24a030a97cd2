#include "tessera/target/kernels/clusters/fused_clusters.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Whether it may be computed inside of a kernel.
bool IsInside(const hlo::Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  switch (RoleOf(module, id)) {
    case Role::kLight:
    case Role::kReduction:
    case Role::kProduct:
    case Role::kUpdate:
      return true;
    case Role::kAlone:
      return opcode == Opcode::kGather;
    default:
      return IsView(opcode);
  }
}

class FusedFinder {
 public:
  FusedFinder(const hlo::Module& module, const std::vector<InstructionId>& order,
              const KernelResults& fused)
      : module_(module), fused_(fused), results_(fused.of) {
    for (size_t k = 0; k < order.size(); ++k) places_.emplace(order[k], k);
    for (size_t k = 0; k < results_.size(); ++k) {
      for (const InstructionId id : results_[k]) kernels_.emplace(id, k);
    }
    for (const InstructionId id : order) {
      if (id < fused.end) continue;
      kernels_.emplace(id, results_.size());
      results_.push_back({id});
    }
  }

  std::vector<Cluster> Run() {
    std::vector<Cluster> clusters;
    for (size_t k = 0; k < results_.size(); ++k) {
      Cluster cluster = ClusterOf(k);
      if (!cluster.outputs.empty()) clusters.push_back(std::move(cluster));
    }
    absl::c_sort(clusters, [this](const Cluster& a, const Cluster& b) {
      return PlaceOf(a.members.back()) < PlaceOf(b.members.back());
    });
    return clusters;
  }

 private:
  size_t PlaceOf(InstructionId id) const { return places_.at(id); }

  Cluster ClusterOf(size_t k) const {
    Cluster cluster;
    absl::flat_hash_set<InstructionId> seen;
    for (const InstructionId id : results_[k]) {
      if (places_.contains(id) && IsInside(module_, id)) cluster.outputs.push_back(id);
    }
    std::vector<InstructionId> open = cluster.outputs;
    seen.insert(open.begin(), open.end());
    while (!open.empty()) {
      const InstructionId id = open.back();
      open.pop_back();
      cluster.members.push_back(id);
      for (const InstructionId operand : module_.operands(id)) {
        if (Computes(k, operand) && seen.insert(operand).second) open.push_back(operand);
      }
    }
    const auto by_place = [this](InstructionId a, InstructionId b) {
      return PlaceOf(a) < PlaceOf(b);
    };
    absl::c_sort(cluster.members, by_place);
    absl::c_sort(cluster.outputs, by_place);
    return cluster;
  }

  // Whether kernel `k` computes the value, and does not read it.
  bool Computes(size_t k, InstructionId id) const {
    if (!IsInside(module_, id)) return false;
    const auto of = kernels_.find(id);
    if (of == kernels_.end() || of->second == k) return true;
    return k < fused_.recomputed.size() && absl::c_linear_search(fused_.recomputed[k], id);
  }

  const hlo::Module& module_;
  const KernelResults& fused_;
  std::vector<std::vector<InstructionId>> results_;  // by kernel
  absl::flat_hash_map<InstructionId, size_t> places_, kernels_;
};

}  // namespace

std::vector<Cluster> FusedClusters(const hlo::Module& module,
                                   const std::vector<InstructionId>& order,
                                   const KernelResults& fused) {
  return FusedFinder(module, order, fused).Run();
}

}  // namespace tessera::target
