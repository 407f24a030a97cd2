#include "tessera/target/priority_fusion/graph/uses.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

// From the last one of the ops to what they read.
class Walk {
 public:
  Walk(const Expression& ops, uint32_t slot, const OperandPlaces& operands,
       absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results, KernelCost* cost)
      : ops_(ops),
        slot_(slot),
        first_(static_cast<uint32_t>(cost->slots.size())),
        is_alone_(first_ == 1 && ops.size() == 1),
        operands_(operands),
        facts_(facts),
        results_(results),
        cost_(*cost) {}

  void Run() {
    AddSlots();
    for (auto k = static_cast<uint32_t>(ops_.size()); k-- > 0;) Visit(k);
    for (OperandUse& use : cost_.operands) {
      if (use.utilization == kUnknown) Count(&use);
    }
  }

 private:
  static constexpr double kUnknown = -1;  // how often an operand is read to which readers came

  // Of the ops but the last one, then of operands that are new.
  void AddSlots() {
    const size_t known = cost_.operands.size(), all = operands_.kernels.size();
    auto slot = static_cast<uint32_t>(first_ + ops_.size() - 1);
    cost_.slots.resize(slot + all - known);
    cost_.operands.reserve(all);
    for (const uint32_t kernel : operands_.kernels.subspan(known)) {
      const OpFacts& read = facts_[results_[kernel]];
      const double width = read.elements > 0 ? read.bytes / read.elements : 4;
      cost_.operands.push_back({kernel, slot++, read.bytes, width});
    }
  }

  void Count(OperandUse* use) const {
    use->utilization = 0;
    for (const uint32_t root : cost_.slots[use->slot].roots) {
      use->utilization += cost_.slots[root].use;
    }
    use->read_bytes = Rounded(use->bytes * use->utilization);
    if (!is_alone_) return;
    use->reads =
        static_cast<double>(absl::c_count(ops_[0].reads, Read{Read::kKernel, use->kernel}));
  }

  uint32_t SlotOf(uint32_t k) const { return k + 1 == ops_.size() ? slot_ : first_ + k; }

  // A read that is new.
  uint32_t SlotOf(const Read& read) {
    if (read.kind == Read::kInner) return SlotOf(read.index);
    OperandUse& use = cost_.operands[operands_.places[read.index]];
    use.utilization = kUnknown;
    return use.slot;
  }

  double ElementsOf(const Read& read) const {
    return facts_[read.kind == Read::kInner ? ops_[read.index].op : results_[read.index]].elements;
  }

  static void AddRoot(uint32_t root, KernelSlot* slot) {
    if (!absl::c_linear_search(slot->roots, root)) slot->roots.push_back(root);
  }

  static void AddRoots(const KernelSlot& from, KernelSlot* to) {
    if (to->roots.empty()) {
      to->roots = from.roots;
    } else {
      for (const uint32_t root : from.roots) AddRoot(root, to);
    }
  }

  void Visit(uint32_t k) {
    const FusedOp& op = ops_[k];
    const OpFacts& fact = facts_[op.op];
    const KernelSlot& slot = cost_.slots[SlotOf(k)];
    double use = 0, emitted = 0;
    for (const uint32_t root : slot.roots) {
      use += cost_.slots[root].use;
      emitted += cost_.slots[root].emitted;
    }
    cost_.flops += use * fact.flops;
    cost_.ir_size += emitted;
    cost_.moves_minor |= fact.moves_minor;
    if (fact.is_tiled_transpose && slot.is_shown) {
      cost_.transposes.push_back({&fact, slot.is_read_by_others});
    }
    const bool passes = PassesCellByCell(op, facts_), is_other = !passes || slot.is_read_by_others;
    for (size_t q = 0; q < op.reads.size(); ++q) {
      const uint32_t at = SlotOf(op.reads[q]);
      KernelSlot& read = cost_.slots[at];
      read.is_shown |= passes && slot.is_shown;
      (is_other ? read.is_read_by_others : read.is_passed) = true;
      if (fact.is_elementwise) {
        AddRoots(slot, &read);
        continue;
      }
      AddRoot(at, &read);
      read.emitted += emitted;
      const double elements = ElementsOf(op.reads[q]);
      if (elements > 0) read.use += std::ceil(use * TimesOf(fact, q) * elements) / elements;
    }
  }

  // How often it reads each element for one use of its result.
  double TimesOf(const OpFacts& fact, size_t q) const {
    const bool is_whole = fact.opcode == Opcode::kScatter && q == 0 && !is_alone_;
    return q < fact.utilization.size() && !is_whole ? fact.utilization[q] : 1;
  }

  const Expression& ops_;
  const uint32_t slot_, first_;  // of the last op, and of the first one
  const bool is_alone_;
  const OperandPlaces& operands_;
  absl::Span<const OpFacts> facts_;
  absl::Span<const uint32_t> results_;
  KernelCost& cost_;
};

}  // namespace

void AddUses(const Expression& ops, uint32_t slot, const OperandPlaces& operands,
             absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results,
             KernelCost* cost) {
  Walk(ops, slot, operands, facts, results, cost).Run();
}

}  // namespace tessera::target
