#include "tessera/pipeline/explain/labels.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::AnnotationKind;
using sharding::explain::SlotId;
using sharding::explain::ValueName;
using sharding::passes::OpKind;
using sharding::propagation::kNone;
using sharding::propagation::OpId;
using sharding::propagation::ValueId;

// Nobody wrote it: the copy stands open for what its loop wants.
constexpr char kOpened[] = "opened in front of its loop (xla-sdy-open-while-free-vars-sharding)";

// The word for the carrier of the sharding of a loop's results, and so on.
const char* EdgeWord(const sharding::passes::Op& owner) {
  switch (owner.kind) {
    case OpKind::kWhile:
      return "loop edge of ";
    case OpKind::kCase:
      return "branches of ";
    case OpKind::kManualComputation:
      return "boundary of shard_map ";
    case OpKind::kNamedComputation:
      return "boundary of call ";
    default:
      return "edge of ";
  }
}

// Of what the pass added: "a copy of dot.7". What went as dead reads nothing any more.
std::string CopyText(const Explained& e, ValueId value) {
  const sharding::passes::Op* def = e.log->numbered().value(value).def();
  if (def == nullptr) return "a copy";
  hlo::InstructionId of = def->source;
  const sharding::passes::Value* read = def->num_operands() > 0 ? def->operand(0) : nullptr;
  if (of == hlo::kNoId && read != nullptr && read->def() != nullptr) of = read->def()->source;
  return of == hlo::kNoId ? "a copy"
                          : absl::StrCat("a copy of ", e.sharded->module.instruction(of).name);
}

}  // namespace

const char* LevelInWords(int level) {
  static constexpr const char* kWords[] = {
      "element-wise, transpose, reshape and loop edges of values used once",
      "element-wise, transpose and reshape, any number of uses", "all ops, pass-through factors",
      "all ops, also reduction, need_replication and permutation factors",
      "forward through broadcasts"};
  return level < 0 ? "" : kWords[level];
}

Labels::Labels(const Explained& explained, SourceLines* source_lines)
    : explained_(explained), locations_(explained.sharded->module), source_lines_(source_lines) {}

std::string Labels::Value(ValueId value) const {
  const hlo::Module& module = explained_.sharded->module;
  const ValueName& name = explained_.names->Of(value);
  if (name.instruction == hlo::kNoId) return CopyText(explained_, value);
  const hlo::Instruction& instruction = module.instruction(name.instruction);
  const std::string index = name.num_leaves == 1 ? "" : absl::StrCat("{", name.leaf, "}");
  if (instruction.opcode == hlo::Opcode::kParameter) {
    const std::string path = hlo::GetOpName(module, name.instruction);
    if (!path.empty()) return absl::StrCat(path, index);
  }
  return absl::StrCat(instruction.name, index);
}

std::string Labels::Slot(SlotId slot) const {
  const auto& log = *explained_.log;
  return log.IsOutput(slot) ? Result(log.OutputOf(slot)) : Value(slot);
}

std::string Labels::Result(int number) const {
  const std::vector<std::string>& names = explained_.sharded->result_names;
  const auto n = static_cast<size_t>(number);
  if (n < names.size() && !names[n].empty()) return names[n];
  return explained_.log->numbered().outputs().size() == 1 ? "result"
                                                          : absl::StrCat("result{", number, "}");
}

std::string Labels::At(const sharding::explain::Endpoint& endpoint) const {
  return endpoint.value == kNone ? Slot(endpoint.slot) : Value(endpoint.value);
}

bool Labels::IsOpened(OpId id) const {
  return id != kNone && explained_.log->OpOf(id)->part == sharding::program::OpPart::kOpened;
}

std::string Labels::Op(OpId id, int output) const {
  if (id == kNone) return Result(output);
  const sharding::passes::Op& op = *explained_.log->OpOf(id);
  const hlo::Module& module = explained_.sharded->module;
  if (op.kind != OpKind::kDataFlowEdge) {
    if (IsOpened(id)) return "the copy before its loop";
    if (op.source == hlo::kNoId) return op.kind == OpKind::kHlo ? "an added op" : "a constraint";
    return std::string(module.instruction(op.source).name);
  }
  const ValueId owner =
      explained_.log->numbered().edges()[explained_.log->numbered().edge(id)].owner;
  const sharding::passes::Value* value = explained_.log->numbered().values()[owner];
  const sharding::passes::Op* around =
      value->def() != nullptr ? value->def() : value->owner()->parent;
  if (around == nullptr || around->source == hlo::kNoId) return "an edge";
  const char* const way = value->def() != nullptr ? "" : " argument";
  return absl::StrCat(EdgeWord(*around), module.instruction(around->source).name, way, "{",
                      value->index(), "}");
}

std::string Labels::Annotation(const sharding::explain::Annotation& a) const {
  const std::string spec = Spec(a.sharding);
  switch (a.kind) {
    case AnnotationKind::kParameter:
      return absl::StrCat(spec, " on parameter ", a.number);
    case AnnotationKind::kResult:
      return absl::StrCat(spec, " on result ", a.number);
    case AnnotationKind::kConstraint:
      if (IsOpened(a.op)) return kOpened;
      return absl::StrCat("constraint ", spec);
    case AnnotationKind::kManualIn:
      return absl::StrCat(spec, " in the in_specs of a shard_map, number ", a.index);
    case AnnotationKind::kManualOut:
      return absl::StrCat(spec, " in the out_specs of a shard_map, number ", a.index);
    default:
      return absl::StrCat(spec, " on ", Slot(a.slot));
  }
}

hlo::InstructionId Labels::InstructionOf(SlotId slot) const {
  if (explained_.log->IsOutput(slot)) return hlo::kNoId;
  return explained_.names->Of(slot).instruction;
}

hlo::InstructionId Labels::InstructionOfOp(OpId id) const {
  if (id == kNone) return hlo::kNoId;
  const sharding::passes::Op& op = *explained_.log->OpOf(id);
  if (op.kind != OpKind::kDataFlowEdge) return op.source;
  return explained_.names->Of(op.result()->number()).instruction;
}

std::string Labels::Place(hlo::InstructionId instruction) const {
  return instruction == hlo::kNoId ? "" : locations_.UsersOwn(instruction);
}

std::vector<std::string> Labels::LinesOf(const sharding::explain::Annotation& annotation) const {
  const bool is_constraint = annotation.kind == sharding::explain::AnnotationKind::kConstraint;
  if (!is_constraint || annotation.instruction == hlo::kNoId) return {};
  return locations_.LinesTo(annotation.instruction);
}

std::string Labels::PlaceOf(const sharding::explain::Annotation& annotation) const {
  const std::vector<std::string> lines = LinesOf(annotation);
  if (lines.size() < 2) return Place(annotation.instruction);
  if (constraint_lines_.empty()) {
    for (const sharding::explain::Annotation& a : explained_.log->annotations())
      constraint_lines_.push_back(LinesOf(a));
  }
  return DistinctPlace(lines, constraint_lines_);
}

std::string Labels::SourceLine(const std::string& place) const {
  return source_lines_ == nullptr ? "" : source_lines_->At(place);
}

std::string Labels::Shape(SlotId slot) const {
  const auto& log = *explained_.log;
  const ValueId value =
      log.IsOutput(slot) ? log.numbered().outputs()[log.OutputOf(slot)].value : slot;
  const layout::Shape& shape = log.numbered().value(value).shape();
  return layout::ShapeToString(shape.WithoutLayout());
}

std::string Labels::Spec(sharding::ShardingId id) const {
  const sharding::passes::HloProgram& program = *explained_.sharded->program;
  return id == sharding::kNoSharding ? kWholeSpec
                                     : SpecText(program.shardings()[id], program.meshes());
}

std::string Labels::Rule(sharding::factors::RuleId rule) const {
  return rule == sharding::factors::kNoRule ? "" : Rule(explained_.log->rules()[rule]);
}

std::string Labels::Rule(const sharding::factors::OpShardingRule& rule) {
  const std::string text = RuleToString(rule);
  return text.substr(0, text.find(" {"));
}

std::string Labels::OpcodeAndTarget(hlo::InstructionId instruction) const {
  const hlo::Module& module = explained_.sharded->module;
  const std::string target = hlo::GetCustomCallTarget(module, instruction);
  return absl::StrCat(hlo::OpcodeName(module.instruction(instruction).opcode),
                      target.empty() ? "" : " ", target);
}

std::string Labels::Factor(int factor) {
  return factor < 0 ? "" : sharding::factors::FactorName(factor);
}

}  // namespace tessera::pipeline
