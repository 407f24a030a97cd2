// Changes to the text of a module that leave every other byte as it is.
//
//   Editor edit(module);
//   edit.SetAttribute(dot, AttributeName::kSharding, "{devices=[2,1]<=[2]}");
//   edit.InsertAfter(dot, "  dot.1 = f32[8] copy(dot), sharding={replicated}");
//   edit.ReplaceOperand(add, 0, "dot.1");
//   std::string out = edit.Apply();     // the whole file; no edits: the same bytes
//
// Edits name places in the source and may come in any order. Insertions at one place keep the order
// of the calls; insertions after an instruction come before insertions in front of the next one. Of two
// overlapping edits, the one that begins first wins. An instruction without a line of its own
// (Instruction::is_implied) cannot be edited: the call has no effect.

#ifndef TESSERA_HLO_EDIT_H_
#define TESSERA_HLO_EDIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/text/text_arena.h"

namespace tessera::hlo {

class Editor {
 public:
  // The module must outlive the editor and must be as it was parsed.
  explicit Editor(const Module& module);

  // --- Bytes -----------------------------------------------------------------------------------
  void Replace(SourceRange range, absl::string_view text) { AddEdit(range, 1, text); }
  // By `text` and `more` after it.
  void Replace(SourceRange range, absl::string_view text, absl::string_view more) {
    AddEdit(range, 1, text, more);
  }
  void Insert(uint32_t offset, absl::string_view text) { Replace({offset, offset}, text); }
  void Delete(SourceRange range) { Replace(range, ""); }

  // --- Attributes of an instruction ------------------------------------------------------------
  // Sets the value of an attribute, or adds the attribute where XLA prints it. Common attributes keep
  // their order; an attribute of the opcode is added after the operands.
  void SetAttribute(InstructionId id, AttributeName name, absl::string_view value);
  // With the comma before it; no effect if the attribute is absent.
  void RemoveAttribute(InstructionId id, AttributeName name);
  // Removes all entries whose key starts with `prefix`; with no entry left, the whole attribute.
  void RemoveFrontendAttributes(InstructionId id, absl::string_view prefix);

  // --- Instructions ----------------------------------------------------------------------------
  // The line: indentation, text and line end, with a comment that follows it on the line. Text
  // that stands on the same line before or after another instruction stays.
  void RemoveInstruction(InstructionId id);
  // A line of its own before or after the instruction; `line` without line end.
  void InsertBefore(InstructionId id, absl::string_view line);
  void InsertAfter(InstructionId id, absl::string_view line);
  // The name of one operand as written (with '%' if wanted); a written operand shape stays.
  void ReplaceOperand(InstructionId id, size_t index, absl::string_view name);
  // The result shape; `shape` is put in where it was left out.
  void ReplaceShape(InstructionId id, absl::string_view shape);
  // Gives or takes the word ROOT.
  void SetRoot(InstructionId id, bool root);
  // The name as the text of the module spells names: with '%' where it has them.
  std::string Spell(InstructionId id) const;
  std::string Spell(absl::string_view name) const;

  // --- Header ----------------------------------------------------------------------------------
  // New value or a new attribute at XLA's place. A module without a header line gets one, with the
  // name that XLA gives it.
  void SetHeaderAttribute(absl::string_view name, absl::string_view value);
  void RemoveHeaderAttribute(absl::string_view name);
  void RemoveHeaderFrontendAttributes(absl::string_view prefix);

  bool empty() const { return edits_.empty(); }
  // The text of the whole file with the edits done.
  std::string Apply() const;

 private:
  struct Edit {
    SourceRange range;
    int order;  // among insertions at one place
    uint32_t size;
    const char* text;
  };

  // A line of its own in front of the first computation.
  void AddToMadeHeader(absl::string_view attribute);
  void AddEdit(SourceRange range, int order, absl::string_view text, absl::string_view more = {}) {
    const absl::string_view kept = new_texts_.Keep(text, more);
    edits_.push_back({range, order, static_cast<uint32_t>(kept.size()), kept.data()});
  }
  static bool ComesBefore(const Edit& a, const Edit& b);
  // Indices into edits_, by place in the text; at one place in the order of the calls.
  std::vector<uint32_t> InOrder() const;
  size_t ExpectedSize() const;
  bool InSource(InstructionId id) const { return !module_.instruction(id).source.empty(); }
  SourceRange ValueRange(const Attribute& attribute) const;
  void RemoveEntries(absl::string_view value, absl::string_view prefix);
  std::optional<uint32_t> LineStart(uint32_t begin) const;

  const Module& module_;
  absl::string_view text_;
  std::vector<Edit> edits_;
  text::TextArena new_texts_;
  bool has_made_header_ = false;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_EDIT_H_
