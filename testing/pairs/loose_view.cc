#include "tessera/testing/pairs/loose_view.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

string_view Dims(string_view shape) { return shape.substr(0, shape.find('{')); }

string_view Callee(const Instruction& i, string_view key) {
  return absl::StripPrefix(i.Attribute(key), "%");
}

// What the bodies of inserted changes hold besides the choice of a device.
bool OnlyCollects(const Computation& body) {
  for (const Instruction& i : body.instructions) {
    if (i.opcode == "partition-id") return true;
  }
  constexpr string_view kKinds[] = {"parameter", "copy", "all-reduce"};
  return std::all_of(body.instructions.begin(), body.instructions.end(), [&](const auto& i) {
    return std::find(std::begin(kKinds), std::end(kKinds), i.opcode) != std::end(kKinds);
  });
}

// Nothing on the way but tuples, reshapes and loops that leave the value alone.
bool IsPlain(const Traced& t) {
  return !t.marked && std::all_of(t.passed.begin(), t.passed.end(), [](const Value& v) {
    return v.instruction->opcode == "reshape" || v.instruction->opcode == "while";
  });
}

bool AreOne(const Traced& a, const Traced& b) {
  return IsPlain(a) && IsPlain(b) && a.value == b.value;
}

// Empty if there is none.
string_view OperandAt(const Instruction& i, int k) {
  const size_t at = static_cast<size_t>(k);
  return at < i.operands.size() ? i.operands[at] : string_view();
}

}  // namespace

string_view OpName(const Instruction& i) {
  constexpr string_view kKey = "op_name=\"";
  const string_view metadata = i.Attribute("metadata");
  const size_t at = metadata.find(kKey);
  if (at == string_view::npos) return {};
  size_t end = at + kKey.size();
  while (end < metadata.size() && metadata[end] != '"') end += metadata[end] == '\\' ? 2 : 1;
  return metadata.substr(at + kKey.size(), end - at - kKey.size());
}

void LooseView::SetVarying(const Instruction& loop, size_t count) {
  std::vector<Path> leaves = TupleLeaves(loop.shape);
  leaves.resize(std::min(count, leaves.size()));
  varying_[&loop] = std::move(leaves);
}

bool LooseView::PassesOn(const Instruction& i) const {
  if (i.operands.size() != 1) return false;
  if (i.opcode == "copy" || i.target() == kShardingTarget || IsConsumedTarget(i.target())) {
    return true;
  }
  const Instruction* operand = i.opcode == "reshape" ? c_.Get(i.operands[0]) : nullptr;
  return operand != nullptr && Dims(i.shape) == Dims(operand->shape);
}

string_view LooseView::ConvertedBy(const Instruction& i) const {
  if (boundaries_ == nullptr || i.target() != kShardToFull || boundaries_->count(OpName(i)) > 0) {
    return {};
  }
  const Instruction* call = Trace(i.operands[0], {}).value.instruction;
  if (call == nullptr || call->opcode != "call" || call->operands.size() != 1) return {};
  const Computation* body = dump_.Get(Callee(*call, "to_apply"));
  if (body == nullptr || !OnlyCollects(*body)) return {};
  const Instruction* start = Trace(call->operands[0], {}).value.instruction;
  return start != nullptr && start->target() == kFullToShard ? start->operands[0] : string_view();
}

bool LooseView::CutsPadding(const Instruction& i) const {
  const Instruction* operand = i.opcode == "slice" ? c_.Get(i.operands[0]) : nullptr;
  return operand != nullptr && OpName(*operand) == OpName(i) && !ConvertedBy(*operand).empty();
}

Traced LooseView::Trace(string_view name, Path path) const {
  Traced traced;
  bool padded = false;  // for a change of unreduced axes
  while (const Instruction* i = c_.Get(name)) {
    traced.value = {i, path};
    if (CutsPadding(*i) || (padded && i->opcode == "pad")) {
      padded = i->opcode == "slice";
      name = i->operands[0];
      continue;
    }
    if (i->opcode == "tuple" && !path.empty()) {
      name = OperandAt(*i, path.front());
      path.erase(path.begin());
    } else if (i->opcode == "get-tuple-element") {
      path.insert(path.begin(), i->element());
      name = i->operands[0];
    } else if (IsBoundaryTarget(i->target()) && IsToken(i->shape, path)) {
      name = OperandAt(*i, path.empty() ? 0 : path[0]);
      path.clear();
    } else if (PassesOn(*i)) {
      if (IsConsumedTarget(i->target())) {
        traced.marked = true;
      } else {
        traced.passed.push_back({i, path});
      }
      name = i->operands[0];
    } else if (const string_view converted = ConvertedBy(*i); !converted.empty()) {
      traced.passed.push_back({i, path});
      name = converted;
    } else if (i->opcode == "while" &&
               std::count(Varying(*i).begin(), Varying(*i).end(), path) == 0) {
      traced.passed.push_back({i, path});
      name = i->operands[0];
    } else {
      return traced;
    }
  }
  return {};
}

std::vector<Traced> LooseView::Leaves(const std::vector<string_view>& names) const {
  std::vector<Traced> leaves;
  for (string_view name : names) {
    const Instruction* i = c_.Get(name);
    if (i == nullptr) continue;
    for (Path& path : TupleLeaves(i->shape)) leaves.push_back(Trace(name, std::move(path)));
  }
  return leaves;
}

const std::vector<Path>& LooseView::Varying(const Instruction& loop) const {
  const auto known = varying_.find(&loop);
  if (known != varying_.end()) return known->second;
  std::vector<Path> found = FindVarying(loop);
  return varying_[&loop] = std::move(found);
}

// A leaf does not change if the body returns it, through nothing but tuples and reshapes: a
// constraint or barrier on the way is an op, and so the leaf changes. Nor does it change if the
// body returns another leaf that does not, and both began as the same value.
std::vector<Path> LooseView::FindVarying(const Instruction& loop) const {
  std::vector<Path> leaves = TupleLeaves(loop.shape);
  const Computation* body = dump_.Get(Callee(loop, "body"));
  if (body == nullptr || body->Parameters().empty()) return leaves;
  const LooseView inside(dump_, *body);
  const Instruction& state = body->instructions[static_cast<size_t>(body->Parameters()[0])];
  std::map<Path, Path> returns;  // which leaf of the parameter comes back in this place
  for (const Path& leaf : leaves) {
    const Traced t = inside.Trace(body->Root().name, leaf);
    if (t.value.instruction == &state && IsPlain(t)) returns[leaf] = t.value.path;
  }
  std::set<Path> fixed;
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [leaf, from] : returns) {
      const bool same =
          leaf == from || (fixed.count(from) > 0 &&
                           AreOne(Trace(loop.operands[0], leaf), Trace(loop.operands[0], from)));
      if (same) grown |= fixed.insert(leaf).second;
    }
  }
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(),
                              [&](const Path& leaf) { return fixed.count(leaf) > 0; }),
               leaves.end());
  return leaves;
}

}  // namespace tessera::testing::pairs
