#include "tessera/testing/pairs/in_place_computation.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/line_text.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kBody = "xla.sdy.manual_computation_body";
constexpr string_view kInlinableBody = "xla.sdy.inlinable_manual_computation_body";

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

// Without the frontend attributes, which a constraint's copy may keep or lose.
std::string WithoutFrontend(const std::string& line) {
  constexpr string_view kMarker = ", frontend_attributes={";
  const size_t start = line.find(kMarker.data(), 0, kMarker.size());
  if (start == std::string::npos) return line;
  const size_t end = std::min(ClosingIndex(line, start + kMarker.size() - 1), line.size());
  return line.substr(0, start) + line.substr(end);
}

}  // namespace

void InPlaceComputation::Run() {
  for (const Instruction& i : old_.instructions) {
    if (IsConsumedTarget(i.target())) consumed_.insert(i.name);
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
    } else {
      expected.push_back(i.name);
      if (new_.Get(i.name) == nullptr) Differ("missing", std::string(i.name));
    }
  }
  for (const Instruction& i : new_.instructions) {
    if (old_.Get(i.name) != nullptr && !IsConsumed(i.name)) found.push_back(i.name);
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

// --- text
// ------------------------------------------------------------------------------------------

// What an element of a tuple that a line takes apart stands for; empty for any other instruction.
string_view InPlaceComputation::BehindTuple(const Computation& c, const Instruction& i) const {
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
    const string_view packed = BehindTuple(old_, *i);
    if (packed.empty() && !IsConsumed(name)) break;
    name = packed.empty() ? i->operands[0] : packed;
  }
  return std::string(name);
}

std::string InPlaceComputation::NewName(string_view name) const {
  while (const Instruction* i = new_.Get(name)) {
    const auto clone = clones_.find(name);
    if (clone != clones_.end()) return std::string(clone->second);
    const string_view packed = BehindTuple(new_, *i);
    if (!packed.empty()) {
      name = packed;
      continue;
    }
    if (old_.Get(name) != nullptr && !IsConsumed(name)) break;
    if (i->operands.empty() || (i->opcode != "copy" && i->opcode != "custom-call")) break;
    name = BehindConversion(*i);
  }
  return std::string(name);
}

string_view InPlaceComputation::BehindConversion(const Instruction& i) const {
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

std::string InPlaceComputation::Plain(string_view line, bool is_call, bool is_old) const {
  const std::string bare = StripShardings(line, is_call ? "inlineable" : "").line;
  string_view text = absl::StripLeadingAsciiWhitespace(bare);
  absl::ConsumePrefix(&text, "ROOT ");
  const size_t equal = text.find(" = ");
  std::string tail = RenameAll(
      text.substr(equal), [&](string_view name) { return is_old ? OldName(name) : NewName(name); });
  if (is_call) tail = absl::StrReplaceAll(tail, {{kInlinableBody, kBody}});
  return absl::StrCat(text.substr(0, equal), tail);
}

void InPlaceComputation::CompareText() {
  for (const Instruction& y : new_.instructions) {
    if (absl::StrContains(y.line, "xla.sdy.")) {
      const BareLine bare = StripShardings(y.line);
      if (!bare.leftovers.empty())
        Differ("leftover", absl::StrCat(y.name, ": ", bare.leftovers[0]));
    }
    const auto clone = clones_.find(y.name);
    const Instruction* x = old_.Get(clone == clones_.end() ? y.name : clone->second);
    if (x != nullptr) {
      if (x->line != y.line && !IsConsumed(y.name)) CompareLine(*x, y);
      continue;
    }
    const bool known = y.opcode == "copy" || y.opcode == "tuple" || y.opcode == "call" ||
                       y.opcode == "get-tuple-element" || IsBoundaryTarget(y.target());
    if (!known) Differ("unexpected", absl::StrCat(y.name, ": new ", y.opcode));
  }
}

void InPlaceComputation::CompareLine(const Instruction& x, const Instruction& y) {
  if (IsBoundaryTarget(x.target())) return CompareBoundary(x, y);
  const bool constraint = x.target() == kShardingTarget;
  const bool is_call = x.opcode == "call";
  const std::string expected =
      constraint ? Plain(ConstraintCopyLine(x), false, true) : Plain(x.line, is_call, true);
  std::string actual = Plain(y.line, is_call, false);
  if (clones_.contains(y.name)) {
    const size_t at = actual.find(y.name.data(), 0, y.name.size());
    if (at != std::string::npos) actual.replace(at, y.name.size(), x.name.data(), x.name.size());
  }
  if (expected == actual || (constraint && expected == WithoutFrontend(actual))) return;
  Differ("text", absl::StrCat(y.name, ": expected ", expected.substr(0, 200), ", actual ",
                              actual.substr(0, 200)));
}

void InPlaceComputation::CompareBoundary(const Instruction& x, const Instruction& y) {
  const string_view wanted = ConversionOf(x.target());
  if (y.opcode != "tuple" && y.target() != wanted) {
    Differ("text", absl::StrCat(y.name, ": expected ", wanted));
  } else if (y.Attribute("metadata") != x.Attribute("metadata") || y.shape != x.shape ||
             absl::EndsWith(y.line, " ")) {
    Differ("text", absl::StrCat(y.name, ": ", y.line.substr(0, 200)));
  }
}

// --- shardings
// -------------------------------------------------------------------------------------

void CompareLeaves(const std::string& about, const LeafShardings& expected, const Instruction& i,
                   Spellings& spellings, std::vector<std::string>& differences) {
  const auto differ = [&](const Path& path, string_view wanted, string_view got) {
    differences.push_back(absl::StrCat("sharding: ", ToString({about, path}), ": expected ",
                                       wanted.empty() ? "none" : wanted, ", actual ",
                                       got.empty() ? "none" : got));
  };
  const string_view sharding = i.sharding();
  const bool whole_none =
      expected.size() == 1 && expected[0].first.empty() && expected[0].second.empty();
  if (whole_none) {
    if (!sharding.empty()) differ({}, "", sharding);
    return;
  }
  const std::vector<Path> leaves = TupleLeaves(i.shape);
  std::vector<string_view> got(leaves.size(), sharding);
  if (!sharding.empty() && absl::StartsWith(i.shape, "(") && IsTupleSharding(sharding)) {
    got = SplitTopLevel(sharding.substr(1, sharding.size() - 2));
    if (got.size() != leaves.size())
      return differ({}, absl::StrCat(leaves.size(), " leaves"), sharding);
  }
  for (const auto& [path, wanted] : expected) {
    const auto leaf = std::find(leaves.begin(), leaves.end(), path);
    const string_view found = leaf == leaves.end() ? "" : got[leaf - leaves.begin()];
    if (!spellings.Same(wanted, found)) differ(path, wanted, found);
  }
}

void InPlaceComputation::CompareShardings() {
  for (const Instruction& x : old_.instructions) {
    const std::string name(x.name);
    if (IsConsumed(x.name) || rows_->unchecked.contains(name) || rows_->copies.count(name) > 0 ||
        IsBoundaryTarget(x.target())) {
      continue;
    }
    const Instruction& y = *new_.Get(x.name);
    const auto expected = rows_->shardings.find(name);
    if (expected != rows_->shardings.end()) {
      CompareLeaves(absl::StrCat(old_.name, "/", name), expected->second, y, spellings_,
                    differences_);
    } else if (x.is_root && x.opcode == "parameter") {
      continue;  // one row cannot say both what comes in and what goes out: the table has none
    } else if (x.opcode != "tuple" && x.opcode != "get-tuple-element" && !y.sharding().empty()) {
      Differ("sharding", absl::StrCat(name, ": expected none, actual ", y.sharding()));
    }
  }
}

}  // namespace tessera::testing::pairs
