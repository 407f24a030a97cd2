// What stands between a user and its value in a text written in place: copies, and changes of
// unreduced axes with their computations.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/writers/keep_computation.h"
#include "tessera/pipeline/writers/keep_conversions.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {

using hlo::Opcode;
using sharding::graph::kNoPlanSharding;
using sharding::graph::NodeId;
using sharding::graph::PlanNode;
using sharding::graph::PlanSharding;

std::string KeepComputation::ShardingTailOf(PlanSharding sharding) const {
  return sharding == kNoPlanSharding ? "" : ShardingTail(plan_.shardings.text(sharding));
}

std::string KeepComputation::AddInserted(const Slot& slot, absl::string_view base,
                                         absl::string_view shape, std::string source) {
  const absl::Span<const NodeId> inserted = matching_.Inserted(slot);
  for (size_t i = inserted.size(); i-- > 0;) {
    const NodeId node = inserted[i];
    std::string& name = inserted_[{node, slot.source}];
    if (name.empty()) name = AddCopy(slot, node, base, shape, source);
    source = name;
  }
  return source;
}

std::string KeepComputation::AddCopy(const Slot& slot, NodeId node, absl::string_view base,
                                     absl::string_view shape, const std::string& source) {
  std::string name = edit_.Spell(names_.Unique(absl::StrCat(base, ".reshard")));
  std::vector<std::string> lines;
  if (Node(node).opcode == Opcode::kCopy) {
    const PlanSharding sharding = Node(node).sharding;
    lines.push_back(
        absl::StrCat(name, " = ", shape, " copy(", source, ")", ShardingTailOf(sharding)));
  } else {
    lines = ConversionLines(node, source, std::string(base), &name);
  }
  for (std::string& line : lines) {
    if (slot.holder.instruction == hlo::kNoId) {
      result_lines_.push_back(std::move(line));
    } else {
      edit_.InsertBefore(slot.holder.instruction, absl::StrCat("  ", line));
    }
  }
  return name;
}

std::vector<std::string> KeepComputation::ConversionLines(NodeId node, const std::string& source,
                                                          const std::string& base,
                                                          std::string* name) {
  // Behind `node`: a copy that changes nothing, the call, the conversion to the local shape.
  const PlanNode& out = Node(node);
  const PlanNode& call = Node(Node(out.operands[0]).operands[0]);
  const PlanNode& in = Node(call.operands[0]);
  std::string body;
  const auto spell = [&](absl::string_view text) { return edit_.Spell(text); };
  edit_.Insert(source_.source.begin,
               RenderComputation(plan_, call.called[0], names_, spell, &body));
  std::string last = source;
  std::vector<std::string> lines;
  const auto add = [&](const PlanNode& step, const char* suffix, absl::string_view operation,
                       const std::string& attributes) {
    const std::string made =
        suffix == nullptr ? *name : edit_.Spell(names_.Unique(absl::StrCat(base, suffix)));
    lines.push_back(absl::StrCat(made, " = ", layout::ShapeToString(*step.shape), " ", operation,
                                 "(", last, ")", attributes, ShardingTailOf(step.sharding)));
    last = made;
  };
  add(in, ".local", "custom-call", ", custom_call_target=\"SPMDFullToShardShape\"");
  add(call, ".changed", "call", absl::StrCat(", to_apply=", body));
  add(out, nullptr, "custom-call", ", custom_call_target=\"SPMDShardToFullShape\"");
  return lines;
}

}  // namespace tessera::pipeline::writers
