// A work list of pairs of values. Taking a pair off it says that the two stand for each other; that
// makes pairs of their operands and of the roots of the computations that they call.
//
// Example. before: while(state) whose body returns leaf 1 as it came; after: the pass has made that
// leaf a captured value and packed it after the leaves that change. The leaves that change are
// matched in order. Leaf 1 is matched when a user inside the body is. That reads leaf 1 before and,
// say, leaf 4 after. So the operand leaves 1 and 4 of the two loops must be one value, too.

#include "tessera/testing/pairs/table/matching.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/effects.h"
#include "tessera/testing/pairs/markers.h"
#include "tessera/testing/pairs/table/stand_for.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

// Instructions with an effect that the root does not need, as values.
std::vector<Traced> EffectsOf(const Dump& dump, const LooseView& view) {
  std::vector<Traced> found;
  for (const Instruction* i : LooseEffects(dump, view.computation()))
    found.push_back({{i, {}}, {}});
  return found;
}

std::vector<Traced> ParametersOf(const LooseView& view) {
  const Computation& c = view.computation();
  std::vector<string_view> names;
  for (int p : c.Parameters()) names.push_back(c.instructions[static_cast<size_t>(p)].name);
  return view.Leaves(names);
}

// The leaves that the next turn of a loop reads: those of its state that change.
std::vector<Traced> NextState(const LooseView& body, const LooseView& outer,
                              const Instruction& loop) {
  std::vector<Traced> results;
  for (const Path& path : outer.Varying(loop)) {
    results.push_back(body.Trace(body.computation().Root().name, path));
  }
  return results;
}

// A loop changes a leaf by nothing but a barrier or a constraint: after the pass it hands the leaf
// through, and what it became was found after the loop. `right`, as far as that loop.
Traced UpToLoop(const Traced& left, Traced right) {
  if (!IsLoop(left.value) || IsLoop(right.value)) return right;
  auto skipped = std::count_if(left.passed.begin(), left.passed.end(), IsLoop);
  const auto loop = std::find_if(right.passed.begin(), right.passed.end(),
                                 [&](const Value& v) { return IsLoop(v) && skipped-- == 0; });
  if (loop == right.passed.end()) return right;
  right.value = *loop;
  right.passed.erase(loop, right.passed.end());
  return right;
}

bool IsBody(const Computation& c, const Instruction& caller) {
  return caller.opcode == "while" && absl::StrContains(caller.Attribute("body"), c.name);
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

void Matching::Enter(const Computation* a, const Computation* b, const CallSite* site) {
  const Pair in = {a, b};
  const bool first = sites_.count(in) == 0;
  std::vector<CallSite>& sites = sites_[in];
  if (site != nullptr) sites.push_back(*site);
  if (!first) return;
  entered_.push_back(in);
  const LooseView& left = Before(*a);
  const LooseView& right = After(*b);
  AddResults(in, site);
  Add(in, "", {}, {}, EffectsOf(before_, left), EffectsOf(after_, right));
  if (site != nullptr && site->CapturesByUse()) return;
  Add(in, "", {}, {}, ParametersOf(left), ParametersOf(right));
}

void Matching::AddResults(Pair in, const CallSite* site) {
  const LooseView& left = Before(*in.first);
  const LooseView& right = After(*in.second);
  const Place user_after = {in.second, nullptr};
  if (site == nullptr || !IsBody(*in.first, *site->before.instruction)) {
    return Add(in, kResultUser, user_after, {}, left.Leaves({in.first->Root().name}),
               right.Leaves({in.second->Root().name}));
  }
  const Place& loop = site->before;
  const Place& loop_after = site->after;
  Add(in, kResultUser, user_after, {},
      NextState(left, Before(*loop.computation), *loop.instruction),
      NextState(right, After(*loop_after.computation), *loop_after.instruction));
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
    const Traced found = UpToLoop(left[i], right[i]);
    if (!user.empty()) {
      edges_[{in.first, std::string(user), slot, static_cast<int>(i)}].push_back(
          {in.first, user, left[i], user_after, found, captured});
    }
    todo_.push_back({in, left[i].value, found.value});
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
