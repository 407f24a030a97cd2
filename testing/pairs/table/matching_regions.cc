// The second half of matching.cc: values that a region takes in from outside, and the borders of
// shard_maps.

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/table/matching.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

int Position(const std::vector<Path>& list, const Path& path) {
  const auto it = std::find(list.begin(), list.end(), path);
  return it == list.end() ? -1 : static_cast<int>(it - list.begin());
}

size_t ParameterNumber(const Instruction& parameter) {
  int number = 0;
  return absl::SimpleAtoi(parameter.operands[0], &number) ? static_cast<size_t>(number) : 0;
}

// The operand of a calling instruction that a parameter leaf of its region comes from.
size_t OperandOf(const CallSite& site, const Instruction& parameter) {
  const string_view opcode = site.before.instruction->opcode;
  if (opcode == "while") return 0;
  return opcode == "conditional" ? site.callee + 1 : ParameterNumber(parameter);
}

}  // namespace

bool CallSite::CapturesByUse() const {
  const Instruction& x = *before.instruction;
  return x.opcode == "while" || x.opcode == "conditional" ||
         (x.opcode == "call" && x.operands.size() != after.instruction->operands.size());
}

// A constant that a region took in from outside stands in the region itself after the pass.
bool Matching::VisitMoved(const Item& item) {
  for (const CallSite& site : sites_[item.in]) {
    if (!site.CapturesByUse()) continue;
    const LooseView& outer = Before(*site.before.computation);
    const Instruction& x = *site.before.instruction;
    if (x.opcode == "while" && Position(outer.Varying(x), item.x.path) >= 0) continue;
    const size_t operand = OperandOf(site, *item.x.instruction);
    if (operand >= x.operands.size()) continue;
    const Traced from = outer.Trace(x.operands[operand], item.x.path);
    if (from.value.instruction == nullptr) continue;
    moved_[{{item.in.first, item.x.instruction}, item.x.path}] = {item.in.second,
                                                                  item.y.instruction};
    todo_.push_back({{site.before.computation, item.in.second}, from.value, item.y});
    const auto entered = std::find_if(entered_.begin(), entered_.end(), [&](const Pair& pair) {
      return pair.first == site.before.computation;
    });
    if (entered != entered_.end()) {
      // The outer computation is looked at from inside: its own callers lead further out.
      sites_.emplace(Pair{site.before.computation, item.in.second}, sites_[*entered]);
    }
    return true;
  }
  return false;
}

void Matching::VisitParameter(const Item& item) {
  const PlacedValue leaf = {{item.in.first, item.x.instruction}, item.x.path};
  parameters_.emplace(leaf, PlacedValue{{item.in.second, item.y.instruction}, item.y.path});
  for (const CallSite& site : sites_[item.in]) {
    if (!site.CapturesByUse()) continue;
    if (site.before.instruction->opcode == "while") {
      const int left =
          Position(Before(*site.before.computation).Varying(*site.before.instruction), item.x.path);
      const int right =
          Position(After(*site.after.computation).Varying(*site.after.instruction), item.y.path);
      if (left != right) {
        Differ(*item.in.first,
               absl::StrCat("another leaf of the state of ", site.before.instruction->name));
      }
      if (left >= 0 || right >= 0) continue;
    }
    const size_t operand = OperandOf(site, *item.x.instruction);
    const size_t operand_after = OperandOf(site, *item.y.instruction);
    const auto& operands = site.before.instruction->operands;
    const auto& operands_after = site.after.instruction->operands;
    if (operand >= operands.size() || operand_after >= operands_after.size()) continue;
    Path slot = {static_cast<int>(operand)};
    slot.insert(slot.end(), item.x.path.begin(), item.x.path.end());
    Add({site.before.computation, site.after.computation}, site.before.instruction->name,
        site.after, slot, {Before(*site.before.computation).Trace(operands[operand], item.x.path)},
        {After(*site.after.computation).Trace(operands_after[operand_after], item.y.path)}, true);
  }
}

void Matching::VisitBorder(const Item& item) {
  const int number = item.x.path.empty() ? 0 : item.x.path[0];
  const Place border = {item.in.first, item.x.instruction};
  conversions_.emplace(std::make_pair(border, number), Place{item.in.second, item.y.instruction});
  const std::vector<Traced> left = Before(*item.in.first).Leaves(item.x.instruction->operands);
  const std::vector<Traced> right = After(*item.in.second).Leaves(item.y.instruction->operands);
  const size_t index = static_cast<size_t>(number);
  if (index >= left.size() || right.size() != 1) return;
  Add(item.in, item.x.instruction->name, {item.in.second, item.y.instruction}, {number},
      {left[index]}, right);
}

}  // namespace tessera::testing::pairs
