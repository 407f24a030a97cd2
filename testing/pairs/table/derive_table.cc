// Rows from a matching. An instruction shows the sharding of what it became, leaf by leaf. Where
// the pass packs anew, leaf i of the source shows the sharding of the leaf that it became: loops,
// the operands of branches, borders of shard_maps, and the tuples and parameters around them. A
// leaf that is gone from a tuple with shardings is {replicated}.
//
// Copies after the pass are either copies and constraints of the source, which have the same
// op_name (without one: the copy nearest to the value), or were inserted.
//
// Cost: a few passes over instructions and edges for each computation. Tested by pairs_test.cc.

#include "tessera/testing/pairs/table/derive_table.h"

#include <map>
#include <set>
#include <utility>

#include "tessera/testing/pairs/effects.h"
#include "tessera/testing/pairs/in_place/element_shardings.h"
#include "tessera/testing/pairs/in_place/insertions.h"
#include "tessera/testing/pairs/in_place/roles.h"
#include "tessera/testing/pairs/markers.h"
#include "tessera/testing/pairs/table/derivation.h"
#include "tessera/testing/pairs/table/leaf_shardings.h"

namespace tessera::testing::pairs {
namespace {

class RowMaker {
 public:
  RowMaker(const Derivation& derivation, const Computation& c)
      : d_(derivation), c_(c), roles_(FindRoles(derivation, c)), live_(NeededByRoot(c)) {}

  Rows Make() {
    for (const Instruction& i : c_.instructions) {
      if (HasLine(i) && !IsConsumedTarget(i.target())) Add(i);
    }
    rows_.inserted = FindInsertions(d_, c_);
    return std::move(rows_);
  }

 private:
  void Put(const Instruction& i, LeafShardings leaves) {
    if (leaves.empty()) return;
    if (IsTuple(i) && !SomeSharding(leaves)) leaves = {{Path(), ""}};
    rows_.shardings[std::string(i.name)] = std::move(leaves);
  }

  void Add(const Instruction& i) {
    if (i.opcode == "get-tuple-element") {
      if (auto leaves = ElementShardings(d_, c_, i)) Put(i, *std::move(leaves));
    } else if (i.opcode == "tuple" || i.opcode == "parameter") {
      const auto role = roles_.find(i.name);
      if (role != roles_.end() && role->second.has_value()) Put(i, *role->second);
    } else if (IsBoundaryTarget(i.target())) {
      AddBorder(i);
    } else {
      AddOrdinary(i);
    }
  }

  void AddOrdinary(const Instruction& i) {
    const std::vector<Place> local = d_.became.Local(c_, i);
    if (local.empty()) {
      if (live_.contains(&i) || !d_.became.Of(c_, i).empty()) rows_.unchecked.emplace(i.name);
      return;
    }
    const Instruction& first = *local[0].instruction;
    if (TupleLeaves(i.shape).empty()) return Put(i, {{Path(), std::string(first.sharding())}});
    if (i.opcode == "while") return Put(i, ByMap(i, first, d_.packed.Loop(c_, i, local[0])));
    std::map<std::string, std::set<std::string>> kinds;  // sharding -> users
    for (const Place& y : local) {
      const std::set<std::string>& users = d_.became.Users({&c_, &i}, y);
      kinds[std::string(y.instruction->sharding())].insert(users.begin(), users.end());
    }
    if (kinds.size() == 1 || IsTuple(i)) return Put(i, InOrder(i, first));
    for (const auto& [sharding, users] : kinds) {
      rows_.copies[std::string(i.name)].push_back({sharding, {users.begin(), users.end()}});
    }
  }

  void AddBorder(const Instruction& i) {
    LeafShardings leaves;
    const std::vector<Path> paths = TupleLeaves(i.shape);
    for (size_t n = 0; n < paths.size(); ++n) {
      const Place* to = d_.m.Conversion({&c_, &i}, static_cast<int>(n));
      if (to != nullptr) leaves.emplace_back(paths[n], to->instruction->sharding());
    }
    if (!leaves.empty()) {
      rows_.shardings[std::string(i.name)] = std::move(leaves);
    } else if (live_.contains(&i)) {
      rows_.unchecked.emplace(i.name);
    }
  }

  const Derivation& d_;
  const Computation& c_;
  const Roles roles_;
  const absl::flat_hash_set<const Instruction*> live_;
  Rows rows_;
};

}  // namespace

Derived DeriveTable(const Dump& before, const Dump& after) {
  if (!before.readable() || !after.readable()) return {{}, {"a module without an entry"}};
  const Derivation d(before, after);
  Derived derived;
  derived.problems = d.m.problems();
  derived.table.results = InOrder(before.entry().Root(), after.entry().Root());
  for (const Computation& c : before.computations()) {
    if (d.m.Partners(c).empty()) continue;
    derived.table.computations[std::string(c.name)] = RowMaker(d, c).Make();
  }
  return derived;
}

}  // namespace tessera::testing::pairs
