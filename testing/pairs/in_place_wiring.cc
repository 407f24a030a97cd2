// The second step of in_place.cc: what lies between users and values.

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/in_place_computation.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kRoot = "ROOT";  // the user of what a computation returns

int ElementIndex(const Instruction& i) {
  int index = 0;
  return absl::SimpleAtoi(i.Attribute("index"), &index) ? index : 0;
}

string_view PopElement(const Instruction& tuple, Path& path) {
  const size_t index = path.front();
  path.erase(path.begin());
  return index < tuple.operands.size() ? tuple.operands[index] : string_view();
}

}  // namespace

Leaf InPlaceComputation::TraceOld(string_view name, Path path) const {
  while (const Instruction* i = old_.Get(name)) {
    if (i->opcode == "tuple" && !path.empty()) {
      name = PopElement(*i, path);
    } else if (i->opcode == "get-tuple-element") {
      path.insert(path.begin(), ElementIndex(*i));
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
      path.insert(path.begin(), ElementIndex(*i));
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
      name = BehindConversion(*i);
    } else {
      break;
    }
  }
  return done(name, name);
}

// Operand number and path of every leaf that a user takes.
std::vector<std::pair<int, Path>> InPlaceComputation::Slots(string_view user) const {
  std::vector<std::pair<int, Path>> slots;
  const auto add = [&](int k, string_view name) {
    const Instruction* operand = old_.Get(name);
    if (operand == nullptr) return;
    for (Path& path : TupleLeaves(operand->shape)) slots.emplace_back(k, std::move(path));
  };
  if (user == kRoot) {
    add(0, old_.instructions[old_.root].name);
    return slots;
  }
  const Instruction& i = *old_.Get(user);
  if (i.has_literal()) return slots;
  for (size_t k = 0; k < i.operands.size(); ++k) add(static_cast<int>(k), i.operands[k]);
  return slots;
}

void InPlaceComputation::CompareWiring() {
  for (const Instruction& i : old_.instructions) {
    if (i.opcode == "tuple" || i.opcode == "get-tuple-element" || IsConsumed(i.name)) continue;
    CompareUser(i.name, i.name);
  }
  for (const auto& [clone, base] : clones_) CompareUser(clone, base);
  CompareUser(kRoot, kRoot);
  CompareUnused();
  if (rows_ != nullptr) CompareClones();
}

void InPlaceComputation::CompareUser(string_view user, string_view base) {
  const Instruction* x = old_.Get(base);
  const Instruction* y = new_.Get(user);
  const bool boundary = x != nullptr && IsBoundaryTarget(x->target());
  if (x != nullptr && !boundary && x->operands.size() != y->operands.size()) {
    return Differ("operands", absl::StrCat(user, ": ", y->operands.size(), " operands"));
  }
  std::vector<Insertion> got;
  CompareUses(user, base, boundary, got);
  if (rows_ == nullptr || clones_.contains(user)) return;
  const std::string name(base);
  if (base == kRoot || rows_->shardings.contains(name) || rows_->copies.count(name) > 0) {
    CompareInserted(base, std::move(got));
  }
}

void InPlaceComputation::CompareUses(string_view user, string_view base, bool boundary,
                                     std::vector<Insertion>& got) {
  const auto operand = [](const Computation& c, string_view name, int k) {
    return name == kRoot ? c.instructions[c.root].name : c.Get(name)->operands[k];
  };
  size_t n = 0;
  for (auto& [k, path] : Slots(base)) {
    const Leaf wanted = TraceOld(operand(old_, base, k), path);
    string_view start;
    if (boundary) {
      start = BoundaryOperand(*old_.Get(base), n++);
      if (start.empty()) continue;
      path.clear();
    } else {
      start = operand(new_, user, k);
    }
    Traced traced = TraceNew(start, path);
    if (!(traced.value == wanted)) {
      Differ("operands", absl::StrCat(user, ": expected ", ToString(wanted), ", actual ",
                                      ToString(traced.value)));
    }
    for (Insertion& insertion : traced.inserted)
      got.push_back({wanted, insertion.kind, insertion.sharding});
    if (rows_ != nullptr && rows_->copies.count(traced.value.name) > 0) {
      uses_[traced.value.name].emplace(std::string(base), std::string(traced.copy));
    }
  }
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

void InPlaceComputation::CompareInserted(string_view user, std::vector<Insertion> got) {
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  const auto count = [&](const std::vector<Insertion>& insertions, int step) {
    for (const Insertion& i : insertions) {
      counts[{ToString(i.value), i.kind, spellings_.Canonical(i.sharding)}] += step;
    }
  };
  const auto wanted = rows_->inserted.find(std::string(user));
  if (wanted != rows_->inserted.end()) count(wanted->second, 1);
  count(got, -1);
  for (const auto& [key, n] : counts) {
    const auto& [value, kind, sharding] = key;
    if (n == 0) continue;
    Differ(n > 0 ? "missing copy" : "unexpected",
           absl::StrCat(user, ": ", n > 0 ? n : -n, " ", kind, " of ", value, " to ",
                        sharding.substr(0, 120)));
  }
}

void InPlaceComputation::CompareUnused() {
  for (const Instruction& i : new_.instructions) {
    if (old_.Get(i.name) == nullptr && !clones_.contains(i.name) && !used_.contains(i.name) &&
        i.opcode == "copy") {
      Differ("unexpected", absl::StrCat(i.name, ": a copy without use"));
    }
  }
}

void InPlaceComputation::CompareClones() {
  using Uses = std::set<std::pair<std::string, std::string>>;
  for (const auto& [name, copies] : rows_->copies) {
    std::set<std::string> named, present, users;
    Uses wanted, got;
    for (const SplitConstant& copy : copies) {
      const std::string sharding = spellings_.Canonical(copy.sharding);
      named.insert(sharding);
      for (const std::string& user : copy.users) wanted.emplace(sharding, user);
      users.insert(copy.users.begin(), copy.users.end());
    }
    present.insert(spellings_.Canonical(new_.Get(name)->sharding()));
    for (const auto& [clone, base] : clones_) {
      if (base == name) present.insert(spellings_.Canonical(new_.Get(clone)->sharding()));
    }
    for (const auto& [user, copy] : uses_[name]) {
      if (users.count(user) > 0)
        got.emplace(spellings_.Canonical(new_.Get(copy)->sharding()), user);
    }
    for (const std::string& s : named) {
      if (present.count(s) == 0) Differ("missing clone", absl::StrCat(name, " with ", s));
    }
    for (const std::string& s : present) {
      if (named.count(s) == 0) Differ("unexpected", absl::StrCat(name, ": a clone with ", s));
    }
    if (named != present) continue;
    for (const auto& [s, user] : wanted) {
      if (got.count({s, user}) == 0) {
        Differ("missing clone", absl::StrCat(user, " must use ", name, " with ", s));
      }
    }
    for (const auto& [s, user] : got) {
      if (wanted.count({s, user}) == 0) {
        Differ("unexpected", absl::StrCat(user, " uses ", name, " with ", s));
      }
    }
  }
}

}  // namespace tessera::testing::pairs
