#include "tessera/pipeline/verbs/search/suggest/mark_calls.h"

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/writers/written_text.h"

namespace tessera::pipeline {

using hlo::InstructionId;

std::string MarkCalls::Add(InstructionId value, absl::string_view suffix,
                           absl::string_view attributes) {
  std::string name =
      edit_.Spell(names_.Unique(absl::StrCat(module_.instruction(value).name, suffix)));
  const auto [last, is_first] = last_.try_emplace(value, edit_.Spell(value));
  const bool is_root =
      is_first && value == module_.computation(module_.instruction(value).computation).root;
  if (is_root) edit_.SetRoot(value, false);
  edit_.InsertAfter(value, absl::StrCat(is_root ? "  ROOT " : "  ", name, " = ",
                                        writers::WrittenShape(module_, value), " custom-call(",
                                        last->second, "), ", attributes));
  last->second = name;
  return name;
}

void MarkCalls::ReplaceUses(InstructionId value, const std::string& name) {
  for (InstructionId user = 0; user < module_.num_instructions(); ++user) {
    const auto operands = module_.operands(user);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == value) ReplaceOperand(user, k, name);
    }
  }
}

void MarkCalls::Finish() {
  for (const auto& [place, name] : operands_) edit_.ReplaceOperand(place.first, place.second, name);
}

}  // namespace tessera::pipeline
