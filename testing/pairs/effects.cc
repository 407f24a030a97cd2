#include "tessera/testing/pairs/effects.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kEffects[] = {"outfeed", "send", "send-done", "infeed", "recv", "rng"};

bool HasEffect(const Instruction& i) {
  // The side effect of a marker only keeps it alive on its way to the pass.
  if (IsMarker(i.target())) return false;
  return i.Attribute("custom_call_has_side_effect") == "true" ||
         std::find(std::begin(kEffects), std::end(kEffects), i.opcode) != std::end(kEffects);
}

bool MayHold(const Instruction& i) {
  return i.opcode == "while" || i.opcode == "conditional" || i.opcode == "call";
}

bool HoldsEffect(const Dump& dump, const Instruction& i) {
  if (!MayHold(i)) return false;
  std::vector<string_view> todo = CalledComputations(i);
  absl::flat_hash_set<string_view> seen;
  while (!todo.empty()) {
    const string_view name = todo.back();
    todo.pop_back();
    const Computation* c = seen.insert(name).second ? dump.Get(name) : nullptr;
    if (c == nullptr) continue;
    for (const Instruction& inner : c->instructions) {
      if (HasEffect(inner)) return true;
      if (!MayHold(inner)) continue;
      const std::vector<string_view> called = CalledComputations(inner);
      todo.insert(todo.end(), called.begin(), called.end());
    }
  }
  return false;
}

}  // namespace

absl::flat_hash_set<const Instruction*> NeededByRoot(const Computation& c) {
  absl::flat_hash_set<const Instruction*> needed;
  std::vector<const Instruction*> todo = {&c.Root()};
  while (!todo.empty()) {
    const Instruction* i = todo.back();
    todo.pop_back();
    if (!needed.insert(i).second || i->has_literal()) continue;
    for (string_view name : i->operands) {
      if (const Instruction* operand = c.Get(name)) todo.push_back(operand);
    }
  }
  return needed;
}

std::vector<const Instruction*> LooseEffects(const Dump& dump, const Computation& c) {
  const absl::flat_hash_set<const Instruction*> needed = NeededByRoot(c);
  std::vector<const Instruction*> found;
  for (const Instruction& i : c.instructions) {
    if (needed.contains(&i)) continue;
    if (HasEffect(i) || HoldsEffect(dump, i)) found.push_back(&i);
  }
  return found;
}

}  // namespace tessera::testing::pairs
