#include "tessera/testing/pairs/in_place/in_place_computation.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

// `name` without `.clone` or `.clone.N` at its end.
string_view WithoutCloneSuffix(string_view name) {
  const size_t at = name.rfind(".clone");
  if (at == string_view::npos) return name;
  string_view rest = name.substr(at + 6);
  int number = 0;
  if (rest.empty() || (absl::ConsumePrefix(&rest, ".") && absl::SimpleAtoi(rest, &number))) {
    return name.substr(0, at);
  }
  return name;
}

}  // namespace

void InPlaceComputation::Run() {
  for (const Instruction& i : old_.instructions) {
    const bool only_token = IsBoundaryTarget(i.target()) && i.shape == "token[]";
    if (only_token || IsConsumedTarget(i.target())) consumed_.insert(i.name);
  }
  if (!SameInstructions()) return;
  FindClones();
  CompareText();
  CompareWiring();
  if (rows_ != nullptr) CompareShardings();
}

void InPlaceComputation::Differ(string_view kind, const std::string& text) {
  differences_.push_back(absl::StrCat(kind, ": ", old_.name, "/", text));
}

bool InPlaceComputation::SameInstructions() {
  std::vector<string_view> expected, found;
  for (const Instruction& i : old_.instructions) {
    if (IsConsumed(i.name)) {
      if (new_.Get(i.name) != nullptr) Differ("not removed", std::string(i.name));
    } else if (HasLine(i)) {
      expected.push_back(i.name);
      if (new_.Get(i.name) == nullptr) Differ("missing", std::string(i.name));
    }
  }
  for (const Instruction& i : new_.instructions) {
    if (HasLine(i) && old_.Get(i.name) != nullptr && !IsConsumed(i.name)) found.push_back(i.name);
  }
  if (expected == found) return true;
  if (expected.size() == found.size()) Differ("order", "instructions");
  return expected.size() == found.size();
}

void InPlaceComputation::FindClones() {
  for (const Instruction& i : new_.instructions) {
    const string_view base = WithoutCloneSuffix(i.name);
    if (base == i.name || old_.Get(i.name) != nullptr) continue;
    if (const Instruction* original = old_.Get(base)) clones_[i.name] = original->name;
  }
}

}  // namespace tessera::testing::pairs
