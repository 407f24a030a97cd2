#include "tessera/target/dataflow/widened_for_gathers.h"

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

constexpr int kLongChain = 16;  // operations after a convert

class Widening {
 public:
  explicit Widening(Dataflow* flow) : flow_(*flow), readers_(*flow) {}

  void Run() {
    for (NodeId n = 0; n < flow_.nodes.size(); ++n) {
      const Node& node = flow_.nodes[n];
      const Node* convert = WideningBefore(&node);
      if (convert != nullptr) Visit(node, KernelOf(convert->operands[0], node.scope));
      if (node.opcode == Opcode::kSlice && IsOfShared(node)) Visit(node, n);
    }
  }

 private:
  // The convert to a wider type that `node` ends: itself, or the first of functions of one array, as in a soft cap.
  const Node* WideningBefore(const Node* node) const {
    for (int steps = 0; steps < kLongChain && IsElementwise(node); ++steps) {
      if (node->opcode == Opcode::kConvert) return IsWidened(*node) ? node : nullptr;
      const ValueId array = OnlyArray(*node);
      if (array == kNone) return nullptr;
      node = flow_.NodeOf(array);
    }
    return nullptr;
  }

  // The operand that is no repeated number; kNone if there are several.
  ValueId OnlyArray(const Node& node) const {
    ValueId found = kNone;
    for (const ValueId v : node.operands) {
      if (IsRepeatedNumber(flow_, v)) continue;
      if (found != kNone) return kNone;
      found = v;
    }
    return found;
  }

  bool IsWidened(const Node& convert) const {
    const auto from = flow_.values[convert.operands[0]].shape->element_type();
    const auto to = flow_.values[convert.results[0]].shape->element_type();
    return layout::IsFloat(from) && layout::IsFloat(to) &&
           layout::BitWidth(from) < layout::BitWidth(to);
  }

  // The operations that the slice alone reads begin with a value that others read, too.
  bool IsOfShared(const Node& slice) const {
    ValueId v = slice.operands[0];
    for (const Node* node = flow_.NodeOf(v); IsElementwise(node); node = flow_.NodeOf(v)) {
      if (readers_.Direct(v).size() > 1) return true;
      v = node->operands[0];
    }
    return false;
  }

  static bool IsElementwise(const Node* node) {
    return node != nullptr && KindOf(node->opcode) == OpKind::kElementwise;
  }

  bool Gathers(const Reader& r) const {
    return r.node != kNone && r.operand == 0 && flow_.nodes[r.node].opcode == Opcode::kGather;
  }

  // Gathers read a result of `kernel` of their own, other readers what they read before.
  void Visit(const Node& maker, NodeId kernel) {
    const ValueId wide = maker.results[0];
    const std::vector<Reader> readers = readers_.Direct(wide);
    const auto gathers = absl::c_count_if(readers, [&](const Reader& r) { return Gathers(r); });
    if (gathers == 0 || gathers == static_cast<int64_t>(readers.size())) return;
    if (kernel == kNone) return;
    const ValueId made = AddResult(kernel, *flow_.values[wide].shape);
    for (const Reader& r : readers) {
      if (Gathers(r)) flow_.nodes[r.node].operands[0] = made;
    }
  }

  // The product that makes `v`, or the slice that a product ends in.
  NodeId KernelOf(ValueId v, ScopeId scope) const {
    const NodeId n = flow_.values[v].node;
    if (n == kNone || flow_.nodes[n].scope != scope) return kNone;
    if (flow_.nodes[n].opcode == Opcode::kDot) return n;
    if (flow_.nodes[n].opcode != Opcode::kSlice) return kNone;
    const ValueId whole = flow_.nodes[n].operands[0];
    const Node* product = flow_.NodeOf(whole);
    const bool is_product = product != nullptr && product->opcode == Opcode::kDot;
    return is_product && readers_.Direct(whole).size() == 1 ? n : kNone;
  }

  ValueId AddResult(NodeId kernel, const layout::Shape& shape) {
    const auto made = static_cast<ValueId>(flow_.values.size());
    Node& node = flow_.nodes[kernel];
    flow_.values.push_back(
        {&shape, kernel, node.scope, static_cast<uint32_t>(node.results.size())});
    node.results.push_back(made);
    return made;
  }

  Dataflow& flow_;
  const Readers readers_;  // as they were before any result was added
};

}  // namespace

void WidenInProducts(Dataflow* flow) { Widening(flow).Run(); }

}  // namespace tessera::target
