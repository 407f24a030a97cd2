#include "tessera/target/priority_fusion/graph/uses.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"

namespace tessera::target {
namespace {

// Fills roots, flops and the size of a kernel, from the result to what it reads.
class Walk {
 public:
  Walk(const Expression& expression, const OperandPlaces& operands, absl::Span<const OpFacts> facts,
       absl::Span<const uint32_t> results)
      : expression_(expression),
        operands_(operands.kernels),
        places_(operands.places),
        facts_(facts),
        results_(results),
        roots_(expression.size() + operands_.size()),
        emitted_(roots_.size()) {}

  void Run(KernelCost* cost) {
    cost->root = static_cast<uint32_t>(expression_.size() - 1);
    cost->root_use.assign(roots_.size(), 0);
    roots_[cost->root] = {cost->root};
    cost->root_use[cost->root] = 1;
    emitted_[cost->root] = 1;
    for (uint32_t k = cost->root + 1; k-- > 0;) Visit(k, cost);
    cost->operands.reserve(operands_.size());
    for (size_t k = 0; k < operands_.size(); ++k) {
      const auto slot = static_cast<uint32_t>(expression_.size() + k);
      const OpFacts& read = facts_[results_[operands_[k]]];
      const double width = read.elements > 0 ? read.bytes / read.elements : 4;
      OperandUse use = {operands_[k], read.bytes, width, 0, 1, 0, 0, std::move(roots_[slot])};
      for (const uint32_t root : use.roots) use.utilization += cost->root_use[root];
      use.read_bytes = std::round(use.bytes * use.utilization);
      if (expression_.size() == 1) {
        use.reads = static_cast<double>(
            absl::c_count(expression_[0].reads, Read{Read::kKernel, operands_[k]}));
      }
      cost->operands.push_back(std::move(use));
    }
  }

 private:
  uint32_t SlotOf(const Read& read) const {
    if (read.kind == Read::kInner) return read.index;
    return static_cast<uint32_t>(expression_.size()) + places_[read.index];
  }

  double ElementsOf(const Read& read) const {
    return facts_[read.kind == Read::kInner ? expression_[read.index].op : results_[read.index]]
        .elements;
  }

  void AddRoot(uint32_t slot, uint32_t root) {
    if (!absl::c_linear_search(roots_[slot], root)) roots_[slot].push_back(root);
  }

  void AddRoots(uint32_t slot, const absl::InlinedVector<uint32_t, 4>& roots) {
    if (roots_[slot].empty()) {
      roots_[slot] = roots;
    } else {
      for (const uint32_t root : roots) AddRoot(slot, root);
    }
  }

  void Visit(uint32_t k, KernelCost* cost) {
    const FusedOp& op = expression_[k];
    const OpFacts& fact = facts_[op.op];
    double use = 0, emitted = 0;
    for (const uint32_t root : roots_[k]) {
      use += cost->root_use[root];
      emitted += emitted_[root];
    }
    cost->flops += use * fact.flops;
    cost->ir_size += emitted;
    for (size_t q = 0; q < op.reads.size(); ++q) {
      const uint32_t slot = SlotOf(op.reads[q]);
      if (fact.is_elementwise) {
        AddRoots(slot, roots_[k]);
        continue;
      }
      AddRoot(slot, slot);
      const double elements = ElementsOf(op.reads[q]);
      const bool is_whole = fact.opcode == Opcode::kScatter && q == 0 && expression_.size() > 1;
      const bool is_known = q < fact.utilization.size() && !is_whole;
      const double times = is_known ? use * fact.utilization[q] : use;
      if (elements > 0) cost->root_use[slot] += std::ceil(times * elements) / elements;
      emitted_[slot] += emitted;
    }
  }

  const Expression& expression_;
  absl::Span<const uint32_t> operands_;
  absl::Span<const uint32_t> places_;
  absl::Span<const OpFacts> facts_;
  absl::Span<const uint32_t> results_;
  std::vector<absl::InlinedVector<uint32_t, 4>> roots_;  // by slot
  std::vector<double> emitted_;
};

}  // namespace

void CountUses(const Expression& expression, const OperandPlaces& operands,
               absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results,
               KernelCost* cost) {
  Walk(expression, operands, facts, results).Run(cost);
}

}  // namespace tessera::target
