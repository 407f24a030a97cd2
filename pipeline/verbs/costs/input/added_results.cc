#include "tessera/pipeline/verbs/costs/input/added_results.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

bool IsAdded(const PartitionerInput& input, hlo::InstructionId id) {
  return id < input.sources.size() && input.sources[id] == hlo::kNoId;
}

}  // namespace

bool IsAddedResult(const PartitionerInput& input, hlo::InstructionId id) {
  return IsAdded(input, id) && id == input.module.entry().root;
}

std::string NameOfResult(const PartitionerInput& input, hlo::InstructionId result,
                         hlo::InstructionId value) {
  const auto arrays = input.module.operands(result);
  const auto found = absl::c_find(arrays, value);
  const auto is_array = [&](hlo::InstructionId id) { return input.module.shape(id).is_array(); };
  if (arrays.size() < 2 || found == arrays.end() || !absl::c_all_of(arrays, is_array)) {
    return "result";
  }
  return absl::StrCat("result{", found - arrays.begin(), "}");
}

hlo::InstructionId SourceOfResult(const PartitionerInput& input, hlo::InstructionId id) {
  while (IsAdded(input, id) && input.module.instruction(id).opcode == hlo::Opcode::kTuple &&
         input.module.operands(id).size() == 1) {
    id = input.module.operands(id)[0];
  }
  return id;
}

}  // namespace tessera::pipeline
