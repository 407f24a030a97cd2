#include "tessera/target/fusion/moved_reads.h"

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

constexpr int kFarthest = 16;  // operations before a slice

}  // namespace

bool MovedReads::FromMemory(const Node& node, const std::vector<Reader>& readers) const {
  const bool is_elementwise = KindOf(node.opcode) == OpKind::kElementwise;
  return absl::c_any_of(readers, [&](const Reader& r) {
    const Node& reader = flow_.nodes[r.node];
    return (is_elementwise && reader.opcode == Opcode::kPad) ||
           MovesFromMemory(*flow_.module, reader.instruction, node.opcode, readers.size() > 1);
  });
}

bool MovedReads::IsSlicedLater(ValueId v) {
  const std::vector<Reader> readers = readers_.Of(v);
  const ScopeId scope = flow_.values[v].scope;
  return absl::c_any_of(readers, [&](const Reader& r) { return EndsInSlice(r, scope); });
}

bool MovedReads::EndsInSlice(Reader reader, ScopeId scope) {
  for (int steps = 0; steps < kFarthest; ++steps) {
    if (reader.node == kNone || reader.scope != scope) return false;
    const Node& node = flow_.nodes[reader.node];
    if (KindOf(node.opcode) != OpKind::kElementwise) return IsPlainSlice(reader);
    const std::vector<Reader>& next = readers_.Of(node.results[0]);
    if (next.size() != 1) return false;
    reader = next[0];
  }
  return false;
}

bool MovedReads::IsPlainSlice(const Reader& r) const {
  return r.node != kNone && flow_.nodes[r.node].opcode == Opcode::kSlice &&
         !MovesToMemory(*flow_.module, flow_.nodes[r.node].instruction);
}

}  // namespace tessera::target
