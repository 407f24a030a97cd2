// The borders of a computation that is written in place: those of its shard_maps, and its result.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/keep/keep_computation.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;
using sharding::passes::kNoNode;
using sharding::passes::NodeId;

bool IsElementOfTuple(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kGetTupleElement) return false;
  while (module.instruction(id).opcode == Opcode::kGetTupleElement) id = module.operands(id)[0];
  return module.instruction(id).opcode == Opcode::kTuple;
}

}  // namespace

std::string KeepComputation::BoundaryOperand(InstructionId id, size_t n) {
  const auto planned = operands_.find({id, 0, n});
  return planned != operands_.end() ? planned->second
                                    : Spelled(SkipConsumed(module_.operands(id)[n]));
}

// The line of leaf `n`, and how it is sharded.
KeepComputation::BoundaryLeaf KeepComputation::LeafOfBoundary(InstructionId id, size_t n,
                                                              absl::string_view shape,
                                                              absl::string_view metadata) {
  const bool into = CallKindOf(module_, id) == CallKind::kIntoManual;
  std::string operand = BoundaryOperand(id, n);
  if (module_.shape(module_.operands(id)[n]).is_token()) {  // has no local form
    return {std::move(operand), "", into ? "{manual}" : "{replicated}"};
  }
  const NodeId node = matching_.ConversionOf(id, static_cast<int64_t>(n));
  const HloShardingId sharding = node == kNoNode ? kNoHloSharding : Node(node).sharding();
  std::string name =
      module_.shape(id).is_tuple()
          ? edit_.Spell(names_.Unique(absl::StrCat(module_.instruction(id).name, ".", n)))
          : Spelled(id);
  std::string line =
      absl::StrCat(name, " = ", shape, " custom-call(", operand, "), custom_call_target=\"",
                   into ? "SPMDFullToShardShape" : "SPMDShardToFullShape", "\"",
                   ShardingTailOf(sharding), metadata);
  return {
      std::move(name), std::move(line),
      sharding == kNoHloSharding ? "{replicated}" : std::string(form_.shardings.text(sharding))};
}

void KeepComputation::WriteBoundary(InstructionId id) {
  const std::vector<std::string> shapes = WrittenLeafShapes(module_, id);
  const std::string metadata = MetadataTail(module_, id);
  const bool is_root = id == SkipConsumed(source_.root) && result_lines_.empty();
  std::vector<std::string> names, shardings;
  std::string last;
  for (size_t n = 0; n < shapes.size() && n < module_.operands(id).size(); ++n) {
    BoundaryLeaf leaf = LeafOfBoundary(id, n, shapes[n], metadata);
    names.push_back(std::move(leaf.name));
    shardings.push_back(std::move(leaf.sharding));
    if (leaf.line.empty()) continue;
    last = std::move(leaf.line);
    if (module_.shape(id).is_tuple()) edit_.InsertBefore(id, absl::StrCat("  ", last));
  }
  if (module_.shape(id).is_tuple()) {
    last = absl::StrCat(Spelled(id), " = ", WrittenShape(module_, id), " tuple(",
                        absl::StrJoin(names, ", "), "), sharding={", absl::StrJoin(shardings, ", "),
                        "}", metadata);
  }
  edit_.Replace(module_.instruction(id).source, absl::StrCat(is_root ? "ROOT " : "", last));
}

void KeepComputation::WriteResult() {
  const InstructionId root = SkipConsumed(source_.root);
  std::string name = Spelled(root);
  if (!result_lines_.empty()) {
    const std::string& last = result_lines_.back();
    name = last.substr(0, last.find(' '));
  }
  // An element that the text takes from its own tuple shows the result's sharding itself.
  const bool packed = IsElementOfTuple(module_, root) && result_lines_.empty();
  const bool is_entry = !packed && counterpart_ == form_.entry && target_.num_nodes() > 0;
  if (is_entry && !module_.shape(root).is_tuple()) Wrap(root, name);
  if (result_lines_.empty()) GiveLine(root);
  InstructionId line = root;
  while (module_.instruction(line).is_implied && !module_.operands(line).empty()) {
    line = SkipConsumed(module_.operands(line)[0]);
  }
  for (size_t i = 0; i < result_lines_.size(); ++i) {
    const bool is_last = i + 1 == result_lines_.size();
    edit_.InsertAfter(line, absl::StrCat(is_last ? "  ROOT " : "  ", result_lines_[i]));
  }
}

// `x#1` after a root that goes (a barrier, say) is named in no line that could be the root.
void KeepComputation::GiveLine(InstructionId root) {
  const hlo::Instruction& i = module_.instruction(root);
  if (!i.is_implied || i.opcode != Opcode::kGetTupleElement) return;
  const absl::string_view sharding = shardings_.Of(root);
  result_lines_.push_back(
      absl::StrCat(edit_.Spell(names_.Unique(i.name)), " = ", WrittenShape(module_, root),
                   " get-tuple-element(", Spelled(SkipConsumed(module_.operands(root)[0])),
                   "), index=", hlo::GetTupleIndex(module_, root),
                   sharding.empty() ? "" : absl::StrCat(", sharding=", sharding)));
}

// A single result with a sharding of its own shows on an element of a tuple.
void KeepComputation::Wrap(InstructionId root, const std::string& name) {
  const HloNode element = Node(target_.root);
  if (element.role() != HloRole::kPacking || element.opcode() != Opcode::kGetTupleElement) return;
  const HloNode tuple = Node(element.operands()[0]);
  if (tuple.role() != HloRole::kPacking || tuple.opcode() != Opcode::kTuple) return;
  const std::string shape = WrittenShape(module_, root);
  const absl::string_view base = module_.instruction(root).name;
  const std::string packed = edit_.Spell(names_.Unique(absl::StrCat(base, ".tuple")));
  const std::string result = edit_.Spell(names_.Unique(absl::StrCat(base, ".result")));
  result_lines_.push_back(
      absl::StrCat(packed, " = (", shape, ") tuple(", name, ")", ShardingTailOf(tuple.sharding())));
  result_lines_.push_back(absl::StrCat(result, " = ", shape, " get-tuple-element(", packed,
                                       "), index=0", ShardingTailOf(element.sharding())));
}

}  // namespace tessera::pipeline::writers
