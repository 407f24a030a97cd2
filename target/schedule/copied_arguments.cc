#include "tessera/target/schedule/copied_arguments.h"

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {
namespace {

// The all-gather that a result is, maybe in another type; nothing for other results.
const Node* GatherPassedOnAs(const Dataflow& flow, ValueId v) {
  for (const Node* node = flow.NodeOf(v); node != nullptr; node = flow.NodeOf(v)) {
    if (node->opcode == hlo::Opcode::kAllGather) return node;
    const bool is_passed =
        node->opcode == hlo::Opcode::kConvert || KindOf(node->opcode) == OpKind::kView;
    if (!is_passed || node->operands.size() != 1) return nullptr;
    v = node->operands[0];
  }
  return nullptr;
}

}  // namespace

std::vector<ValueId> CopiedArguments(const Dataflow& flow,
                                     absl::Span<const std::pair<int, int>> aliases,
                                     absl::FunctionRef<layout::Shape(ValueId)> laid) {
  Readers readers(flow);
  std::vector<ValueId> copied;
  for (const auto& [result, number] : aliases) {
    const Node* gather = GatherPassedOnAs(flow, flow.scopes[0].roots[static_cast<size_t>(result)]);
    const ValueId argument = flow.arguments[static_cast<size_t>(number)];
    if (gather == nullptr || gather->operands.size() != 1 || readers.Of(argument).empty()) continue;
    const layout::Shape part = laid(gather->operands[0]), whole = laid(argument);
    if (absl::c_equal(part.layout().minor_to_major, whole.layout().minor_to_major))
      copied.push_back(argument);
  }
  return copied;
}

}  // namespace tessera::target
