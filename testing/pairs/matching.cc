// A work list of pairs of values. Taking a pair off it says that the two stand for each other; that
// makes pairs of their operands and of the roots of the computations that they call.
//
// Example. before: while(state) whose body returns leaf 1 as it came; after: the pass has made that
// leaf a captured value and packed it behind the leaves that change. The leaves that change are
// matched in order. Leaf 1 is matched when a user inside the body is: its operand is leaf 1 before
// and, say, leaf 4 after, so the operand leaves 1 and 4 of the two loops must be one value, too.

#include "tessera/testing/pairs/matching.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

bool IsConstantLike(string_view opcode) {
  return opcode == "constant" || opcode == "iota" || opcode == "broadcast";
}

bool HasEffect(const Instruction& i) {
  constexpr string_view kEffects[] = {"outfeed", "send", "send-done", "infeed", "recv", "rng"};
  if (IsMarker(i.target())) return false;
  return i.Attribute("custom_call_has_side_effect") == "true" ||
         std::find(std::begin(kEffects), std::end(kEffects), i.opcode) != std::end(kEffects);
}

// Instructions with an effect that the root does not need, in order.
std::vector<Traced> LooseEffects(const LooseView& view) {
  const Computation& c = view.computation();
  std::set<string_view> needed;
  std::vector<string_view> todo = {c.instructions[static_cast<size_t>(c.root)].name};
  while (!todo.empty()) {
    const string_view name = todo.back();
    todo.pop_back();
    const Instruction* i = c.Get(name);
    if (i == nullptr || !needed.insert(name).second || i->has_literal()) continue;
    todo.insert(todo.end(), i->operands.begin(), i->operands.end());
  }
  std::vector<Traced> found;
  for (const Instruction& i : c.instructions) {
    if (HasEffect(i) && needed.count(i.name) == 0) found.push_back({{&i, {}}, {}});
  }
  return found;
}

bool IsTruthTest(const Instruction& x, const Instruction& y) {
  return x.opcode == "convert" && absl::StartsWith(x.shape, "pred[") && y.opcode == "compare";
}

// Could one be what the other became? The exact comparison is another check's.
bool MayStandFor(const Instruction& x, const Instruction& y) {
  if (IsTruthTest(x, y)) return true;
  if (IsBoundaryTarget(x.target())) return ConversionOf(x.target()) == y.target();
  if (IsConstantLike(x.opcode) && IsConstantLike(y.opcode)) {
    return x.opcode == y.opcode || x.opcode == "constant";
  }
  return x.opcode == y.opcode && x.target() == y.target();
}

// Values of regions are captured one by one; a call that lost an operand is like that.
bool CapturesByUse(const CallSite& site) {
  const Instruction& x = *site.before.instruction;
  return x.opcode == "while" || x.opcode == "conditional" ||
         (x.opcode == "call" && x.operands.size() != site.after.instruction->operands.size());
}

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

Matching::Matching(const Dump& before, const Dump& after) : before_(before), after_(after) {
  for (const Computation& c : before.computations()) {
    before_views_[&c] = std::make_unique<LooseView>(before, c);
    for (const Instruction& i : c.instructions) {
      if (IsBoundaryTarget(i.target())) boundaries_.insert(OpName(i));
    }
  }
  for (const Computation& c : after.computations()) {
    after_views_[&c] = std::make_unique<LooseView>(after, c);
    after_views_[&c]->set_boundaries(&boundaries_);
  }
  Enter(&before.entry(), &after.entry(), nullptr);
  while (!todo_.empty()) {
    const Item item = todo_.back();
    todo_.pop_back();
    Visit(item);
  }
}

void Matching::Differ(const Computation& c, const std::string& text) {
  problems_.push_back(absl::StrCat(c.name, ": ", text));
}

// --- what was found --------------------------------------------------------------------------

const std::vector<Place>& Matching::Of(const Place& before) const {
  static const auto* const kNone = new std::vector<Place>();
  const auto it = counterparts_.find(before);
  return it == counterparts_.end() ? *kNone : it->second;
}

const PlacedValue* Matching::OfParameter(const PlacedValue& leaf) const {
  const auto it = parameters_.find(leaf);
  return it == parameters_.end() ? nullptr : &it->second;
}

const Place* Matching::MovedConstant(const PlacedValue& leaf) const {
  const auto it = moved_.find(leaf);
  return it == moved_.end() ? nullptr : &it->second;
}

const Place* Matching::Conversion(const Place& border, int number) const {
  const auto it = conversions_.find({border, number});
  return it == conversions_.end() ? nullptr : &it->second;
}

std::vector<const Computation*> Matching::Partners(const Computation& before) const {
  std::vector<const Computation*> partners;
  for (const Pair& pair : entered_) {
    if (pair.first == &before) partners.push_back(pair.second);
  }
  return partners;
}

const CallSite* Matching::SiteOf(const Computation& before) const {
  for (const Pair& pair : entered_) {
    if (pair.first != &before) continue;
    const std::vector<CallSite>& sites = sites_.at(pair);
    return sites.empty() ? nullptr : &sites[0];
  }
  return nullptr;
}

// --- matching --------------------------------------------------------------------------------

void Matching::Enter(const Computation* a, const Computation* b, const CallSite* site) {
  const Pair in = {a, b};
  const bool first = sites_.count(in) == 0;
  std::vector<CallSite>& sites = sites_[in];
  if (site != nullptr) sites.push_back(*site);
  if (!first) return;
  entered_.push_back(in);
  const LooseView& left = Before(*a);
  const LooseView& right = After(*b);
  const string_view root = a->instructions[static_cast<size_t>(a->root)].name;
  const string_view root_after = b->instructions[static_cast<size_t>(b->root)].name;
  const bool is_body = site != nullptr && site->before.instruction->opcode == "while" &&
                       absl::StrContains(site->before.instruction->Attribute("body"), a->name);
  std::vector<Traced> results = left.Leaves({root}), results_after = right.Leaves({root_after});
  if (is_body) {
    results.clear();
    results_after.clear();
    const Place& loop = site->before;
    const Place& loop_after = site->after;
    for (const Path& path : Before(*loop.computation).Varying(*loop.instruction)) {
      results.push_back(left.Trace(root, path));
    }
    for (const Path& path : After(*loop_after.computation).Varying(*loop_after.instruction)) {
      results_after.push_back(right.Trace(root_after, path));
    }
  }
  Add(in, kResultUser, {b, nullptr}, {}, results, results_after);
  Add(in, "", {}, {}, LooseEffects(left), LooseEffects(right));
  if (site != nullptr && CapturesByUse(*site)) return;
  std::vector<string_view> names, names_after;
  for (int p : a->Parameters()) names.push_back(a->instructions[static_cast<size_t>(p)].name);
  for (int p : b->Parameters()) names_after.push_back(b->instructions[static_cast<size_t>(p)].name);
  Add(in, "", {}, {}, left.Leaves(names), right.Leaves(names_after));
}

void Matching::Add(Pair in, string_view user, const Place& user_after, const Path& slot,
                   const std::vector<Traced>& left, const std::vector<Traced>& right,
                   bool captured) {
  if (left.size() != right.size()) {
    return Differ(*in.first, absl::StrCat("operands of '", user, "': ", left.size(), " against ",
                                          right.size()));
  }
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i].value.instruction == nullptr || right[i].value.instruction == nullptr) continue;
    if (!user.empty()) {
      edges_[{in.first, std::string(user), slot, static_cast<int>(i)}].push_back(
          {in.first, user, left[i], user_after, right[i], captured});
    }
    todo_.push_back({in, left[i].value, right[i].value});
  }
}

void Matching::Visit(const Item& item) {
  if (!seen_.insert({item.in, item.x, item.y}).second) return;
  const Instruction& x = *item.x.instruction;
  const Instruction& y = *item.y.instruction;
  if (x.opcode == "parameter" && y.opcode != "parameter" && VisitMoved(item)) return;
  if (!MayStandFor(x, y)) {
    return Differ(*item.in.first, absl::StrCat(x.name, " against ", y.name, " of ", y.opcode));
  }
  if (x.opcode == "parameter") VisitParameter(item);
  if (IsBoundaryTarget(x.target())) VisitBorder(item);
  VisitInstruction(item.in, x, y);
}

// A constant that a region took in from outside stands in the region itself after the pass.
bool Matching::VisitMoved(const Item& item) {
  for (const CallSite& site : sites_[item.in]) {
    if (!CapturesByUse(site)) continue;
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
    if (sites_.count({site.before.computation, item.in.second}) == 0) {
      // The outer computation is looked at from inside: its own callers lead further out.
      for (const Pair& pair : entered_) {
        if (pair.first == site.before.computation) {
          sites_[{site.before.computation, item.in.second}] = sites_[pair];
          break;
        }
      }
    }
    return true;
  }
  return false;
}

void Matching::VisitParameter(const Item& item) {
  const PlacedValue leaf = {{item.in.first, item.x.instruction}, item.x.path};
  parameters_.emplace(leaf, PlacedValue{{item.in.second, item.y.instruction}, item.y.path});
  for (const CallSite& site : sites_[item.in]) {
    if (!CapturesByUse(site)) continue;
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

void Matching::VisitInstruction(Pair in, const Instruction& x, const Instruction& y) {
  if (!paired_.insert({in, &x, &y}).second) return;
  counterparts_[{in.first, &x}].push_back({in.second, &y});
  if (x.has_literal() || y.has_literal() || IsBoundaryTarget(x.target())) return;
  if (x.opcode == "while") {
    LooseView& view = *after_views_.at(in.second);
    view.SetVarying(y, Before(*in.first).Varying(x).size());
  }
  MatchOperands(in, x, y);
  const std::vector<string_view> names = CalledComputations(x), names_after = CalledComputations(y);
  if (names.size() != names_after.size()) {
    return Differ(*in.first, absl::StrCat(x.name, " calls another number of computations"));
  }
  for (size_t k = 0; k < names.size(); ++k) {
    const Computation* a = before_.Get(names[k]);
    const Computation* b = after_.Get(names_after[k]);
    const CallSite site = {{in.first, &x}, {in.second, &y}, k};
    if (a != nullptr && b != nullptr) Enter(a, b, &site);
  }
}

void Matching::MatchOperands(Pair in, const Instruction& x, const Instruction& y) {
  const LooseView& left = Before(*in.first);
  const LooseView& right = After(*in.second);
  const Place user_after = {in.second, &y};
  if (x.opcode == "while") {
    std::vector<Traced> from, to;
    for (const Path& path : left.Varying(x)) from.push_back(left.Trace(x.operands[0], path));
    for (const Path& path : right.Varying(y)) to.push_back(right.Trace(y.operands[0], path));
    return Add(in, x.name, user_after, {}, from, to);
  }
  if (x.opcode == "conditional") {
    return Add(in, x.name, user_after, {}, left.Leaves({x.operands[0]}),
               right.Leaves({y.operands[0]}));
  }
  if (x.opcode == "call" && x.operands.size() != y.operands.size()) return;
  std::vector<Traced> to = right.Leaves(y.operands);
  if (IsTruthTest(x, y) && !to.empty()) to.resize(1);
  Add(in, x.name, user_after, {}, left.Leaves(x.operands), to);
}

}  // namespace tessera::testing::pairs
