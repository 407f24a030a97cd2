// Instructions between a user and its value in a text written in place: copies, and changes of
// unreduced axes with their computations.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/writers/keep/keep_computation.h"
#include "tessera/pipeline/writers/keep/keep_conversions.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {

using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;
using sharding::passes::kNoNode;
using sharding::passes::NodeId;

std::string KeepComputation::ShardingTailOf(HloShardingId sharding) const {
  return sharding == kNoHloSharding ? "" : ShardingTail(form_.shardings.text(sharding));
}

std::string KeepComputation::AddInserted(const Slot& slot, absl::string_view base,
                                         absl::string_view shape, std::string source) {
  absl::Span<const NodeId> inserted = matching_.Inserted(slot);
  // Padding in front of a constraint's copy comes after it: the text says how large that is.
  const bool is_padded = slot.user != kNoNode && IsPaddedCopy(slot.user);
  if (is_padded && slot.reader != hlo::kNoId && !inserted.empty()) inserted.remove_prefix(1);
  for (size_t i = inserted.size(); i-- > 0;) {
    const NodeId node = inserted[i];
    std::string& name = inserted_[{node, slot.source}];
    if (name.empty()) name = AddCopy(slot, node, base, shape, source);
    source = name;
  }
  return source;
}

bool KeepComputation::IsPaddedCopy(NodeId node) const {
  if (Node(node).opcode() != Opcode::kCopy) return false;
  const HloNode from = Node(Node(node).operands()[0]);
  return from.role() == HloRole::kConversion && from.opcode() == Opcode::kPad;
}

std::string KeepComputation::AddCopy(const Slot& slot, NodeId node, absl::string_view base,
                                     absl::string_view shape, const std::string& source) {
  std::string name = edit_.Spell(names_.Unique(absl::StrCat(base, ".reshard")));
  std::vector<std::string> lines;
  if (Node(node).opcode() == Opcode::kCopy) {
    const std::string written =
        IsPaddedCopy(node) ? layout::ShapeToString(Node(node).shape()) : std::string(shape);
    lines.push_back(absl::StrCat(name, " = ", written, " copy(", source, ")",
                                 ShardingTailOf(Node(node).sharding())));
  } else if (Node(node).opcode() == Opcode::kPad) {
    lines = PaddingLines(node, source, base, name);
  } else {
    lines = ConversionLines(slot, node, source, std::string(base), &name);
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

std::vector<std::string> KeepComputation::PaddingLines(NodeId node, const std::string& source,
                                                       absl::string_view base,
                                                       const std::string& name) {
  const HloNode pad = Node(node);
  const HloNode zero = Node(pad.operands()[1]);
  const std::string number = edit_.Spell(names_.Unique(absl::StrCat(base, ".zero")));
  return {
      absl::StrCat(number, " = ", layout::ShapeToString(zero.shape()), " constant(", zero.literal(),
                   ")", ShardingTailOf(zero.sharding())),
      absl::StrCat(name, " = ", layout::ShapeToString(pad.shape()), " pad(", source, ", ", number,
                   "), padding=", pad.attributes()[0].second, ShardingTailOf(pad.sharding()))};
}

std::vector<std::string> KeepComputation::ConversionLines(const Slot& slot, NodeId node,
                                                          const std::string& source,
                                                          const std::string& base,
                                                          std::string* name) {
  // After `node`, or what it is a slice of: a copy that changes nothing, the call, the conversion to
  // the local shape.
  const HloNode end = Node(node);
  const bool is_sliced = end.opcode() == Opcode::kSlice;
  const HloNode out = is_sliced ? Node(end.operands()[0]) : end;
  const HloNode call = Node(Node(out.operands()[0]).operands()[0]);
  const HloNode in = Node(call.operands()[0]);
  std::string body;
  const auto spell = [&](absl::string_view text) { return edit_.Spell(text); };
  edit_.Insert(source_.source.begin,
               RenderComputation(form_, call.called()[0], names_, spell, &body));
  std::string last = source;
  std::vector<std::string> lines;
  if (in.operands()[0] == slot.value && IsPaddedCopy(slot.value)) {
    last = edit_.Spell(names_.Unique(absl::StrCat(base, ".reshard")));
    lines = PaddingLines(Node(slot.value).operands()[0], source, base, last);
  }
  const auto add = [&](const HloNode& step, const char* suffix, absl::string_view operation,
                       const std::string& attributes) {
    const std::string made =
        suffix == nullptr ? *name : edit_.Spell(names_.Unique(absl::StrCat(base, suffix)));
    lines.push_back(absl::StrCat(made, " = ", layout::ShapeToString(step.shape()), " ", operation,
                                 "(", last, ")", attributes, ShardingTailOf(step.sharding())));
    last = made;
  };
  add(in, ".local", "custom-call", ", custom_call_target=\"SPMDFullToShardShape\"");
  add(call, ".changed", "call", absl::StrCat(", to_apply=", body));
  add(out, is_sliced ? ".padded" : nullptr, "custom-call",
      ", custom_call_target=\"SPMDShardToFullShape\"");
  if (is_sliced) {
    add(end, nullptr, "slice", absl::StrCat(", slice=", end.attributes()[0].second));
  }
  return lines;
}

}  // namespace tessera::pipeline::writers
