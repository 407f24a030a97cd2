// Edits of whole instructions and of their parts in front of the attributes.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/parse/scanner.h"
#include "tessera/hlo/syntax_ranges.h"
#include "tessera/hlo/text_lines.h"

namespace tessera::hlo {
namespace {

bool IsSpaceOrTab(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

std::optional<uint32_t> Editor::LineStart(uint32_t begin) const {
  while (begin > 0 && IsSpaceOrTab(text_[begin - 1])) --begin;
  if (begin > 0 && text_[begin - 1] != '\n') return std::nullopt;
  return begin;
}

void Editor::RemoveInstruction(InstructionId id) {
  if (!InSource(id)) return;
  const SourceRange range = module_.instruction(id).source;
  const auto begin = LineStart(range.begin);
  const auto end = LineEndAfter(text_, range.end);
  const bool alone = begin.has_value() && end.has_value();
  Delete(alone ? SourceRange{*begin, static_cast<uint32_t>(*end)} : range);
}

void Editor::InsertBefore(InstructionId id, absl::string_view line) {
  if (!InSource(id)) return;
  const uint32_t begin = module_.instruction(id).source.begin;
  const uint32_t at = LineStart(begin).value_or(begin);
  AddEdit({at, at}, 2, absl::StrCat(line, "\n"));
}

void Editor::InsertAfter(InstructionId id, absl::string_view line) {
  if (!InSource(id)) return;
  const uint32_t end = module_.instruction(id).source.end;
  if (const auto next = LineEndAfter(text_, end); next.has_value()) {
    const uint32_t at = static_cast<uint32_t>(*next);
    AddEdit({at, at}, 0, absl::StrCat(line, "\n"));
  } else {
    AddEdit({end, end}, 2, absl::StrCat("\n", line));
  }
}

void Editor::ReplaceOperand(InstructionId id, size_t index, absl::string_view name) {
  if (!InSource(id)) return;
  const auto operands = FindOperands(module_, id);
  if (index < operands.size()) Replace(operands[index], name);
}

void Editor::ReplaceShape(InstructionId id, absl::string_view shape) {
  if (!InSource(id)) return;
  const SourceRange range = FindHead(module_, id).shape;
  Replace(range, absl::StrCat(shape, range.empty() ? " " : ""));
}

void Editor::SetRoot(InstructionId id, bool root) {
  if (!InSource(id)) return;
  const uint32_t begin = module_.instruction(id).source.begin;
  const bool written = text_.substr(begin, 4) == "ROOT" && !HasClass(text_[begin + 4], kNameChar);
  if (written == root) return;
  if (root) return Insert(begin, "ROOT ");
  uint32_t end = begin + 4;
  while (IsSpaceOrTab(text_[end]) || text_[end] == '\n') ++end;
  Delete({begin, end});
}

std::string Editor::Spell(absl::string_view name) const {
  for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
    const auto range = module_.RangeOf(module_.instruction(id).name);
    if (!InSource(id) || !range.has_value() || range->begin == 0) continue;
    return absl::StrCat(text_[range->begin - 1] == '%' ? "%" : "", name);
  }
  return std::string(name);
}

std::string Editor::Spell(InstructionId id) const { return Spell(module_.instruction(id).name); }

}  // namespace tessera::hlo
