// Rows from a matching. An instruction shows the sharding of what it became, leaf by leaf. Where
// the pass packs anew, leaf i of the source shows the sharding of the leaf that it became: loops,
// the operands of branches, borders of shard_maps, and the tuples and parameters around them. A
// leaf that is gone from a tuple with shardings is {replicated}.
//
// Copies after the pass are either copies and constraints of the source, which have the same
// op_name (without one: the copy nearest to the value), or were inserted.

#include "tessera/testing/pairs/derive_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/markers.h"
#include "tessera/testing/pairs/matching.h"
#include "tessera/testing/pairs/spelling.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr char kReplicated[] = "{replicated}";

bool IsTuple(const Instruction& i) { return absl::StartsWith(i.shape, "("); }

// The sharding of every leaf; empty texts for none.
LeafShardings LeavesOf(const Instruction& i) {
  const std::vector<Path> paths = TupleLeaves(i.shape);
  std::vector<string_view> texts(paths.size(), i.sharding());
  if (IsTuple(i) && IsTupleSharding(i.sharding())) {
    texts = SplitTopLevel(i.sharding().substr(1, i.sharding().size() - 2));
    texts.resize(paths.size());
  }
  LeafShardings leaves;
  for (size_t k = 0; k < paths.size(); ++k) leaves.emplace_back(paths[k], texts[k]);
  return leaves;
}

std::optional<std::string> LeafOf(const Instruction& i, const Path& path) {
  for (const auto& [leaf, sharding] : LeavesOf(i)) {
    if (leaf == path) return sharding;
  }
  return std::nullopt;
}

bool SomeSharding(const LeafShardings& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [](const auto& l) { return !l.second.empty(); });
}

using PathMap = std::map<Path, Path>;

LeafShardings ByMap(const Instruction& x, const Instruction& y, const PathMap& map) {
  const std::string missing = IsTuple(x) && !y.sharding().empty() ? kReplicated : "";
  LeafShardings leaves;
  for (const Path& path : TupleLeaves(x.shape)) {
    const auto to = map.find(path);
    const auto found = to == map.end() ? std::nullopt : LeafOf(y, to->second);
    leaves.emplace_back(path, found.value_or(missing));
  }
  return leaves;
}

// The leaves of both in order; where y has more, the state of a random generator stands in front.
LeafShardings InOrder(const Instruction& x, const Instruction& y) {
  const std::vector<Path> paths = TupleLeaves(x.shape);
  const LeafShardings found = LeavesOf(y);
  LeafShardings leaves;
  if (found.size() < paths.size()) return leaves;
  for (size_t k = 0; k < paths.size(); ++k) {
    leaves.emplace_back(paths[k], found[found.size() - paths.size() + k].second);
  }
  return leaves;
}

std::vector<string_view> Branches(const Instruction& conditional) {
  string_view listed = conditional.Attribute("branch_computations");
  absl::ConsumePrefix(&listed, "{");
  absl::ConsumeSuffix(&listed, "}");
  std::vector<string_view> names = absl::StrSplit(listed, ',', absl::SkipWhitespace());
  if (names.empty()) {
    names = {conditional.Attribute("true_computation"), conditional.Attribute("false_computation")};
  }
  for (string_view& name : names) {
    name = absl::StripPrefix(absl::StripAsciiWhitespace(name), "%");
  }
  return names;
}

// Which copies after the pass are those of the source: (before, after), by position in both lists.
std::vector<std::pair<size_t, size_t>> PairCopies(const std::vector<Value>& before,
                                                  const std::vector<Value>& after) {
  std::vector<std::pair<size_t, size_t>> pairs;
  std::set<size_t> taken;
  for (size_t i = before.size(); i-- > 0;) {
    const Instruction& x = *before[i].instruction;
    for (size_t j = after.size(); j-- > 0;) {
      const Instruction& y = *after[j].instruction;
      const bool kind = y.opcode == "copy" || y.opcode == x.opcode;
      if (taken.count(j) > 0 || !kind || y.opcode == "while" || x.opcode == "while") continue;
      if (!OpName(x).empty() && OpName(x) != OpName(y)) continue;
      pairs.emplace_back(i, j);
      taken.insert(j);
      break;
    }
  }
  return pairs;
}

class Deriver {
 public:
  Deriver(const Dump& before, const Dump& after)
      : before_(before), after_(after), m_(before, after) {
    FindCopies();
    FindUsers();
  }

  Derived Run() {
    Derived derived;
    derived.problems = m_.problems();
    const Computation& entry = before_.entry();
    const Computation& entry_after = after_.entry();
    derived.table.results = InOrder(Root(entry), Root(entry_after));
    for (const Computation& c : before_.computations()) {
      if (!m_.Partners(c).empty()) derived.table.computations[std::string(c.name)] = RowsOf(c);
    }
    return derived;
  }

 private:
  static const Instruction& Root(const Computation& c) {
    return c.instructions[static_cast<size_t>(c.root)];
  }

  // Copies of the source that something is read through count as matched, too.
  void FindCopies() {
    for (const auto& [key, edges] : m_.edges()) {
      for (const Edge& e : edges) {
        for (const auto& [i, j] : PairCopies(e.before.passed, e.after.passed)) {
          const Place x = {e.computation, e.before.passed[i].instruction};
          if (m_.Of(x).empty()) {
            copies_.emplace(x, Place{e.user_after.computation, e.after.passed[j].instruction});
          }
        }
      }
    }
  }

  // The users of each counterpart, in terms of the source. Of several copies of a value that a loop
  // captures, the source has room for the first.
  void FindUsers() {
    std::map<Place, std::vector<std::pair<Place, bool>>> uses;  // of what it became
    for (const auto& [key, edges] : m_.edges()) {
      for (size_t n = 0; n < edges.size(); ++n) {
        const Edge& e = edges[n];
        const Place y = {e.user_after.computation, e.after.value.instruction};
        uses[y].push_back({e.user_after, n > 0 && e.captured});
      }
    }
    for (bool grown = true; grown;) {
      grown = false;
      for (const auto& [place, found] : uses) {
        const bool all = std::all_of(found.begin(), found.end(), [&](const auto& use) {
          return use.second || dropped_.count(use.first) > 0;
        });
        if (all) grown |= dropped_.insert(place).second;
      }
    }
    for (const auto& [key, edges] : m_.edges()) {
      for (size_t n = 0; n < edges.size(); ++n) {
        const Edge& e = edges[n];
        if ((n > 0 && e.captured) || dropped_.count(e.user_after) > 0) continue;
        const Place x = {e.computation, e.before.value.instruction};
        const Place y = {e.user_after.computation, e.after.value.instruction};
        const auto& passed = e.before.passed;
        users_[{x, y}].insert(passed.empty() ? std::string(e.user)
                                             : std::string(passed.back().instruction->name));
      }
    }
  }

  std::vector<Place> Counterparts(const Computation& c, const Instruction& i) const {
    std::vector<Place> found = m_.Of({&c, &i});
    const auto copy = copies_.find({&c, &i});
    if (found.empty() && copy != copies_.end()) found.push_back(copy->second);
    return found;
  }

  // Those in a computation that stands for `c`; without the ones that the source has no room for.
  std::vector<Place> Local(const Computation& c, const Instruction& i) const {
    const std::vector<const Computation*> partners = m_.Partners(c);
    std::vector<Place> local, kept;
    for (const Place& place : Counterparts(c, i)) {
      const bool here = std::count(partners.begin(), partners.end(), place.computation) > 0;
      if (here) local.push_back(place);
      if (here && dropped_.count(place) == 0) kept.push_back(place);
    }
    return kept.empty() ? local : kept;
  }

  // --- leaves that are packed anew -------------------------------------------------------------

  PathMap LoopMap(const Computation& c, const Instruction& x, const Place& y) const {
    PathMap map;
    const std::vector<Path>& from = m_.Before(c).Varying(x);
    const std::vector<Path>& to = m_.After(*y.computation).Varying(*y.instruction);
    for (size_t k = 0; k < from.size() && k < to.size(); ++k) map[from[k]] = to[k];
    for (string_view key : {"body", "condition"}) {
      const Computation* region = before_.Get(absl::StripPrefix(x.Attribute(key), "%"));
      if (region != nullptr) AddParameterLeaves(*region, &map);
    }
    return map;
  }

  void AddParameterLeaves(const Computation& region, PathMap* map) const {
    if (region.Parameters().empty()) return;
    const Instruction& p = region.instructions[static_cast<size_t>(region.Parameters()[0])];
    for (const Path& path : TupleLeaves(p.shape)) {
      const PlacedValue* to = m_.OfParameter({{&region, &p}, path});
      if (to != nullptr) map->emplace(path, to->path);
    }
  }

  PathMap BranchMap(const Computation& branch) const {
    PathMap map;
    AddParameterLeaves(branch, &map);
    return map;
  }

  // --- rows ------------------------------------------------------------------------------------

  Rows RowsOf(const Computation& c) {
    Rows rows;
    roles_.clear();
    FindRoles(c);
    const std::set<string_view> live = Live(c);
    for (const Instruction& i : c.instructions) {
      if (IsConsumedTarget(i.target())) continue;
      if (i.opcode == "get-tuple-element") {
        AddElement(c, i, &rows);
      } else if (i.opcode == "tuple" || i.opcode == "parameter") {
        const auto role = roles_.find(i.name);
        if (role != roles_.end() && role->second.has_value()) Put(i, *role->second, &rows);
      } else if (IsBoundaryTarget(i.target())) {
        AddBorder(c, i, live.count(i.name) > 0, &rows);
      } else {
        AddOrdinary(c, i, live.count(i.name) > 0, &rows);
      }
    }
    AddInserted(c, &rows);
    return rows;
  }

  static std::set<string_view> Live(const Computation& c) {
    std::set<string_view> live;
    std::vector<string_view> todo = {Root(c).name};
    while (!todo.empty()) {
      const Instruction* i = c.Get(todo.back());
      todo.pop_back();
      if (i == nullptr || !live.insert(i->name).second || i->has_literal()) continue;
      todo.insert(todo.end(), i->operands.begin(), i->operands.end());
    }
    return live;
  }

  static void Put(const Instruction& i, LeafShardings leaves, Rows* rows) {
    if (leaves.empty() && !TupleLeaves(i.shape).empty()) return;
    if (IsTuple(i) && !SomeSharding(leaves)) leaves = {{Path(), ""}};
    rows->shardings[std::string(i.name)] = std::move(leaves);
  }

  void AddOrdinary(const Computation& c, const Instruction& i, bool live, Rows* rows) {
    const std::vector<Place> local = Local(c, i);
    const std::string name(i.name);
    if (local.empty()) {
      if (live || !Counterparts(c, i).empty()) rows->unchecked.insert(name);
      return;
    }
    if (i.opcode == "while") {
      return Put(i, ByMap(i, *local[0].instruction, LoopMap(c, i, local[0])), rows);
    }
    std::map<std::string, std::set<std::string>> kinds;
    for (const Place& y : local) {
      std::set<std::string>& users = kinds[std::string(y.instruction->sharding())];
      const auto found = users_.find({{&c, &i}, y});
      if (found != users_.end()) users.insert(found->second.begin(), found->second.end());
    }
    if (kinds.size() == 1 || IsTuple(i)) return Put(i, InOrder(i, *local[0].instruction), rows);
    for (const auto& [sharding, users] : kinds) {
      rows->copies[name].push_back({sharding, {users.begin(), users.end()}});
    }
  }

  void AddBorder(const Computation& c, const Instruction& i, bool live, Rows* rows) {
    LeafShardings leaves;
    const std::vector<Path> paths = TupleLeaves(i.shape);
    for (size_t n = 0; n < paths.size(); ++n) {
      const Place* to = m_.Conversion({&c, &i}, static_cast<int>(n));
      if (to != nullptr) leaves.emplace_back(paths[n], to->instruction->sharding());
    }
    if (!leaves.empty()) {
      rows->shardings[std::string(i.name)] = std::move(leaves);
    } else if (live) {
      rows->unchecked.insert(std::string(i.name));
    }
  }

  // Tuples and parameters that stand where shardings are shown. One with two roles that disagree is
  // not checked.
  void FindRoles(const Computation& c) {
    const Computation& other = *m_.Partners(c)[0];
    const CallSite* site = m_.SiteOf(c);
    const string_view kind = site == nullptr ? "" : site->before.instruction->opcode;
    if (kind == "while") {
      const PathMap map =
          LoopMap(*site->before.computation, *site->before.instruction, site->after);
      AddRole(c, Param(c), ByMap(Param(c), Param(other), map));
      const bool is_body =
          absl::StripPrefix(site->before.instruction->Attribute("body"), "%") == c.name;
      if (is_body) AddRole(c, Root(c), ByMap(Root(c), Root(other), map));
    } else {
      if (kind == "conditional" && !other.Parameters().empty()) {
        AddRole(c, Param(c), ByMap(Param(c), Param(other), BranchMap(c)));
      } else {
        AddParameters(c);
      }
      AddRole(c, Root(c), InOrder(Root(c), Root(other)));
    }
    for (const Instruction& i : c.instructions) AddOperandRoles(c, i);
  }

  static const Instruction& Param(const Computation& c) {
    return c.instructions[static_cast<size_t>(c.Parameters()[0])];
  }

  void AddParameters(const Computation& c) {
    for (int place : c.Parameters()) {
      const Instruction& p = c.instructions[static_cast<size_t>(place)];
      LeafShardings leaves;
      bool some = false;
      for (const Path& path : TupleLeaves(p.shape)) {
        const PlacedValue* to = m_.OfParameter({{&c, &p}, path});
        some |= to != nullptr;
        const auto found = to == nullptr ? std::nullopt : LeafOf(*to->place.instruction, to->path);
        leaves.emplace_back(path, found.value_or(""));
      }
      if (!some) continue;
      if (IsTuple(p) && SomeSharding(leaves)) {
        for (auto& [path, sharding] : leaves) {
          if (sharding.empty()) sharding = kReplicated;
        }
      }
      AddRole(c, p, std::move(leaves));
    }
  }

  void AddOperandRoles(const Computation& c, const Instruction& i) {
    if (i.opcode != "while" && i.opcode != "conditional" && i.opcode != "opt-barrier") return;
    const std::vector<const Computation*> partners = m_.Partners(c);
    for (const Place& y : m_.Of({&c, &i})) {
      if (std::count(partners.begin(), partners.end(), y.computation) == 0) continue;
      const auto operand = [&](const Computation& of, const Instruction& user, size_t k) {
        return of.Get(user.operands[k]);
      };
      const Instruction& after = *y.instruction;
      if (i.opcode == "conditional") {
        const std::vector<string_view> names = Branches(i);
        for (size_t k = 1; k < i.operands.size() && k <= names.size(); ++k) {
          const Instruction* x = operand(c, i, k);
          const Computation* branch = before_.Get(names[k - 1]);
          if (branch == nullptr || k >= after.operands.size()) continue;
          AddRole(c, *x, ByMap(*x, *operand(*y.computation, after, k), BranchMap(*branch)));
        }
        return;
      }
      const Instruction& x = *operand(c, i, 0);
      const Instruction& packed = *operand(*y.computation, after, 0);
      AddRole(c, x, i.opcode == "while" ? ByMap(x, packed, LoopMap(c, i, y)) : InOrder(x, packed));
      return;
    }
  }

  void AddRole(const Computation&, const Instruction& i, LeafShardings leaves) {
    if (i.opcode != "tuple" && i.opcode != "parameter") return;
    const auto [it, is_new] = roles_.emplace(i.name, leaves);
    if (!is_new && it->second != leaves) it->second = std::nullopt;
  }

  // --- elements --------------------------------------------------------------------------------

  void AddElement(const Computation& c, const Instruction& element, Rows* rows) {
    const Instruction* base = &element;
    Path path;
    while (base != nullptr && base->opcode == "get-tuple-element") {
      int index = 0;
      if (!absl::SimpleAtoi(base->Attribute("index"), &index)) return;
      path.insert(path.begin(), index);
      base = c.Get(base->operands[0]);
    }
    if (base == nullptr || base->opcode == "tuple") return;
    LeafShardings leaves;
    bool known = false;
    for (const Path& below : TupleLeaves(element.shape)) {
      Path whole = path;
      whole.insert(whole.end(), below.begin(), below.end());
      const std::optional<std::string> leaf = ElementLeaf(c, *base, whole);
      known |= leaf.has_value();
      leaves.emplace_back(below, leaf.value_or(IsTuple(element) ? kReplicated : ""));
    }
    if (!known) return;
    Put(element, std::move(leaves), rows);
  }

  // The sharding of a leaf as a value of its own; nothing if there is no such value any more.
  std::optional<std::string> ElementLeaf(const Computation& c, const Instruction& i,
                                         const Path& path) {
    if (IsBoundaryTarget(i.target())) {
      const Place* to = m_.Conversion({&c, &i}, path[0]);
      if (to == nullptr) return std::nullopt;
      return std::string(to->instruction->sharding());
    }
    if (i.opcode == "parameter") {
      if (const PlacedValue* to = m_.OfParameter({{&c, &i}, path})) {
        return AsValue(to->place, to->path);
      }
      const Place* moved = m_.MovedConstant({{&c, &i}, path});
      if (moved == nullptr) return std::nullopt;
      return std::string(moved->instruction->sharding());
    }
    const std::vector<Place> local = Local(c, i);
    if (local.empty()) return std::nullopt;
    if (i.opcode == "while") {
      const PathMap map = LoopMap(c, i, local[0]);
      const auto to = map.find(path);
      return to == map.end() ? std::nullopt : AsValue(local[0], to->second);
    }
    const std::vector<Path> ours = TupleLeaves(i.shape);
    const std::vector<Path> theirs = TupleLeaves(local[0].instruction->shape);
    const auto at = std::find(ours.begin(), ours.end(), path);
    if (ours.size() != theirs.size() || at == ours.end()) return std::nullopt;
    return AsValue(local[0], theirs[static_cast<size_t>(at - ours.begin())]);
  }

  // A leaf after the pass: what its get-tuple-elements have, if they agree.
  static std::optional<std::string> AsValue(const Place& place, const Path& path) {
    if (path.empty()) return std::string(place.instruction->sharding());
    std::set<std::string> found;
    for (const Instruction& i : place.computation->instructions) {
      int index = -1;
      if (i.opcode != "get-tuple-element" || i.operands[0] != place.instruction->name) continue;
      if (absl::SimpleAtoi(i.Attribute("index"), &index) && index == path[0]) {
        found.insert(std::string(i.sharding()));
      }
    }
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
  }

  // --- inserted --------------------------------------------------------------------------------

  // What stands between a user and its value after the pass but not before it. What lies behind a
  // copy of the source is listed once, for that copy.
  void AddInserted(const Computation& c, Rows* rows) {
    std::map<std::string, const Edge*> listed;  // the first edge that leads through the copy
    for (const auto& [key, edges] : m_.edges()) {
      if (std::get<0>(key) != &c) continue;
      const Edge& e = edges[0];
      std::map<size_t, size_t> own;
      for (const auto& [i, j] : PairCopies(e.before.passed, e.after.passed)) own[j] = i;
      size_t place = 0;  // copies of the source passed so far
      for (size_t j = 0; j < e.after.passed.size(); ++j) {
        const Instruction& y = *e.after.passed[j].instruction;
        if (own.count(j) > 0) {
          place = own[j] + 1;
          continue;
        }
        const bool is_copy = y.opcode == "copy";
        if (!is_copy && y.target() != kShardToFull) continue;
        const Value& value =
            place < e.before.passed.size() ? e.before.passed[place] : e.before.value;
        const std::string user = place == 0
                                     ? std::string(e.user)
                                     : std::string(e.before.passed[place - 1].instruction->name);
        const Leaf leaf = {std::string(value.instruction->name), value.path};
        const std::string sharding(y.sharding());
        const std::string kind = is_copy ? "copy" : "convert";
        if (place > 0 && listed.emplace(user, &e).first->second != &e) continue;
        rows->inserted[user].push_back({leaf, kind, sharding});
      }
    }
  }

  const Dump& before_;
  const Dump& after_;
  const Matching m_;
  std::map<Place, Place> copies_;
  std::map<std::pair<Place, Place>, std::set<std::string>> users_;
  std::set<Place> dropped_;
  std::map<string_view, std::optional<LeafShardings>> roles_;
};

}  // namespace

Derived DeriveTable(const Dump& before, const Dump& after) {
  if (!before.readable() || !after.readable()) return {{}, {"a module without an entry"}};
  return Deriver(before, after).Run();
}

}  // namespace tessera::testing::pairs
