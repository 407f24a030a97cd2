#include "tessera/testing/pairs/in_place/roles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "tessera/testing/pairs/called.h"
#include "tessera/testing/pairs/table/leaf_shardings.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

const Instruction& FirstParameter(const Computation& c) {
  return c.instructions[static_cast<size_t>(c.Parameters()[0])];
}

// A leaf without sharding beside leaves with one.
void FillGaps(LeafShardings* leaves) {
  if (!SomeSharding(*leaves)) return;
  for (auto& [path, sharding] : *leaves) {
    if (sharding.empty()) sharding = kReplicated;
  }
}

class RoleFinder {
 public:
  RoleFinder(const Derivation& derivation, const Computation& c) : d_(derivation), c_(c) {}

  Roles Find() {
    const CallSite* site = d_.m.SiteOf(c_);
    if (site != nullptr && site->before.instruction->opcode == "while") {
      AddLoopRegion(*site);
    } else {
      AddRegion(site);
    }
    for (const Instruction& i : c_.instructions) AddOperands(i);
    return std::move(roles_);
  }

 private:
  const Computation& Other() const { return *d_.m.Partners(c_)[0]; }

  void Add(const Instruction& i, LeafShardings leaves) {
    if (i.opcode != "tuple" && i.opcode != "parameter") return;
    const auto [it, is_new] = roles_.emplace(i.name, leaves);
    if (!is_new && it->second != leaves) it->second = std::nullopt;
  }

  void AddLoopRegion(const CallSite& site) {
    const Instruction& loop = *site.before.instruction;
    const PathMap map = d_.packed.Loop(*site.before.computation, loop, site.after);
    Add(FirstParameter(c_), ByMap(FirstParameter(c_), FirstParameter(Other()), map));
    const bool is_body = absl::StripPrefix(loop.Attribute("body"), "%") == c_.name;
    if (is_body) Add(c_.Root(), ByMap(c_.Root(), Other().Root(), map));
  }

  void AddRegion(const CallSite* site) {
    const bool is_branch = site != nullptr && site->before.instruction->opcode == "conditional";
    if (is_branch && !Other().Parameters().empty()) {
      const Instruction& p = FirstParameter(c_);
      Add(p, ByMap(p, FirstParameter(Other()), d_.packed.Branch(c_)));
    } else {
      for (int place : c_.Parameters()) AddParameter(c_.instructions[static_cast<size_t>(place)]);
    }
    Add(c_.Root(), InOrder(c_.Root(), Other().Root()));
  }

  void AddParameter(const Instruction& p) {
    LeafShardings leaves;
    bool some = false;
    for (const Path& path : TupleLeaves(p.shape)) {
      const PlacedValue* to = d_.m.OfParameter({{&c_, &p}, path});
      some |= to != nullptr;
      const auto found = to == nullptr ? std::nullopt : LeafOf(*to->place.instruction, to->path);
      leaves.emplace_back(path, found.value_or(""));
    }
    if (!some) return;
    if (IsTuple(p)) FillGaps(&leaves);
    Add(p, std::move(leaves));
  }

  void AddOperands(const Instruction& i) {
    if (i.opcode != "while" && i.opcode != "conditional" && i.opcode != "opt-barrier") return;
    const std::vector<const Computation*> partners = d_.m.Partners(c_);
    for (const Place& y : d_.m.Of({&c_, &i})) {
      if (std::count(partners.begin(), partners.end(), y.computation) == 0) continue;
      return i.opcode == "conditional" ? AddBranchOperands(i, y) : AddPacked(i, y);
    }
  }

  void AddBranchOperands(const Instruction& i, const Place& y) {
    const std::vector<string_view> names = CalledComputations(i);
    const std::vector<string_view>& after = y.instruction->operands;
    for (size_t k = 1; k < i.operands.size() && k <= names.size(); ++k) {
      const Computation* branch = d_.before.Get(names[k - 1]);
      if (branch == nullptr || k >= after.size()) continue;
      const Instruction& x = *c_.Get(i.operands[k]);
      const Instruction& packed = *y.computation->Get(after[k]);
      // An element that is named in place: its tuple says this of leaves without a sharding, too.
      if (!HasLine(packed) && packed.sharding() == kReplicated) continue;
      Add(x, ByMap(x, packed, d_.packed.Branch(*branch)));
    }
  }

  void AddPacked(const Instruction& i, const Place& y) {
    const Instruction& x = *c_.Get(i.operands[0]);
    const Instruction& packed = *y.computation->Get(y.instruction->operands[0]);
    Add(x, i.opcode == "while" ? ByMap(x, packed, d_.packed.Loop(c_, i, y)) : InOrder(x, packed));
  }

  const Derivation& d_;
  const Computation& c_;
  Roles roles_;
};

}  // namespace

Roles FindRoles(const Derivation& derivation, const Computation& c) {
  return RoleFinder(derivation, c).Find();
}

}  // namespace tessera::testing::pairs
