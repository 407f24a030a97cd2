// Split constants of an in-place computation: there must be one clone for each sharding of the
// table, and each user must read the one with its sharding.

#include "absl/strings/str_cat.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"

namespace tessera::testing::pairs {

using Names = std::set<std::string>;

void InPlaceComputation::CompareClones() {
  for (const auto& [name, copies] : rows_->copies) {
    if (SamePresent(name, copies)) CompareReaders(name, copies);
  }
}

bool InPlaceComputation::SamePresent(const std::string& name,
                                     const std::vector<SplitConstant>& copies) {
  Names named, present;
  for (const SplitConstant& copy : copies) named.insert(spellings_.Canonical(copy.sharding));
  present.insert(spellings_.Canonical(new_.Get(name)->sharding()));
  for (const auto& [clone, base] : clones_) {
    if (base == name) present.insert(spellings_.Canonical(new_.Get(clone)->sharding()));
  }
  for (const std::string& s : named) {
    if (present.count(s) == 0) Differ("missing clone", absl::StrCat(name, " with ", s));
  }
  for (const std::string& s : present) {
    if (named.count(s) == 0) Differ("unexpected", absl::StrCat(name, ": a clone with ", s));
  }
  return named == present;
}

void InPlaceComputation::CompareReaders(const std::string& name,
                                        const std::vector<SplitConstant>& copies) {
  Names users;
  std::set<std::pair<std::string, std::string>> wanted, got;  // (sharding, user)
  for (const SplitConstant& copy : copies) {
    const std::string sharding = spellings_.Canonical(copy.sharding);
    for (const std::string& user : copy.users) wanted.emplace(sharding, user);
    users.insert(copy.users.begin(), copy.users.end());
  }
  for (const auto& [user, copy] : uses_[name]) {
    if (users.count(user) > 0) got.emplace(spellings_.Canonical(new_.Get(copy)->sharding()), user);
  }
  for (const auto& [s, user] : wanted) {
    if (got.count({s, user}) > 0) continue;
    Differ("missing clone", absl::StrCat(user, " must use ", name, " with ", s));
  }
  for (const auto& [s, user] : got) {
    if (wanted.count({s, user}) > 0) continue;
    Differ("unexpected", absl::StrCat(user, " uses ", name, " with ", s));
  }
}

}  // namespace tessera::testing::pairs
