// Instructions as users name them: the NAME of a command line.
//
//   FindNamed(module, "dot.3");          // of the entry, or of the one computation that has it
//   FindNamed(module, "%body/dot.3");    // names are unique in a computation only
//   FindNamed(module, "params['w']");    // by its op_name; quotes may be left out
//   FindNamed(module, "model.py:41");    // the one instruction of a line
//   FindNamed(module, "attn.*softmax");  // the one with a match in its name, op_name or line
//   FindNamed(module, "params['mlp");    // the one whose op_name begins so
//
// The first of these kinds that fits counts. pipeline/explain/find_tensor.h asks the same finder
// for tensors of a propagated module. Cost: linear in the module for each name. Tested by
// named_instruction_test.cc.

#ifndef TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
#define TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/input/source_locations.h"

namespace tessera::pipeline {

// Finds by one group of kinds after the other, in order of the text. The module must outlive it.
class NameFinder {
 public:
  using Test = std::function<bool(hlo::InstructionId)>;

  // Names find every instruction, other words only those that pass `counts`.
  explicit NameFinder(
      const hlo::Module& module, Test counts = [](hlo::InstructionId) { return true; })
      : module_(module), counts_(std::move(counts)) {}

  std::vector<hlo::InstructionId> ByName(absl::string_view name);  // or COMPUTATION/NAME
  std::vector<hlo::InstructionId> ByOpNameOrLine(absl::string_view name);
  std::vector<hlo::InstructionId> ByPattern(absl::string_view name);  // or start of op_name

  // All that pass the test and `counts`.
  std::vector<hlo::InstructionId> All(const Test& test) const;

  const SourceLocations& locations();

 private:
  const hlo::Module& module_;
  const Test counts_;
  std::optional<SourceLocations> locations_;  // read where a name needs them
};

// The group of kinds by which a name is found, the surest last.
enum class NameKind : uint8_t { kNone, kPattern, kOpNameOrLine, kName };
NameKind KindOfName(const hlo::Module& module, absl::string_view name);

// That of the entry alone, if it is one of them.
std::vector<hlo::InstructionId> PreferEntry(const hlo::Module& module,
                                            std::vector<hlo::InstructionId> found);

// NotFound; InvalidArgument, with the ways to say it, if several have the name.
absl::StatusOr<hlo::InstructionId> FindNamed(const hlo::Module& module, absl::string_view name);

// All instructions that the name fits, in order of the text: of the first kind that fits any.
std::vector<hlo::InstructionId> FindAllNamed(const hlo::Module& module, absl::string_view name);

// The NotFound of a name that fits none.
absl::Status NoInstruction(const hlo::Module& module, absl::string_view name);

// Without quotes and backslashes: shells take them away.
std::string Unquoted(absl::string_view text);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_NAMED_INSTRUCTION_H_
