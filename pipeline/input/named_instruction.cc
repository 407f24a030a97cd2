#include "tessera/pipeline/input/named_instruction.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;

constexpr size_t kMaxListed = 5;

InstructionId FindIn(const hlo::Module& module, hlo::ComputationId c, absl::string_view name) {
  const std::vector<InstructionId>& list = module.computation(c).instructions;
  const auto found = std::find_if(list.begin(), list.end(), [&](InstructionId id) {
    return module.instruction(id).name == name;
  });
  return found == list.end() ? hlo::kNoId : *found;
}

absl::Status Missing(absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("the module has no instruction '", name, "'"));
}

absl::Status Ambiguous(const hlo::Module& module, absl::string_view name,
                       const std::vector<InstructionId>& found) {
  std::vector<std::string> ways;
  for (size_t i = 0; i < std::min(found.size(), kMaxListed); ++i) {
    const hlo::ComputationId c = module.instruction(found[i]).computation;
    ways.push_back(absl::StrCat(module.computation(c).name, "/", name));
  }
  return absl::InvalidArgumentError(absl::StrCat(found.size(), " computations have a '", name,
                                                 "': expected ", absl::StrJoin(ways, " or "),
                                                 found.size() > kMaxListed ? ", .." : ""));
}

absl::StatusOr<InstructionId> FindByPath(const hlo::Module& module, absl::string_view path) {
  const size_t slash = path.find('/');
  const hlo::ComputationId c = module.FindComputation(path.substr(0, slash));
  const absl::string_view name = absl::StripPrefix(path.substr(slash + 1), "%");
  const InstructionId id = c == hlo::kNoId ? hlo::kNoId : FindIn(module, c, name);
  if (id == hlo::kNoId) return Missing(path);
  return id;
}

}  // namespace

absl::StatusOr<InstructionId> FindNamed(const hlo::Module& module, absl::string_view name) {
  name = absl::StripPrefix(name, "%");
  if (name.find('/') != absl::string_view::npos) return FindByPath(module, name);
  const InstructionId of_entry = FindIn(module, module.entry_id(), name);
  if (of_entry != hlo::kNoId) return of_entry;
  std::vector<InstructionId> found;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (const InstructionId id = FindIn(module, c, name); id != hlo::kNoId) found.push_back(id);
  }
  if (found.empty()) return Missing(name);
  if (found.size() > 1) return Ambiguous(module, name, found);
  return found[0];
}

}  // namespace tessera::pipeline
