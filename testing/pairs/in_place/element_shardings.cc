#include "tessera/testing/pairs/in_place/element_shardings.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tessera/testing/pairs/markers.h"
#include "tessera/testing/pairs/table/leaf_shardings.h"

namespace tessera::testing::pairs {
namespace {

using MaybeSharding = std::optional<std::string>;

// The instruction that makes the tuple, and the path of the element in it.
Value BaseOf(const Computation& c, const Instruction& element) {
  Value base = {&element, {}};
  while (base.instruction != nullptr && base.instruction->opcode == "get-tuple-element") {
    base.path.insert(base.path.begin(), base.instruction->element());
    base.instruction = c.Get(base.instruction->operands[0]);
  }
  return base;
}

MaybeSharding ShardingAt(const Place* place) {
  if (place == nullptr) return std::nullopt;
  return std::string(place->instruction->sharding());
}

std::vector<const Instruction*> ElementsOf(const Computation& c,
                                           const std::vector<const Instruction*>& tuples,
                                           int element) {
  std::vector<const Instruction*> found;
  for (const Instruction* tuple : tuples) {
    for (const Instruction& i : c.instructions) {
      if (i.opcode != "get-tuple-element" || i.operands[0] != tuple->name) continue;
      if (i.element() == element) found.push_back(&i);
    }
  }
  return found;
}

// A leaf after the pass: what its get-tuple-elements have, if they agree. Of nested tuples (infeed)
// the outer element says it, if it has a sharding; `depth` elements lead to the leaf in the source.
MaybeSharding AsValue(const Place& place, const Path& path, size_t depth) {
  if (path.empty()) return ShardingAt(&place);
  std::vector<const Instruction*> found = {place.instruction};
  std::set<std::string> kinds;
  const auto some = [&] { return kinds.size() > 1 || (!kinds.empty() && !kinds.begin()->empty()); };
  for (size_t step = 0; step < path.size() && step < depth && !some(); ++step) {
    found = ElementsOf(*place.computation, found, path[step]);
    const Path rest(path.begin() + static_cast<std::ptrdiff_t>(step) + 1, path.end());
    kinds.clear();
    for (const Instruction* i : found) kinds.insert(LeafOf(*i, rest).value_or(""));
  }
  return kinds.size() == 1 ? std::optional(*kinds.begin()) : std::nullopt;
}

MaybeSharding OfParameter(const Derivation& d, const PlacedValue& leaf, size_t depth) {
  if (const PlacedValue* to = d.m.OfParameter(leaf)) return AsValue(to->place, to->path, depth);
  return ShardingAt(d.m.MovedConstant(leaf));
}

MaybeSharding OfLoop(const Derivation& d, const PlacedValue& leaf, const Place& after,
                     size_t depth) {
  const PathMap map = d.packed.Loop(*leaf.place.computation, *leaf.place.instruction, after);
  const auto to = map.find(leaf.path);
  return to == map.end() ? std::nullopt : AsValue(after, to->second, depth);
}

MaybeSharding InOrder(const PlacedValue& leaf, const Place& after, size_t depth) {
  const std::vector<Path> ours = TupleLeaves(leaf.place.instruction->shape);
  const std::vector<Path> theirs = TupleLeaves(after.instruction->shape);
  const auto at = std::find(ours.begin(), ours.end(), leaf.path);
  if (ours.size() != theirs.size() || at == ours.end()) return std::nullopt;
  return AsValue(after, theirs[static_cast<size_t>(at - ours.begin())], depth);
}

// The sharding of a leaf as a value of its own; nothing if there is no such value any more.
MaybeSharding LeafSharding(const Derivation& d, const PlacedValue& leaf, size_t depth) {
  const Instruction& i = *leaf.place.instruction;
  if (IsBoundaryTarget(i.target())) return ShardingAt(d.m.Conversion(leaf.place, leaf.path[0]));
  if (i.opcode == "parameter") return OfParameter(d, leaf, depth);
  const std::vector<Place> local = d.became.Local(*leaf.place.computation, i);
  if (local.empty()) return std::nullopt;
  return i.opcode == "while" ? OfLoop(d, leaf, local[0], depth) : InOrder(leaf, local[0], depth);
}

}  // namespace

std::optional<LeafShardings> ElementShardings(const Derivation& derivation, const Computation& c,
                                              const Instruction& element) {
  const Value base = BaseOf(c, element);
  if (base.instruction == nullptr || base.instruction->opcode == "tuple") return std::nullopt;
  LeafShardings leaves;
  bool known = false;
  for (const Path& below : TupleLeaves(element.shape)) {
    Path whole = base.path;
    whole.insert(whole.end(), below.begin(), below.end());
    const MaybeSharding leaf =
        LeafSharding(derivation, {{&c, base.instruction}, whole}, base.path.size());
    known |= leaf.has_value();
    leaves.emplace_back(below, leaf.value_or(IsTuple(element) ? kReplicated : ""));
  }
  return known ? std::optional(std::move(leaves)) : std::nullopt;
}

}  // namespace tessera::testing::pairs
