#include "tessera/pipeline/verbs/costs/input/array_names.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

std::string ArrayNames::Of(ArrayPlace place) {
  const absl::string_view name = module_.instruction(place.instruction).name;
  const bool is_one = numbers_.Count(module_.shape(place.instruction)) == 1;
  return is_one ? std::string(name) : absl::StrCat(name, "{", place.leaf, "}");
}

std::string TensorNames::Of(hlo::InstructionId id) {
  const hlo::Module& module = input_.module;
  const bool is_element = IsPath(module.instruction(id).opcode) && module.shape(id).is_array();
  ArrayPlaces tensors;
  if (is_element) finder_.Add({id, 0}, &tensors);
  if (!tensors.empty()) return names_.Of(tensors[0]);
  const bool is_known = input_.sharded != nullptr && input_.sources[id] != hlo::kNoId;
  return std::string(is_known ? input_.sharded->module.instruction(input_.sources[id]).name
                              : module.instruction(id).name);
}

}  // namespace tessera::pipeline
