#include "tessera/target/schedule/held_picks.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"

namespace tessera::target {
namespace {

// Smaller gathers, and those of rows, run on the other cores.
constexpr int64_t kLeastPicks = 2048, kLeastOfRow = 128;

// What a kernel picks from; kNone if it is no pick.
ValueId PickedFrom(const Dataflow& flow, const Kernel& kernel) {
  const Node& node = flow.nodes[kernel.node];
  if (node.opcode != hlo::Opcode::kGather || kernel.makes.size() != 1) return kNone;
  const layout::Shape& logits = *flow.values[node.operands[0]].shape;
  const std::optional<int64_t> picks = flow.values[kernel.makes[0]].shape->NumElements();
  if (!picks.has_value() || !logits.NumElements().has_value()) return kNone;
  const bool is_pick = logits.element_type() == layout::ElementType::kF32 &&
                       *picks >= kLeastPicks && *logits.NumElements() / *picks >= kLeastOfRow;
  return is_pick ? node.operands[0] : kNone;
}

class Holder {
 public:
  Holder(const Dataflow& flow, const ScopeKernels& scope, std::vector<Step>* steps)
      : flow_(flow), scope_(scope), steps_(*steps) {}

  void Run() {
    std::optional<size_t> last;
    for (size_t at = 0; at < steps_.size(); ++at) {
      const ValueId logits = PickedFrom(flow_, KernelAt(at));
      if (logits == kNone) continue;
      if (last.has_value()) HoldUntilMade(*last, logits, at);
      last = at;
    }
  }

 private:
  const Kernel& KernelAt(size_t at) const { return scope_.kernels[steps_[at].kernel]; }

  // The pick at `at` ends where `logits` are made, if they are made after it and before `end`.
  void HoldUntilMade(size_t at, ValueId logits, size_t end) {
    const ValueId picked = KernelAt(at).makes[0];
    for (size_t next = at + 1; next < end; ++next) {
      const Kernel& kernel = KernelAt(next);
      if (absl::c_linear_search(kernel.reads, picked)) return;
      if (!absl::c_linear_search(kernel.makes, logits)) continue;
      const uint32_t pick = steps_[at].kernel;
      steps_[at].ends = false;
      steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(next) + 1, {pick, false, true});
      return;
    }
  }

  const Dataflow& flow_;
  const ScopeKernels& scope_;
  std::vector<Step>& steps_;
};

}  // namespace

void HoldPicks(const Dataflow& flow, const ScopeKernels& scope, std::vector<Step>* steps) {
  Holder(flow, scope, steps).Run();
}

}  // namespace tessera::target
