#include "tessera/target/priority_fusion/priority_fusion.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

constexpr size_t kMaxOperands = 96;
constexpr double kMaxIrSize = 10000;
constexpr int64_t kFirst = std::numeric_limits<int64_t>::max();
constexpr int64_t kNever = -1;

class Queue {
 public:
  explicit Queue(FusionGraph& graph)
      : graph_(graph), priorities_(graph.size(), kNever), versions_(graph.size()) {
    for (const uint32_t kernel : graph.PostOrder()) Update(kernel);
  }

  void Run() {
    while (!queue_.empty()) {
      const uint32_t producer = std::prev(queue_.end())->second.second;
      Drop(producer);
      FuseIntoUsers(producer);
    }
  }

 private:
  using Key = std::pair<int64_t, std::pair<uint32_t, uint32_t>>;  // priority, number, kernel

  // Of a producer and one of its users, as they were at these versions.
  struct Pair {
    uint32_t producer = 0, user = 0;
    std::optional<bool> can_fuse;
    std::optional<double> saved;                  // seconds
    std::optional<std::optional<double>> triton;  // of both as one kernel, if there is one
  };

  bool IsBitcast(uint32_t kernel) const { return graph_.Is(kernel, Opcode::kBitcast); }

  bool CanFuse(uint32_t producer, uint32_t consumer) {
    const FusionGraph::Node &from = graph_.node(producer), &to = graph_.node(consumer);
    if (!from.is_fusion && !graph_.Result(producer).is_fusible) return false;
    if (!to.is_fusion && !graph_.Result(consumer).is_fusible) return false;
    if (IsBitcast(consumer) || from.is_root) return false;
    if (from.is_triton || to.is_triton) {
      return FitsInOperands(producer, consumer) && TritonSeconds(producer, consumer).has_value();
    }
    if (graph_.Result(producer).opcode == Opcode::kScatter) return false;
    if (from.has_reduction && to.has_reduction) return false;
    if (UpdatesInPlace(producer, consumer)) return false;
    if (LosesTiles(producer, consumer)) return false;
    return FitsInBudget(producer, consumer);
  }

  // A reduction or transpose by tiles would become a part of a plain loop.
  bool LosesTiles(uint32_t producer, uint32_t consumer) {
    const KernelCost &from = graph_.CostOf(producer), &to = graph_.CostOf(consumer);
    return from.hero.tiled != nullptr && TiledOfFused(producer, from, to) == nullptr;
  }

  // The consumer updates the producer's result, and would have to compute it as a whole.
  bool UpdatesInPlace(uint32_t producer, uint32_t consumer) const {
    const Opcode opcode = graph_.Result(consumer).opcode;
    if (opcode != Opcode::kScatter && opcode != Opcode::kDynamicUpdateSlice) return false;
    const FusedOp& update = graph_.node(consumer).outputs[0].back();
    if (!(update.reads[0] == Read{Read::kKernel, producer})) return false;
    return opcode == Opcode::kScatter || graph_.Result(producer).opcode != Opcode::kBitcast;
  }

  bool FitsInOperands(uint32_t producer, uint32_t consumer) const {
    const auto &of = graph_.node(producer).operands, &in = graph_.node(consumer).operands;
    if (of.size() + in.size() <= kMaxOperands) return true;
    std::set<uint32_t> all(of.begin(), of.end());
    all.insert(in.begin(), in.end());
    return all.size() <= kMaxOperands;
  }

  bool FitsInBudget(uint32_t producer, uint32_t consumer) {
    return FitsInOperands(producer, consumer) &&
           graph_.CostOf(producer).ir_size + graph_.CostOf(consumer).ir_size <= kMaxIrSize;
  }

  std::optional<double> TritonSeconds(uint32_t producer, uint32_t consumer) {
    Pair& pair = PairOf(producer, consumer);
    if (!pair.triton.has_value()) pair.triton = graph_.TritonSecondsFused(producer, consumer);
    return *pair.triton;
  }

  double SecondsAsOne(uint32_t producer, uint32_t consumer) {
    if (graph_.node(producer).is_triton || graph_.node(consumer).is_triton) {
      // There is one: CanFuse() has found it.
      return TritonSeconds(producer, consumer).value_or(0);
    }
    return SecondsFused(producer, graph_.CostOf(producer), graph_.CostOf(consumer));
  }

  // What is known of the pair, worked out anew only when one of both has changed.
  Pair& PairOf(uint32_t producer, uint32_t user) {
    Pair& pair = pairs_[{producer, user}];
    const Pair unknown = {versions_[producer], versions_[user], {}, {}, {}};
    if (pair.producer != unknown.producer || pair.user != unknown.user) pair = unknown;
    return pair;
  }

  bool IsKnownToFuse(uint32_t producer, uint32_t user) {
    Pair& pair = PairOf(producer, user);
    if (!pair.can_fuse.has_value()) pair.can_fuse = CanFuse(producer, user);
    return *pair.can_fuse;
  }

  double SecondsSaved(uint32_t producer, uint32_t user) {
    Pair& pair = PairOf(producer, user);
    if (!pair.saved.has_value()) {
      pair.saved = graph_.CostOf(user).seconds - SecondsAsOne(producer, user);
    }
    return *pair.saved;
  }

  // In quarters of a nanosecond, the unit of XLA's durations.
  int64_t PriorityOf(uint32_t producer) {
    const FusionGraph::Node& node = graph_.node(producer);
    if (IsBitcast(producer)) return kFirst;
    bool has_users = false;
    for (const uint32_t user : node.users) {
      if (IsBitcast(user)) continue;
      has_users = true;
      if (!IsKnownToFuse(producer, user)) return kNever;
    }
    if (!has_users) return kNever;
    double saved = kLaunchSeconds + graph_.CostOf(producer).seconds;
    for (const uint32_t user : node.users) saved += SecondsSaved(producer, user);
    return saved < 0 ? kNever : std::llround(saved * 4e9);
  }

  void Drop(uint32_t kernel) {
    if (priorities_[kernel] == kNever) return;
    queue_.erase({priorities_[kernel], {graph_.node(kernel).number, kernel}});
    priorities_[kernel] = kNever;
  }

  void Update(uint32_t kernel) {
    Drop(kernel);
    const FusionGraph::Node& node = graph_.node(kernel);
    if (node.is_gone || node.users.empty()) return;
    if (!node.is_fusion && !graph_.Result(kernel).is_fusible) return;
    const int64_t priority = PriorityOf(kernel);
    if (priority == kNever) return;
    priorities_[kernel] = priority;
    queue_.insert({priority, {node.number, kernel}});
  }

  void FuseIntoUsers(uint32_t producer) {
    std::vector<uint32_t> changed;
    for (const uint32_t user : std::vector<uint32_t>(graph_.node(producer).users)) {
      if (IsBitcast(user)) continue;
      if (IsBitcast(producer) && !CanFuse(producer, user)) continue;
      Drop(user);
      graph_.Fuse(producer, user);
      ++versions_[user];
      changed.push_back(user);
      absl::c_copy(graph_.node(user).operands, std::back_inserter(changed));
    }
    graph_.RemoveUnused(producer);
    absl::c_sort(changed);
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const uint32_t kernel : changed) Update(kernel);
  }

  FusionGraph& graph_;
  std::set<Key> queue_;
  std::vector<int64_t> priorities_;  // by kernel: as in queue_, or kNever
  std::vector<uint32_t> versions_;   // by kernel: how often something was fused into it
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, Pair> pairs_;  // by producer and user
};

}  // namespace

void FuseByPriority(FusionGraph& graph) { Queue(graph).Run(); }

namespace {

FusedComputation FuseAll(FusionGraph* graph) {
  FuseByPriority(*graph);
  FuseMultiOutput(*graph);
  FusedComputation fused;
  KernelGraph kernels = graph->ToKernelGraph();
  fused.ops = std::move(kernels.instructions);
  for (const std::vector<Kernel>& operands : kernels.operands) fused.operands.Add(operands);
  for (const uint32_t kernel : graph->PostOrder()) {
    std::vector<uint32_t> results;
    for (const Expression& output : graph->node(kernel).outputs) {
      results.push_back(output.back().op);
    }
    fused.results.Add(results);
  }
  return fused;
}

std::shared_ptr<const FusedComputation> FusedOf(FusionGraph* graph, FusionMemory* memory) {
  if (memory == nullptr) return std::make_shared<const FusedComputation>(FuseAll(graph));
  return memory->Find(*graph, [&] { return FuseAll(graph); });
}

}  // namespace

KernelGraph FuseKernels(const DeviceProgram& program, ComputationId c, FusionMemory* memory) {
  FusionGraph graph(program, c);
  const auto fused = FusedOf(&graph, memory);
  KernelGraph kernels = {{}, fused->operands.Lists()};
  for (const uint32_t op : fused->ops) kernels.instructions.push_back(graph.InstructionOf(op));
  return kernels;
}

std::vector<std::vector<InstructionId>> ResultsOf(const DeviceProgram& program, ComputationId c,
                                                  FusionMemory* memory) {
  FusionGraph graph(program, c);
  std::vector<std::vector<InstructionId>> results = FusedOf(&graph, memory)->results.Lists();
  for (std::vector<InstructionId>& of_kernel : results) {
    for (InstructionId& op : of_kernel) op = graph.InstructionOf(op);
  }
  return results;
}

}  // namespace tessera::target
