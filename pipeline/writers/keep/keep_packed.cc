// A user may read a tuple that no line takes apart: `while(%other_while)`. An instruction may
// belong between one of its leaves and the user. Then lines in front of the user take the tuple
// apart and pack it again:
//
//   %other.1 = f32[8] get-tuple-element(%other), index=1
//   %other.1.reshard = f32[8] copy(%other.1), sharding={replicated}
//   %other.0 = s32[] get-tuple-element(%other), index=0
//   %other.tuple = (s32[], f32[8]) tuple(%other.0, %other.1.reshard)
//
// Dumps of XLA have no such users: they take results of a loop apart and pack them.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/writers/keep/keep_computation.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;

const layout::Shape& ShapeAt(const layout::Shape& shape, const layout::LeafPath& path) {
  const layout::Shape* at = &shape;
  for (int64_t index : path) at = &at->tuple_elements()[static_cast<size_t>(index)];
  return *at;
}

}  // namespace

void KeepComputation::PlanUntaken(const Slot& slot) {
  const InUse at = {slot.holder.instruction, slot.holder.operand};
  const InstructionId whole = module_.operands(at.first)[at.second];
  const layout::LeafPath& path = matching_.Within(slot);
  const std::string base =
      absl::StrCat(module_.instruction(SkipConsumed(whole)).name, ".", absl::StrJoin(path, "."));
  const std::string shape = layout::ShapeToString(ShapeAt(module_.shape(whole), path));
  packed_[at][path] = AddInserted(slot, base, shape, Element(at, path));
}

// The name of the line that takes the element out; those of the tuples around it are made first.
std::string KeepComputation::Element(InUse at, const layout::LeafPath& path) {
  const InstructionId whole = SkipConsumed(module_.operands(at.first)[at.second]);
  if (path.empty()) return Spelled(whole);
  std::string& name = elements_[{at, path}];
  if (!name.empty()) return name;
  layout::LeafPath outer = path;
  outer.pop_back();
  const std::string from = Element(at, outer);
  name = edit_.Spell(
      names_.Unique(absl::StrCat(module_.instruction(whole).name, ".", absl::StrJoin(path, "."))));
  edit_.InsertBefore(
      at.first,
      absl::StrCat("  ", name, " = ", layout::ShapeToString(ShapeAt(module_.shape(whole), path)),
                   " get-tuple-element(", from, "), index=", path.back()));
  return name;
}

void KeepComputation::PackUntaken() {
  for (const auto& [at, leaves] : packed_) {
    const InstructionId whole = module_.operands(at.first)[at.second];
    const hlo::Opcode reader = module_.instruction(at.first).opcode;
    const bool shows = reader == hlo::Opcode::kWhile || reader == hlo::Opcode::kOptBarrier;
    const std::string sharding(shows ? shardings_.Of(at.first) : "");
    layout::LeafPath path;
    operands_.emplace(std::make_tuple(at.first, 0, at.second),
                      Pack(at, module_.shape(whole), &path, ShardingTail(sharding)));
  }
}

std::string KeepComputation::Pack(InUse at, const layout::Shape& shape, layout::LeafPath* path,
                                  absl::string_view tail) {
  const auto& leaves = packed_.at(at);
  const auto changed = leaves.find(*path);
  if (changed != leaves.end()) return changed->second;
  if (!shape.is_tuple()) return Element(at, *path);
  std::vector<std::string> elements;
  for (size_t i = 0; i < shape.tuple_elements().size(); ++i) {
    path->push_back(static_cast<int64_t>(i));
    elements.push_back(Pack(at, shape.tuple_elements()[i], path, ""));
    path->pop_back();
  }
  const InstructionId whole = SkipConsumed(module_.operands(at.first)[at.second]);
  const std::string name =
      edit_.Spell(names_.Unique(absl::StrCat(module_.instruction(whole).name, ".tuple")));
  edit_.InsertBefore(at.first, absl::StrCat("  ", name, " = ", layout::ShapeToString(shape),
                                            " tuple(", absl::StrJoin(elements, ", "), ")", tail));
  return name;
}

}  // namespace tessera::pipeline::writers
