// The first step of in_place.cc: line by line the same text, but for shardings.

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/in_place/in_place_computation.h"
#include "tessera/testing/pairs/in_place/line_text.h"
#include "tessera/testing/pairs/markers.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kBody = "xla.sdy.manual_computation_body";
constexpr string_view kInlinableBody = "xla.sdy.inlinable_manual_computation_body";

// Without the frontend attributes, which a constraint's copy may keep or lose.
std::string WithoutFrontend(const std::string& line) {
  constexpr string_view kMarker = ", frontend_attributes={";
  const size_t start = line.find(kMarker.data(), 0, kMarker.size());
  if (start == std::string::npos) return line;
  const size_t end = std::min(ClosingIndex(line, start + kMarker.size() - 1), line.size());
  return line.substr(0, start) + line.substr(end);
}

}  // namespace

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
                       y.opcode == "get-tuple-element" || IsBoundaryTarget(y.target()) ||
                       CarriesPadding(y) ||
                       (y.opcode == "constant" && absl::StrContains(y.shape, "[]"));
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

}  // namespace tessera::testing::pairs
