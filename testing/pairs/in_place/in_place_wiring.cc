// The second step of in_place.cc: what lies between users and values.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kRoot = "ROOT";  // the user of what a computation returns

}  // namespace

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
  SettleMisplaced();
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
    if (n != 0) misplaced_.push_back({std::string(user), value, kind, sharding, n});
  }
}

// Two equal copies in a row, one of which is in the text: y -> copy -> x -> user, where y -> x ->
// copy -> user is expected, is the same.
bool InPlaceComputation::StandsBeside(const Misplaced& unexpected, const Misplaced& missing) const {
  const Instruction* x = new_.Get(missing.user);
  return unexpected.missing == -1 && missing.missing == 1 && unexpected.value == missing.user &&
         unexpected.kind == "copy" && missing.kind == "copy" &&
         unexpected.sharding == missing.sharding && x != nullptr && x->opcode == "copy" &&
         spellings_.Canonical(x->sharding()) == missing.sharding;
}

void InPlaceComputation::SettleMisplaced() {
  for (Misplaced& unexpected : misplaced_) {
    const auto missing =
        std::find_if(misplaced_.begin(), misplaced_.end(),
                     [&](const Misplaced& other) { return StandsBeside(unexpected, other); });
    if (missing != misplaced_.end()) unexpected.missing = missing->missing = 0;
  }
  for (const Misplaced& m : misplaced_) {
    if (m.missing == 0) continue;
    Differ(m.missing > 0 ? "missing copy" : "unexpected",
           absl::StrCat(m.user, ": ", std::abs(m.missing), " ", m.kind, " of ", m.value, " to ",
                        m.sharding.substr(0, 120)));
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

}  // namespace tessera::testing::pairs
