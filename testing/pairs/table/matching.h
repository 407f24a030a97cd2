// Which values of a module after the pass stand for which values before.
//
//   Matching m(before, after);
//   m.Of({&c, &i});       // what instruction i of computation c became: some places
//   m.edges();            // for every operand leaf of every user: the value on both sides, and
//                         // what lies between user and value there
//   m.problems();         // empty if everything was found
//
// From the roots down: if two values stand for each other, so do their operands, leaf by leaf, and
// the computations that they call. Tuples that the pass packs anew (states of loops, operands of
// branches, borders of shard_maps) are matched by their elements, not by place.

#ifndef TESSERA_TESTING_PAIRS_TABLE_MATCHING_H_
#define TESSERA_TESTING_PAIRS_TABLE_MATCHING_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/loose_view.h"

namespace tessera::testing::pairs {

inline constexpr absl::string_view kResultUser = "ROOT";  // the user of what a computation returns

struct Place {
  const Computation* computation = nullptr;
  const Instruction* instruction = nullptr;
  friend bool operator==(const Place& a, const Place& b) {
    return a.instruction == b.instruction && a.computation == b.computation;
  }
  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.computation, a.instruction) < std::tie(b.computation, b.instruction);
  }
};

struct PlacedValue {
  Place place;
  Path path;
  friend bool operator<(const PlacedValue& a, const PlacedValue& b) {
    return std::tie(a.place, a.path) < std::tie(b.place, b.path);
  }
};

// One operand leaf of one user.
struct Edge {
  const Computation* computation = nullptr;  // before
  absl::string_view user;                    // before
  Traced before;
  Place user_after;  // no instruction for the result
  Traced after;
  bool captured = false;  // found through what a region captures
};

// An instruction that calls a pair of computations.
struct CallSite {
  Place before, after;
  size_t callee = 0;  // position among the computations that it names

  // Values of regions are captured one by one; a call that lost an operand is like that.
  bool CapturesByUse() const;
};

class Matching {
 public:
  Matching(const Dump& before, const Dump& after);

  const std::vector<Place>& Of(const Place& before) const;
  // Several edges for one leaf if its user became several, the first one first.
  const std::map<std::tuple<const Computation*, std::string, Path, int>, std::vector<Edge>>& edges()
      const {
    return edges_;
  }
  // What a leaf of a parameter became, or the constant that took its place in a region.
  const PlacedValue* OfParameter(const PlacedValue& leaf) const;
  const Place* MovedConstant(const PlacedValue& leaf) const;
  // The conversion of value `number` at a border of a shard_map.
  const Place* Conversion(const Place& border, int number) const;
  // Computations after the pass that stand for one before, and who calls them.
  std::vector<const Computation*> Partners(const Computation& before) const;
  const CallSite* SiteOf(const Computation& before) const;
  const LooseView& Before(const Computation& c) const { return *before_views_.at(&c); }
  const LooseView& After(const Computation& c) const { return *after_views_.at(&c); }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  using Pair = std::pair<const Computation*, const Computation*>;
  struct Item {
    Pair in;
    Value x, y;
  };

  void Differ(const Computation& c, const std::string& text);
  void Enter(const Computation* a, const Computation* b, const CallSite* site);
  void AddResults(Pair in, const CallSite* site);
  void Add(Pair in, absl::string_view user, const Place& user_after, const Path& slot,
           const std::vector<Traced>& left, const std::vector<Traced>& right,
           bool captured = false);
  void Visit(const Item& item);
  bool VisitMoved(const Item& item);
  void VisitParameter(const Item& item);
  void VisitBorder(const Item& item);
  void VisitInstruction(Pair in, const Instruction& x, const Instruction& y);
  void MatchOperands(Pair in, const Instruction& x, const Instruction& y);

  const Dump& before_;
  const Dump& after_;
  std::set<absl::string_view> boundaries_;
  std::map<const Computation*, std::unique_ptr<LooseView>> before_views_, after_views_;
  std::map<Place, std::vector<Place>> counterparts_;
  std::map<std::tuple<const Computation*, std::string, Path, int>, std::vector<Edge>> edges_;
  std::map<PlacedValue, PlacedValue> parameters_;
  std::map<PlacedValue, Place> moved_;
  std::map<std::pair<Place, int>, Place> conversions_;
  std::map<Pair, std::vector<CallSite>> sites_;
  std::vector<Pair> entered_;
  std::vector<Item> todo_;
  std::set<std::tuple<Pair, Value, Value>> seen_;
  std::set<std::tuple<Pair, const Instruction*, const Instruction*>> paired_;
  std::vector<std::string> problems_;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_TABLE_MATCHING_H_
