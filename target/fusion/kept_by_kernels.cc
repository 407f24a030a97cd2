#include "tessera/target/fusion/kept_by_kernels.h"

#include <set>
#include <utility>

#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/priority_fusion/priority_fusion.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

// By InstructionId: the number of the kernel whose result it is; kNone for others.
std::vector<uint32_t> KernelsOfResults(const Dataflow& flow, FusionMemory* fusions) {
  const DeviceProgram program{hlo::Module(*flow.module)};
  std::set<ComputationId> computations;
  for (const Node& node : flow.nodes) computations.insert(program.computation(node.instruction));
  std::vector<uint32_t> kernels(program.module().num_instructions(), kNone);
  uint32_t kernel = 0;
  for (const ComputationId c : computations) {
    for (const auto& results : ResultsOf(program, c, fusions)) {
      for (const InstructionId id : results) kernels[id] = kernel;
      ++kernel;
    }
  }
  return kernels;
}

class KernelResults {
 public:
  KernelResults(const Dataflow& flow, FusionMemory* fusions)
      : flow_(flow), kernels_(KernelsOfResults(flow, fusions)) {
    kept_.is_kept.resize(flow.values.size());
    kept_.sources.resize(flow.values.size());
    for (const Node& node : flow.nodes) kept_.kernels.push_back(kernels_[node.instruction]);
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

KeptValues FindKeptByKernels(const Dataflow& flow, FusionMemory* fusions) {
  return KernelResults(flow, fusions).Run();
}

}  // namespace tessera::target
