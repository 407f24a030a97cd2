#include "tessera/testing/pairs/table/counterparts.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

// A further copy of what a loop captures, which the text of the source cannot name.
bool IsFurtherCapture(const std::vector<Edge>& edges, size_t n) {
  return n > 0 && edges[n].captured;
}

Place ValueAfter(const Edge& e) { return {e.user_after.computation, e.after.value.instruction}; }

// The copy in front of a change of unreduced axes; `passed`: user's side first.
bool BeginsChange(const std::vector<Value>& passed, size_t j) {
  return j > 0 && passed[j].instruction->opcode == "copy" &&
         passed[j - 1].instruction->target() == kShardToFull;
}

// A constraint that becomes a change of unreduced axes leaves its op_name to the value after it:
// if it is the only one left, it is the copy with which the only change left begins.
void PairChanges(const std::vector<Value>& before, const std::vector<Value>& after,
                 std::vector<std::pair<size_t, size_t>>& pairs) {
  std::set<size_t> paired, taken;
  for (const auto& [i, j] : pairs) {
    paired.insert(i);
    taken.insert(j);
  }
  std::vector<size_t> constraints, changes;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool is_constraint = before[i].instruction->target() == kShardingTarget;
    if (is_constraint && paired.count(i) == 0) constraints.push_back(i);
  }
  for (size_t j = 1; j < after.size(); ++j) {
    if (BeginsChange(after, j) && taken.count(j) + taken.count(j - 1) == 0) changes.push_back(j);
  }
  if (constraints.size() == 1 && changes.size() == 1) {
    pairs.emplace_back(constraints[0], changes[0]);
  }
}

bool IsCopy(const Value& v) { return v.instruction->opcode == "copy"; }
// What has no op_name gets its own name for one on its way to the pass. Not what becomes a change
// of unreduced axes, see above.
bool HasItsName(const Instruction& x, const Instruction& y) {
  return OpName(x).empty() && x.name == OpName(y) && !absl::StrContains(x.sharding(), "unreduced");
}

std::string UserBefore(const Edge& e) {
  const std::vector<Value>& passed = e.before.passed;
  return std::string(passed.empty() ? e.user : passed.back().instruction->name);
}

}  // namespace

std::vector<std::pair<size_t, size_t>> PairCopies(const std::vector<Value>& before,
                                                  const std::vector<Value>& after) {
  std::vector<std::pair<size_t, size_t>> pairs;
  std::set<size_t> paired, taken;
  const auto pair_if = [&](const auto& is_own) {
    for (size_t i = before.size(); i-- > 0;) {
      const Instruction& x = *before[i].instruction;
      for (size_t j = after.size(); j-- > 0 && paired.count(i) == 0;) {
        const Instruction& y = *after[j].instruction;
        const bool kind = y.opcode == "copy" || y.opcode == x.opcode;
        if (taken.count(j) > 0 || !kind || y.opcode == "while" || x.opcode == "while") continue;
        if (!is_own(x, y)) continue;
        pairs.emplace_back(i, j);
        paired.insert(i);
        taken.insert(j);
      }
    }
  };
  // Where some of them are gone, their names tell which.
  if (std::count_if(after.begin(), after.end(), IsCopy) <
      std::count_if(before.begin(), before.end(), [](const Value& v) { return !IsLoop(v); })) {
    pair_if(HasItsName);
  }
  pair_if([](const Instruction& x, const Instruction& y) {
    return OpName(x).empty() ? y.opcode != "custom-call" : OpName(x) == OpName(y);
  });
  PairChanges(before, after, pairs);
  return pairs;
}

Counterparts::Counterparts(const Matching& matching) : m_(matching) {
  FindCopies();
  FindDropped();
  FindUsers();
}

// Of several copies, for several readers, the one with which a change begins; else the first.
void Counterparts::FindCopies() {
  const auto add = [&](const Edge& e, bool changes) {
    for (const auto& [i, j] : PairCopies(e.before.passed, e.after.passed)) {
      const Place x = {e.computation, e.before.passed[i].instruction};
      if (!m_.Of(x).empty() || changes != BeginsChange(e.after.passed, j)) continue;
      copies_.emplace(x, Place{e.user_after.computation, e.after.passed[j].instruction});
    }
  };
  for (const bool changes : {true, false}) {
    for (const auto& [key, edges] : m_.edges()) {
      for (const Edge& e : edges) add(e, changes);
    }
  }
}

void Counterparts::FindDropped() {
  std::map<Place, std::vector<std::pair<Place, bool>>> uses;  // of what it became
  for (const auto& [key, edges] : m_.edges()) {
    for (size_t n = 0; n < edges.size(); ++n) {
      uses[ValueAfter(edges[n])].push_back({edges[n].user_after, IsFurtherCapture(edges, n)});
    }
  }
  const auto is_lost = [&](const std::pair<Place, bool>& use) {
    return use.second || dropped_.count(use.first) > 0;
  };
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [place, found] : uses) {
      const bool all = std::all_of(found.begin(), found.end(), is_lost);
      if (all) grown |= dropped_.insert(place).second;
    }
  }
}

void Counterparts::FindUsers() {
  for (const auto& [key, edges] : m_.edges()) {
    for (size_t n = 0; n < edges.size(); ++n) {
      const Edge& e = edges[n];
      if (IsFurtherCapture(edges, n) || dropped_.count(e.user_after) > 0) continue;
      const Place x = {e.computation, e.before.value.instruction};
      users_[{x, ValueAfter(e)}].insert(UserBefore(e));
    }
  }
}

std::vector<Place> Counterparts::Of(const Computation& c, const Instruction& i) const {
  std::vector<Place> found = m_.Of({&c, &i});
  const auto copy = copies_.find({&c, &i});
  if (found.empty() && copy != copies_.end()) found.push_back(copy->second);
  return found;
}

std::vector<Place> Counterparts::Local(const Computation& c, const Instruction& i) const {
  const std::vector<const Computation*> partners = m_.Partners(c);
  std::vector<Place> local, kept;
  for (const Place& place : Of(c, i)) {
    const bool here = std::count(partners.begin(), partners.end(), place.computation) > 0;
    if (here) local.push_back(place);
    if (here && dropped_.count(place) == 0) kept.push_back(place);
  }
  return kept.empty() ? local : kept;
}

const std::set<std::string>& Counterparts::Users(const Place& before, const Place& after) const {
  static const auto* const kNone = new std::set<std::string>();
  const auto found = users_.find({before, after});
  return found == users_.end() ? *kNone : found->second;
}

}  // namespace tessera::testing::pairs
