#include "tessera/target/schedule/written_over.h"

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

constexpr int kDeep = 6;  // operations of one kernel

}  // namespace

WrittenOver::WrittenOver(const Dataflow& flow, const KeptValues& kept)
    : flow_(flow), kept_(kept), last_readers_(flow.values.size(), kNone) {
  for (const Scope& scope : flow.scopes) {
    for (const NodeId n : scope.nodes) {
      for (const ValueId operand : flow.nodes[n].operands) {
        for (const ValueId v : kept.sources[operand]) last_readers_[v] = n;
      }
    }
    for (const ValueId root : scope.roots) {
      for (const ValueId v : kept.sources[root]) last_readers_[v] = kNone;
    }
  }
}

bool WrittenOver::Is(ValueId made, ValueId old) const {
  const Node* node = flow_.NodeOf(made);
  if (node == nullptr || !kept_.is_kept[made] || last_readers_[old] != flow_.values[made].node)
    return false;
  const layout::Shape& from = *flow_.values[old].shape;
  const layout::Shape& to = *flow_.values[made].shape;
  return from.element_type() == to.element_type() && from.dims() == to.dims() &&
         ReadsCells(*node, old, 0);
}

bool WrittenOver::ReadsCells(const Node& node, ValueId old, int depth) const {
  if (depth > kDeep || KindOf(node.opcode) != OpKind::kElementwise) return false;
  return absl::c_any_of(node.operands, [&](ValueId operand) {
    if (operand == old) return true;
    const Node* maker = kept_.is_kept[operand] ? nullptr : flow_.NodeOf(operand);
    return maker != nullptr && ReadsCells(*maker, old, depth + 1);
  });
}

}  // namespace tessera::target
