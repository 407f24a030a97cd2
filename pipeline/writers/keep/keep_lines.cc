#include "tessera/pipeline/writers/keep/keep_lines.h"

#include <algorithm>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/syntax_ranges.h"
#include "tessera/pipeline/writers/pass_attributes.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline::writers {
namespace {

using absl::string_view;
using hlo::AttributeName;
using hlo::InstructionId;
using hlo::SourceRange;

constexpr string_view kRoot = "ROOT";
constexpr string_view kSharding = ", sharding=";

// Takes the changes of a line: the text of `range` becomes `text` and `more`.
using Put = absl::FunctionRef<void(SourceRange range, string_view text, string_view more)>;

// Replacements in one slice of the source, in any order, put together at the end.
class Patch {
 public:
  Patch(string_view text, SourceRange slice) : text_(text), slice_(slice) {}

  void Replace(SourceRange range, string_view text, string_view more = "") {
    parts_.push_back({range, absl::StrCat(text, more)});
  }

  std::string Apply() {
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
      return std::make_pair(a.range.begin, a.range.end) <
             std::make_pair(b.range.begin, b.range.end);
    });
    std::string out;
    uint32_t at = slice_.begin;
    for (const Part& part : parts_) {
      if (part.range.begin < at) continue;  // as hlo::Editor does where two overlap
      absl::StrAppend(&out, text_.substr(at, part.range.begin - at), part.text);
      at = part.range.end;
    }
    absl::StrAppend(&out, text_.substr(at, slice_.end - at));
    return out;
  }

 private:
  struct Part {
    SourceRange range;
    std::string text;
  };
  string_view text_;
  SourceRange slice_;
  std::vector<Part> parts_;
};

// `, frontend_attributes={..}` without entries of the pass; nullopt if there are none of those.
std::optional<std::string> WithoutPassEntries(string_view attribute) {
  if (!absl::StrContains(attribute, kPassPrefix)) return std::nullopt;
  std::vector<std::string> kept;
  bool dropped = false;
  for (const hlo::FrontendEntry& entry : hlo::ParseFrontendEntries(attribute)) {
    if (absl::StartsWith(entry.key, kPassPrefix)) {
      dropped = true;
    } else {
      kept.push_back(absl::StrCat(entry.key, "=", entry.value));
    }
  }
  if (!dropped) return std::nullopt;
  if (kept.empty()) return "";
  return absl::StrCat(", frontend_attributes={", absl::StrJoin(kept, ","), "}");
}

void PutHead(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  const string_view text = module.source_text();
  const uint32_t begin = module.instruction(id).source.begin;
  if (change.name.empty() && !change.is_root && text[begin] != kRoot[0]) return;
  SourceRange name = module.RangeOf(module.instruction(id).name).value_or(SourceRange());
  if (name.begin > begin && text[name.begin - 1] == '%') --name.begin;
  const bool was_root = name.begin > begin;
  // The last line of a computation needs no word to be its root.
  const bool was_implied =
      !was_root && module.computation(module.instruction(id).computation).root == id;
  if (!change.name.empty()) {
    put({begin, name.end}, change.is_root ? "ROOT " : "", change.name);
  } else if (was_root && !change.is_root) {
    const size_t after = text.find_first_not_of(" \t\r\n", begin + kRoot.size());
    put({begin, static_cast<uint32_t>(after)}, "", "");
  } else if (!was_root && !was_implied && change.is_root) {
    // With the first byte of the name: what is inserted here is to stand in front of the line.
    put({begin, begin + 1}, "ROOT ", text.substr(begin, 1));
  }
}

void PutOperands(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  if (change.operands.empty()) return;
  const std::vector<SourceRange> names = hlo::FindOperands(module, id);
  for (const auto& [k, spelled] : change.operands) {
    if (k < names.size()) put(names[k], spelled, "");
  }
}

// A sharding goes in front of the first common attribute that stays, else to the end of the line.
void PutAttributes(const hlo::Module& module, InstructionId id, const LineChange& change, Put put) {
  uint32_t place = module.instruction(id).source.end;  // of the new sharding
  bool has_place = change.sharding.empty();
  const auto attributes = module.attributes(id);
  for (size_t k = 0; k < attributes.size(); ++k) {
    const hlo::Attribute& a = attributes[k];
    const bool is_sharding = a.name() == AttributeName::kSharding;
    const bool is_frontend = a.name() == AttributeName::kFrontendAttributes;
    const bool gives_place = !has_place && !is_sharding && hlo::IsCommonAttribute(a.name());
    if (!is_sharding && !is_frontend && !gives_place) continue;
    const SourceRange range = hlo::AttributeRangeWithSeparator(module, id, k);
    if (gives_place) {
      place = range.begin;
      has_place = true;
    }
    if (is_sharding) put(range, "", "");
    if (!is_frontend) continue;
    if (const auto kept = WithoutPassEntries(a.value())) put(range, *kept, "");
  }
  if (!change.sharding.empty()) put({place, place}, kSharding, change.sharding);
}

}  // namespace

void EditLine(const hlo::Module& module, InstructionId id, const LineChange& change,
              hlo::Editor& edit) {
  const auto put = [&](SourceRange range, string_view text, string_view more) {
    edit.Replace(range, text, more);
  };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  PutAttributes(module, id, change, put);
}

std::string RenderLine(const hlo::Module& module, InstructionId id, const LineChange& change) {
  Patch patch(module.source_text(), module.instruction(id).source);
  const auto put = [&](SourceRange range, string_view text, string_view more) {
    patch.Replace(range, text, more);
  };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  PutAttributes(module, id, change, put);
  return patch.Apply();
}

std::string RenderCopy(const hlo::Module& module, InstructionId id, const LineChange& change) {
  const hlo::Instruction& i = module.instruction(id);
  Patch patch(module.source_text(), {i.source.begin, i.operands_close + 1});
  const auto put = [&](SourceRange range, string_view text, string_view more) {
    patch.Replace(range, text, more);
  };
  PutHead(module, id, change, put);
  PutOperands(module, id, change, put);
  patch.Replace(hlo::FindHead(module, id).opcode, "copy");
  return absl::StrCat(patch.Apply(), ShardingTail(change.sharding), MetadataTail(module, id));
}

}  // namespace tessera::pipeline::writers
