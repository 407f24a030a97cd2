#include "tessera/target/fusion/late_reads.h"

#include <algorithm>

#include "tessera/layout/element_type.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

constexpr double kLargeSource = 0.05;  // of the value, to count
constexpr int kNear = 3;               // products, messages and loops
constexpr int kLongSearch = 64;

}  // namespace

LateReads::LateReads(const Dataflow& flow, Readers* readers, absl::Span<const int64_t> bytes)
    : flow_(flow),
      readers_(*readers),
      bytes_(bytes),
      place_(flow.nodes.size()),
      ready_(flow.nodes.size()),
      heavy_before_(flow.nodes.size()) {
  for (const Scope& scope : flow.scopes) NumberNodes(scope);
}

void LateReads::NumberNodes(const Scope& scope) {
  int heavy = 0;
  int place = 0;
  for (const NodeId n : scope.nodes) {
    place_[n] = place++;
    ready_[n] = ReadyPlace(flow_.nodes[n]);
    heavy_before_[n] = heavy;
    const Opcode opcode = flow_.nodes[n].opcode;
    heavy += IsProduct(opcode) || IsMessage(opcode) || opcode == Opcode::kWhile;
  }
}

int LateReads::ReadyPlace(const Node& node) const {
  int ready = 0;
  for (const ValueId v : node.operands) {
    const NodeId from = flow_.values[v].node;
    if (from == kNone || flow_.nodes[from].scope != node.scope) continue;
    const OpKind kind = KindOf(flow_.nodes[from].opcode);
    ready = std::max(ready, kind == OpKind::kHeavy ? place_[from] : ready_[from]);
  }
  return ready;
}

NodeId LateReads::Last(ScopeId scope, const std::vector<Reader>& readers) const {
  NodeId last = NodeIn(flow_, scope, readers[0].node);
  for (const Reader& r : readers) {
    const NodeId n = NodeIn(flow_, scope, r.node);
    if (ready_[n] > ready_[last]) last = n;
  }
  return last;
}

bool LateReads::SourcesStay(ValueId v, NodeId last, const KeptValues& kept) {
  const ScopeId scope = flow_.values[v].scope;
  for (const ValueId s : kept.sources[v]) {
    if (static_cast<double>(bytes_[s]) < kLargeSource * static_cast<double>(bytes_[v])) continue;
    if (flow_.values[s].scope != scope) continue;  // stays for the whole of this scope
    if (flow_.values[s].node != kNone && flow_.NodeOf(s)->opcode == Opcode::kParameter) continue;
    if (!IsReadFrom(s, v, last, kept)) return false;
  }
  return true;
}

bool LateReads::IsReadFrom(ValueId source, ValueId without, NodeId last, const KeptValues& kept) {
  const ScopeId scope = flow_.values[without].scope;
  const int near = IsWider(source, without) ? kNear : 0;
  std::vector<ValueId> work = {source};
  for (int seen = 0; !work.empty() && seen < kLongSearch; ++seen) {
    const ValueId v = work.back();
    work.pop_back();
    for (const Reader& r : readers_.Of(v)) {
      if (r.node == kNone) {
        if (r.scope == scope) return true;
        continue;
      }
      const NodeId n = NodeIn(flow_, scope, r.node);
      if (n == kNone) continue;
      if (place_[n] >= ready_[last]) return true;
      if (near > 0 && heavy_before_[n] + near >= heavy_before_[last]) return true;
      const Node& node = flow_.nodes[n];
      const OpKind kind = KindOf(node.opcode);
      if (kind != OpKind::kElementwise && kind != OpKind::kMove) continue;
      const ValueId next = node.results[0];
      if (next != without && !kept.is_kept[next]) work.push_back(next);
    }
  }
  return false;
}

bool LateReads::IsWider(ValueId a, ValueId b) const {
  const auto bits = [&](ValueId v) {
    return layout::BitWidth(flow_.values[v].shape->element_type());
  };
  return bits(a) > bits(b);
}

}  // namespace tessera::target
