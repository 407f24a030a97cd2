#include "tessera/target/fusion/kept_by_kernels.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/priority_fusion/priority_fusion.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

std::set<ComputationId> ComputationsOf(const Dataflow& flow) {
  std::set<ComputationId> computations;
  for (const Node& node : flow.nodes) {
    computations.insert(flow.module->instruction(node.instruction).computation);
  }
  return computations;
}

// By InstructionId: the number of the kernel whose result it is; kNone for others.
class KernelNumbers {
 public:
  KernelNumbers(const Dataflow& flow, const FusedBefore& kernels)
      : numbers_(flow.module->num_instructions(), kNone) {
    for (const ComputationId c : ComputationsOf(flow)) {
      const KernelResults& results = kernels.at(c);
      Add(results);
      for (const InstructionId id : flow.module->computation(c).instructions) {
        if (id >= results.end) numbers_[id] = next_++;
      }
    }
  }

  std::vector<uint32_t> Take() { return std::move(numbers_); }
  // By number.
  InstructionId ProductOf(uint32_t number) const {
    return number < products_.size() ? products_[number] : hlo::kNoId;
  }
  std::optional<double> SecondsOf(uint32_t number) const {
    return number < seconds_.size() ? seconds_[number] : std::nullopt;
  }
  // Of each instruction that is not only computed where it is written: the other kernels.
  const absl::flat_hash_map<InstructionId, std::vector<uint32_t>>& recomputing() const {
    return recomputing_;
  }

 private:
  void Add(const KernelResults& results) {
    for (size_t k = 0; k < results.of.size(); ++k) {
      for (const InstructionId id : results.of[k]) numbers_[id] = next_;
      products_.resize(next_ + 1, hlo::kNoId);
      if (k < results.products.size()) products_[next_] = results.products[k];
      seconds_.resize(next_ + 1);
      if (k < results.seconds.size()) seconds_[next_] = results.seconds[k];
      if (k < results.recomputed.size()) {
        for (const InstructionId id : results.recomputed[k]) recomputing_[id].push_back(next_);
      }
      ++next_;
    }
  }

  std::vector<uint32_t> numbers_;
  std::vector<InstructionId> products_;
  std::vector<std::optional<double>> seconds_;
  absl::flat_hash_map<InstructionId, std::vector<uint32_t>> recomputing_;
  uint32_t next_ = 0;
};

class KeptFinder {
 public:
  KeptFinder(const Dataflow& flow, KernelNumbers numbers) : flow_(flow), kernels_(numbers.Take()) {
    kept_.is_kept.resize(flow.values.size());
    kept_.sources.resize(flow.values.size());
    for (NodeId n = 0; n < flow.nodes.size(); ++n) {
      const InstructionId id = flow.nodes[n].instruction;
      kept_.kernels.push_back(flow.nodes[n].is_again ? kNone : kernels_[id]);
      kept_.products.push_back(numbers.ProductOf(kernels_[id]));
      kept_.seconds.push_back(numbers.SecondsOf(kernels_[id]));
      const auto others = numbers.recomputing().find(id);
      if (others == numbers.recomputing().end()) continue;
      for (const uint32_t kernel : others->second) kept_.recomputed.emplace(kernel, n);
    }
  }

  KeptValues Run() {
    Visit(0);
    return std::move(kept_);
  }

 private:
  void Visit(ScopeId s) {
    for (const ValueId v : flow_.scopes[s].parameters) kept_.Keep(v);
    for (const NodeId n : flow_.scopes[s].nodes) {
      const Node& node = flow_.nodes[n];
      for (const ScopeId body : node.bodies) Visit(body);
      for (size_t k = 0; k < node.results.size(); ++k) {
        kept_.CollectSources(node, k);
        if (IsKept(node, node.results[k])) kept_.Keep(node.results[k]);
      }
    }
  }

  bool IsKept(const Node& node, ValueId v) const {
    const OpKind kind = KindOf(node.opcode);
    if (node.opcode == Opcode::kTranspose) return kernels_[node.instruction] != kNone;
    if (kind == OpKind::kView || kind == OpKind::kFree) return false;
    return kernels_[node.instruction] != kNone || kept_.sources[v].size() > KeptValues::kMaxSources;
  }

  const Dataflow& flow_;
  const std::vector<uint32_t> kernels_;
  KeptValues kept_;
};

}  // namespace

FusedBefore KernelsOf(const Dataflow& flow, FusionMemory* fusions, const FusedBefore* before) {
  FusedBefore kernels = before == nullptr ? FusedBefore() : *before;
  std::optional<DeviceProgram> program;
  for (const ComputationId c : ComputationsOf(flow)) {
    if (kernels.contains(c)) continue;
    if (!program.has_value()) program.emplace(hlo::Module(*flow.module));
    kernels.emplace(c, ResultsOf(*program, c, fusions));
  }
  return kernels;
}

KeptValues FindKeptByKernels(const Dataflow& flow, const FusedBefore& kernels) {
  return KeptFinder(flow, KernelNumbers(flow, kernels)).Run();
}

}  // namespace tessera::target
