// Calls of marks of the user, put after values in the text of a module, and the new readers of the
// value.
//
//   MarkCalls calls(module, &edit);
//   const std::string name = calls.Add(s, ".constraint", "custom_call_target=\"Sharding\"");
//   //   s = f32[8,8] add(a, b)
//   //   s.constraint = f32[8,8] custom-call(s), custom_call_target="Sharding"
//   calls.ReplaceUses(s, name);
//   calls.ReplaceOperand(root, 1, other);   // the last one counts
//   calls.Finish();
//
// Tested by annotated_text_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MARK_CALLS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MARK_CALLS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/writers/free_names.h"

namespace tessera::pipeline {

class MarkCalls {
 public:
  // Both must outlive this. The module is as it was parsed.
  MarkCalls(const hlo::Module& module, hlo::Editor* edit)
      : module_(module), edit_(*edit), names_(module) {}

  // After the value, and after what was added there before, which it reads. It takes the place of a root. Its name, as
  // the text spells it.
  std::string Add(hlo::InstructionId value, absl::string_view suffix, absl::string_view attributes);
  void ReplaceUses(hlo::InstructionId value, const std::string& name);
  void ReplaceOperand(hlo::InstructionId user, size_t number, std::string name) {
    operands_[{user, number}] = std::move(name);
  }
  void Finish();

 private:
  const hlo::Module& module_;
  hlo::Editor& edit_;
  writers::FreeNames names_;
  absl::flat_hash_map<hlo::InstructionId, std::string> last_;  // the call that stands for a value
  std::map<std::pair<hlo::InstructionId, size_t>, std::string> operands_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MARK_CALLS_H_
