#include "tessera/target/schedule/kernels.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/schedule/barriers.h"
#include "tessera/target/schedule/loss_kernels.h"
#include "tessera/target/schedule/scattered_reads.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

template <typename List>
void AddOnce(ValueId v, List* list) {
  if (!absl::c_linear_search(*list, v)) list->push_back(v);
}

template <typename List>
void Remove(ValueId v, List* list) {
  const auto found = absl::c_find(*list, v);
  if (found != list->end()) list->erase(found);
}

class KernelFinder {
 public:
  KernelFinder(const Dataflow& flow, const KeptValues& kept)
      : flow_(flow),
        kept_(kept),
        scopes_(flow.scopes.size()),
        kernel_of_(flow.nodes.size(), kNone),
        is_reduced_(flow.values.size()),
        is_windowed_(flow.values.size()) {
    if (!IsOfGpu()) FindReduced();
    FindWindowed();
  }

  std::vector<ScopeKernels> Run() {
    for (ScopeId s = 0; s < flow_.scopes.size(); ++s) ListKernels(s);
    for (ScopeId s = 0; s < flow_.scopes.size(); ++s) {
      for (const NodeId n : flow_.scopes[s].nodes) {
        if (kernel_of_[n] != kNone) AddReads(n);
      }
      for (const ValueId root : flow_.scopes[s].roots) AddRoot(s, root);
    }
    if (IsOfGpu()) {
      for (ScopeKernels& scope : scopes_) {
        for (Kernel& kernel : scope.kernels) DropScattered(flow_, kept_, &kernel);
        SortByReads(&scope.kernels);
      }
    } else {
      FollowSumsOfMasks(flow_, &scopes_[0]);
      SortByReads(&scopes_[0].kernels);
      for (ScopeKernels& scope : scopes_) FollowLosses(flow_, &scope);
    }
    return std::move(scopes_);
  }

 private:
  void ListKernels(ScopeId s) {
    scopes_[s].at_start = s == 0 ? flow_.arguments : flow_.scopes[s].parameters;
    for (const NodeId n : flow_.scopes[s].nodes) {
      const Node& node = flow_.nodes[n];
      if (node.opcode == Opcode::kParameter) continue;
      Kernel kernel;
      kernel.node = n;
      for (const ValueId v : node.results) {
        if (kept_.is_kept[v]) kernel.makes.push_back(v);
      }
      if (kernel.makes.empty() && node.bodies.empty() && !node.has_side_effects) continue;
      if (JoinKernel(n, kernel, &scopes_[s])) continue;
      kernel_of_[n] = static_cast<uint32_t>(scopes_[s].kernels.size());
      scopes_[s].kernels.push_back(std::move(kernel));
    }
  }

  // Of a kernel with several results.
  uint32_t NumberOf(NodeId n) const {
    if (IsOfGpu()) return kept_.kernels[n];
    return kept_.updates.empty() ? kNone : kept_.updates[n];
  }

  // Whether another node of its kernel is there already.
  bool JoinKernel(NodeId n, const Kernel& kernel, ScopeKernels* scope) {
    const uint32_t number = NumberOf(n);
    if (number == kNone || kernel.makes.empty()) return false;
    const auto key = std::make_pair(flow_.nodes[n].scope, number);
    const auto [found, is_new] = joined_.try_emplace(key, scope->kernels.size());
    if (is_new) return false;
    if (!IsOfGpu() && n == number) scope->kernels[found->second].node = n;
    kernel_of_[n] = found->second;
    auto& makes = scope->kernels[found->second].makes;
    makes.insert(makes.end(), kernel.makes.begin(), kernel.makes.end());
    return true;
  }

  // Operands first, else in the order in which they are.
  static void SortByReads(std::vector<Kernel>* kernels) {
    absl::flat_hash_map<ValueId, uint32_t> makers;
    for (uint32_t k = 0; k < kernels->size(); ++k) {
      Kernel& kernel = (*kernels)[k];
      for (const ValueId v : kernel.makes) makers[v] = k;
    }
    std::vector<bool> seen(kernels->size());
    std::vector<Kernel> sorted;
    std::vector<std::pair<uint32_t, size_t>> stack;
    for (uint32_t k = 0; k < kernels->size(); ++k) {
      if (!seen[k]) stack.emplace_back(k, 0);
      seen[k] = true;
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next == (*kernels)[at].reads.size()) {
          sorted.push_back(std::move((*kernels)[at]));
          stack.pop_back();
          continue;
        }
        const auto maker = makers.find((*kernels)[at].reads[next++]);
        if (maker == makers.end() || seen[maker->second]) continue;
        seen[maker->second] = true;
        stack.emplace_back(maker->second, 0);
      }
    }
    *kernels = std::move(sorted);
  }

  // In the kernel of the value's scope in which `n` runs.
  void AddRead(ValueId v, NodeId n) {
    const Value& value = flow_.values[v];
    const NodeId outer = NodeIn(flow_, value.scope, n);
    if (outer == kNone || value.node == outer) return;
    Kernel& kernel = scopes_[value.scope].kernels[kernel_of_[outer]];
    if (absl::c_linear_search(kernel.makes, v)) return;
    AddOnce(v, &kernel.reads);
    if (outer == n) return;
    AddOnce(v, &scopes_[flow_.nodes[n].scope].kernels[kernel_of_[n]].outer);
    Remove(v, &kernel.consumes);  // the body needs what it was, too
  }

  // What the kernel of `n` reads for the operands of `node`; of what it computes itself, though another one
  // writes it, what that is made of.
  void ReadSources(const Node& node, NodeId n) {
    for (uint32_t k = 0; k < node.operands.size(); ++k) {
      for (const ValueId v : kept_.sources[node.operands[k]]) {
        const NodeId maker = flow_.values[v].node;
        if (IsRepeatedAnew(node, k, v)) continue;
        if (IsOfGpu() && maker != kNone && kept_.recomputed.contains({kept_.kernels[n], maker})) {
          ReadSources(flow_.nodes[maker], n);
        } else {
          AddRead(v, n);
        }
      }
    }
  }

  // What windowed einsums start from: the compiler has their zeros early, and keeps them.
  void FindWindowed() {
    for (const Node& node : flow_.nodes) {
      if (!SendsRound(flow_, node)) continue;
      for (const ValueId operand : node.operands) is_windowed_[operand] = true;
    }
  }

  // Of a TPU: one number everywhere that lies in memory for a loop or an update, as zeros that something is added to.
  // Whoever can makes it anew.
  bool IsRepeatedAnew(const Node& node, uint32_t k, ValueId v) const {
    if (IsOfGpu() || is_windowed_[v] || !IsRepeatedNumber(flow_, v)) return false;
    return v != node.operands[k] || ComputesOperand(flow_, node, k);
  }

  void AddReads(NodeId n) {
    const Node& node = flow_.nodes[n];
    ReadSources(node, n);
    Kernel& kernel = scopes_[node.scope].kernels[kernel_of_[n]];
    for (const ValueId v : HeldBackBy(flow_, kept_, n)) {
      if (flow_.values[v].scope == node.scope) AddOnce(v, &kernel.follows);
    }
    if (IsOfGpu() && IsProduct(node.opcode)) AddViews(node, &kernel);
    if (node.opcode == Opcode::kWhile) {
      AddConsumed(node, &kernel);
    } else if (KindOf(node.opcode) == OpKind::kElementwise || node.opcode == Opcode::kAllReduce) {
      visited_.clear();
      AddReused(node, &kernel);
    }
  }

  void AddViews(const Node& node, Kernel* kernel) const {
    for (const ValueId v : node.operands) {
      const Node* maker = flow_.NodeOf(v);
      const bool is_view = maker != nullptr && KindOf(maker->opcode) == OpKind::kView;
      if (is_view && !kept_.is_kept[v] && kept_.sources[v].size() == 1)
        kernel->views.push_back({v, kept_.sources[v][0]});
    }
  }

  void AddConsumed(const Node& node, Kernel* kernel) {
    for (const ValueId operand : node.operands) {
      for (const ValueId v : kept_.sources[operand]) {
        if (flow_.values[v].scope == node.scope) AddOnce(v, &kernel->consumes);
      }
    }
  }

  // Of a TPU. What a kernel makes beside a reduction of it is an element of a tuple. XLA's heap
  // simulator has nothing lie over an operand that is taken out of a tuple.
  void FindReduced() {
    for (const Node& node : flow_.nodes) {
      if (!IsReduction(node.opcode)) continue;
      for (const ValueId v : kept_.sources[node.operands[0]]) is_reduced_[v] = true;
    }
  }

  // Of a TPU: rows that a gather fetches for several dimensions of indices are a list, f32[32768,64] for f32[4096,8,64].
  // Its reader has a bitcast inside, and XLA lets only what reads cell by cell write over an operand.
  bool IsListOfRows(ValueId v) const {
    const Node* maker = flow_.NodeOf(v);
    return !IsOfGpu() && maker != nullptr && maker->opcode == Opcode::kGather &&
           flow_.values[v].shape->rank() > 2 && GathersRows(*flow_.module, maker->instruction);
  }

  void AddReused(const Node& node, Kernel* kernel) {
    for (const ValueId operand : node.operands) {
      if (kept_.is_kept[operand]) {
        if (flow_.values[operand].scope == node.scope && !is_reduced_[operand] &&
            !IsListOfRows(operand))
          AddOnce(operand, &kernel->reuses);
        continue;
      }
      const Node* maker = flow_.NodeOf(operand);
      if (maker != nullptr && visited_.size() < kFar && kernel->reuses.size() < kMany &&
          (KindOf(maker->opcode) == OpKind::kElementwise ||
           KindOf(maker->opcode) == OpKind::kView) &&
          visited_.insert(operand).second)
        AddReused(*maker, kernel);
    }
  }

  void AddRoot(ScopeId s, ValueId root) {
    for (const ValueId v : kept_.sources[root]) {
      if (flow_.values[v].scope == s) {
        AddOnce(v, &scopes_[s].at_end);
      } else if (flow_.scopes[s].owner != kNone) {
        AddRead(v, flow_.scopes[s].owner);
      }
    }
  }

  bool IsOfGpu() const { return !kept_.kernels.empty(); }

  static constexpr size_t kFar = 256, kMany = 8;

  const Dataflow& flow_;
  const KeptValues& kept_;
  std::vector<ScopeKernels> scopes_;
  std::vector<uint32_t> kernel_of_;  // by NodeId: number in its scope
  std::vector<bool> is_reduced_;     // by ValueId
  std::vector<bool> is_windowed_;    // likewise
  absl::flat_hash_set<ValueId> visited_;
  // By scope and number of the kernel: its place in the scope.
  absl::flat_hash_map<std::pair<ScopeId, uint32_t>, uint32_t> joined_;
};

}  // namespace

std::vector<ScopeKernels> FindKernels(const Dataflow& flow, const KeptValues& kept) {
  return KernelFinder(flow, kept).Run();
}

}  // namespace tessera::target
