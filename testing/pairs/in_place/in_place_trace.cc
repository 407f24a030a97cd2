// What names and values of an in-place computation stand for: after tuples that a line takes
// apart, consumed calls, copies and conversions that were inserted, and clones.

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

string_view PopElement(const Instruction& tuple, Path& path) {
  const size_t index = path.front();
  path.erase(path.begin());
  return index < tuple.operands.size() ? tuple.operands[index] : string_view();
}

}  // namespace

// What an element of a tuple that a line takes apart stands for; empty for any other instruction.
string_view InPlaceComputation::ElementSource(const Computation& c, const Instruction& i) const {
  const Instruction* source = i.opcode == "get-tuple-element" ? c.Get(i.operands[0]) : nullptr;
  if (source == nullptr || source->opcode != "tuple") return {};
  const Instruction* known = old_.Get(source->name);
  if (known != nullptr && IsBoundaryTarget(known->target())) return {};
  size_t index = 0;
  if (!absl::SimpleAtoi(i.Attribute("index"), &index)) return {};
  return index < source->operands.size() ? source->operands[index] : string_view();
}

std::string InPlaceComputation::OldName(string_view name) const {
  while (const Instruction* i = old_.Get(name)) {
    const string_view packed = ElementSource(old_, *i);
    if (packed.empty() && !IsConsumed(name)) break;
    name = packed.empty() ? i->operands[0] : packed;
  }
  return std::string(name);
}

std::string InPlaceComputation::NewName(string_view name) const {
  while (const Instruction* i = new_.Get(name)) {
    const auto clone = clones_.find(name);
    if (clone != clones_.end()) return std::string(clone->second);
    const string_view packed = ElementSource(new_, *i);
    if (!packed.empty()) {
      name = packed;
      continue;
    }
    if (old_.Get(name) != nullptr && !IsConsumed(name)) break;
    const bool passes_on = i->opcode == "copy" || i->opcode == "custom-call" || CarriesPadding(*i);
    if (i->operands.empty() || !passes_on) break;
    name = ConversionSource(*i);
  }
  return std::string(name);
}

string_view InPlaceComputation::ConversionSource(const Instruction& i) const {
  if (i.target() != kShardToFull || old_.Get(i.name) != nullptr) return i.operands[0];
  const Instruction* seen = &i;
  while (!seen->operands.empty() && seen->target() != kFullToShard) {
    const Instruction* next = new_.Get(seen->operands[0]);
    if (next == nullptr) return seen->operands[0];
    if (old_.Get(next->name) != nullptr) return next->name;
    seen = next;
  }
  return seen->operands.empty() ? i.operands[0] : seen->operands[0];
}

Leaf InPlaceComputation::TraceOld(string_view name, Path path) const {
  while (const Instruction* i = old_.Get(name)) {
    if (i->opcode == "tuple" && !path.empty()) {
      name = PopElement(*i, path);
    } else if (i->opcode == "get-tuple-element") {
      path.insert(path.begin(), i->element());
      name = i->operands[0];
    } else if (IsConsumed(name) && !i->operands.empty()) {
      name = i->operands[0];
    } else {
      break;
    }
  }
  return {std::string(name), path};
}

InPlaceComputation::Traced InPlaceComputation::TraceNew(string_view name, Path path) {
  Traced traced;
  const auto done = [&](string_view value, string_view copy) {
    for (Insertion& insertion : traced.inserted) insertion.value = {std::string(value), path};
    traced.value = {std::string(value), path};
    traced.copy = copy;
    return traced;
  };
  while (const Instruction* i = new_.Get(name)) {
    const Instruction* x = old_.Get(name);
    used_.insert(i->name);
    if (x != nullptr && IsBoundaryTarget(x->target())) return done(name, name);
    if (i->opcode == "tuple" && !path.empty()) {
      name = PopElement(*i, path);
    } else if (i->opcode == "get-tuple-element") {
      path.insert(path.begin(), i->element());
      name = i->operands[0];
    } else if (x != nullptr) {
      return done(name, name);
    } else if (const auto clone = clones_.find(name); clone != clones_.end()) {
      return done(clone->second, name);
    } else if (i->opcode == "copy") {
      traced.inserted.push_back({{}, "copy", std::string(i->sharding())});
      name = i->operands[0];
    } else if (i->target() == kShardToFull) {
      traced.inserted.push_back({{}, "convert", std::string(i->sharding())});
      name = ConversionSource(*i);
    } else if (CarriesPadding(*i)) {
      name = i->operands[0];
    } else {
      break;
    }
  }
  return done(name, name);
}

// The operand of the conversion that stands for value `leaf` of a manual boundary; empty if it is
// wrong.
string_view InPlaceComputation::BoundaryOperand(const Instruction& x, size_t leaf) {
  const std::vector<Path> leaves = TupleLeaves(x.shape);
  if (leaf >= leaves.size()) return {};
  Path path = leaves[leaf];
  const Instruction* i = new_.Get(x.name);
  while (!path.empty() && i != nullptr && i->opcode == "tuple") {
    i = new_.Get(PopElement(*i, path));
    if (i != nullptr) used_.insert(i->name);
  }
  if (i != nullptr && IsToken(x.shape, leaves[leaf])) return i->name;
  const std::string about = ToString({std::string(x.name), leaves[leaf]});
  const string_view wanted = ConversionOf(x.target());
  if (i == nullptr || i->target() != wanted) {
    Differ("text", absl::StrCat(about, ": expected ", wanted));
    return {};
  }
  if (rows_ == nullptr) return i->operands[0];
  const auto rows = rows_->shardings.find(std::string(x.name));
  if (rows == rows_->shardings.end()) return i->operands[0];
  for (const auto& [known, sharding] : rows->second) {
    if (known != leaves[leaf] || spellings_.Same(sharding, i->sharding())) continue;
    Differ("sharding", absl::StrCat(about, ": expected ", sharding, ", actual ", i->sharding()));
  }
  return i->operands[0];
}

}  // namespace tessera::testing::pairs
