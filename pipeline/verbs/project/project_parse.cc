#include "tessera/pipeline/verbs/project/project_parse.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/projection/core/grid.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Axis;
using projection::AxisKind;
using projection::ZPoint;
using projection::ZRange;

// One side of START:END; empty text: `otherwise`.
bool ReadSide(absl::string_view text, int64_t otherwise, int64_t* value) {
  text = absl::StripAsciiWhitespace(text);
  *value = otherwise;
  return text.empty() || absl::SimpleAtoi(text, value);
}

std::string AxesText(const projection::Signature& s) {
  std::vector<std::string> names;
  for (const Axis& axis : s.axes) {
    const bool can = axis.kind == AxisKind::kParallel || axis.kind == AxisKind::kReduction;
    if (can) names.push_back(absl::StrCat(axis.name, " (", axis.extent, ")"));
  }
  return names.empty() ? "there is none" : absl::StrCat("there are ", absl::StrJoin(names, ", "));
}

absl::StatusOr<int> AxisOf(absl::string_view name, const std::string& text,
                           const projection::Signature& s) {
  int64_t axis;
  if (absl::SimpleAtoi(name, &axis)) {
    const absl::StatusOr<int> normal = projection::NormalizeDim(axis, s.index.rank());
    if (normal.ok()) return normal;
  }
  for (size_t c = 0; c < s.axes.size(); ++c) {
    if (s.axes[c].name == name) return static_cast<int>(c);
  }
  return BadFlag("cut", text, absl::StrCat("an axis in place of '", name, "': ", AxesText(s)));
}

absl::Status CheckCuttable(const Axis& axis, const std::string& text,
                           const projection::Signature& s) {
  if (axis.kind == AxisKind::kParallel || axis.kind == AxisKind::kReduction)
    return absl::OkStatus();
  return BadFlag("cut", text,
                 absl::StrCat("an axis that can be cut: ", AxesText(s), "; ", axis.name, " is ",
                              projection::AxisKindName(axis.kind),
                              s.note.empty() ? "" : absl::StrCat(" (", s.note, ")")));
}

}  // namespace

absl::Status BadFlag(absl::string_view flag, absl::string_view text, absl::string_view form) {
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", text, ": expected ", form));
}

absl::StatusOr<NamedArray> FindArray(const hlo::Module& module, const std::string& name) {
  std::string word(absl::StripPrefix(name, "%"));
  NamedArray out;
  const size_t open = word.rfind('{');
  const bool has_leaf = open != std::string::npos && absl::EndsWith(word, "}") &&
                        absl::SimpleAtoi(word.substr(open + 1, word.size() - open - 2), &out.leaf);
  if (has_leaf) word.resize(open);
  TESSERA_ASSIGN_OR_RETURN(out.id, FindNamed(module, word));
  const auto leaves = static_cast<int>(projection::ArrayLeaves(module.shape(out.id)).size());
  if (has_leaf && (out.leaf < 0 || out.leaf >= leaves))
    return absl::OutOfRangeError(absl::StrCat(
        "the result of '", word, "' has no array ", out.leaf, ": expected ",
        leaves == 0 ? "none, it has no array" : absl::StrCat("{0} to {", leaves - 1, "}")));
  return out;
}

absl::StatusOr<ZRange> ParseBlock(const std::string& text, const ZRange& index) {
  const auto bad = [&](absl::string_view what) {
    return BadFlag("block", text,
                   absl::StrCat(what, "; the result is ", projection::BoxText(index)));
  };
  std::vector<std::string> sides = absl::StrSplit(text, ',');
  if (index.rank() == 0 && absl::StripAsciiWhitespace(text).empty()) sides.clear();
  if (static_cast<int>(sides.size()) != index.rank())
    return bad(
        absl::StrCat(index.rank(), " ranges START:END with commas between, found ", sides.size()));
  ZPoint start = index.start(), end = index.end();
  for (int d = 0; d < index.rank(); ++d) {
    const std::vector<std::string> pair = absl::StrSplit(sides[static_cast<size_t>(d)], ':');
    if (pair.size() != 2 || !ReadSide(pair[0], start[d], &start[d]) ||
        !ReadSide(pair[1], end[d], &end[d]))
      return bad(absl::StrCat("START:END for dimension ", d, ", such as 0:8 or 0:, in place of '",
                              sides[static_cast<size_t>(d)], "'"));
    if (start[d] < index.start()[d] || end[d] > index.end()[d] || start[d] > end[d])
      return bad(absl::StrCat("0 <= START <= END <= ", index.end()[d], " in dimension ", d,
                              ", found ", start[d], ":", end[d]));
  }
  return ZRange::Create(start, end);
}

absl::StatusOr<std::vector<projection::Cut>> ParseCuts(const std::string& text,
                                                       const projection::Signature& s) {
  std::vector<projection::Cut> cuts;
  int64_t all = 1;
  for (absl::string_view one : absl::StrSplit(text, ',')) {
    const std::vector<std::string> pair = absl::StrSplit(one, ':');
    projection::Cut cut{0, 0};
    if (pair.size() != 2 || !absl::SimpleAtoi(pair[1], &cut.parts) || cut.parts < 1)
      return BadFlag("cut", text,
                     absl::StrCat("AXIS:PARTS, such as 0:4 or 0:2,1:2; ", AxesText(s)));
    TESSERA_ASSIGN_OR_RETURN(cut.axis, AxisOf(pair[0], text, s));
    const Axis& axis = s.axes[static_cast<size_t>(cut.axis)];
    TESSERA_RETURN_IF_ERROR(CheckCuttable(axis, text, s));
    if (std::any_of(cuts.begin(), cuts.end(), [&](const auto& c) { return c.axis == cut.axis; }))
      return BadFlag("cut", text, "each axis once");
    if (cut.parts > kMaxParts || (all *= cut.parts) > kMaxParts)
      return BadFlag("cut", text, absl::StrCat("at most ", kMaxParts, " parts in all"));
    if (cut.parts > std::max<int64_t>(axis.extent, 1))
      return BadFlag("cut", text,
                     absl::StrCat("at most ", axis.extent, " parts of axis ", axis.name));
    cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace tessera::pipeline
