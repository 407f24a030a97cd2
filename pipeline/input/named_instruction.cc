#include "tessera/pipeline/input/named_instruction.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "tessera/pipeline/input/name_match.h"
#include "tessera/pipeline/input/source_locations.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;

constexpr size_t kMaxListed = 5;

std::vector<InstructionId> All(const hlo::Module& module,
                               absl::FunctionRef<bool(InstructionId)> fits) {
  std::vector<InstructionId> found;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    absl::c_copy_if(module.computation(c).instructions, std::back_inserter(found), fits);
  }
  return found;
}

// COMPUTATION/NAME; op_names have slashes too.
std::vector<InstructionId> ByPath(const hlo::Module& module, absl::string_view path) {
  const size_t slash = path.find('/');
  if (slash == path.npos) return {};
  const hlo::ComputationId c = module.FindComputation(path.substr(0, slash));
  if (c == hlo::kNoId) return {};
  const absl::string_view name = absl::StripPrefix(path.substr(slash + 1), "%");
  std::vector<InstructionId> found;
  absl::c_copy_if(module.computation(c).instructions, std::back_inserter(found),
                  [&](InstructionId id) { return module.instruction(id).name == name; });
  return found;
}

std::vector<InstructionId> ByOtherWords(const hlo::Module& module, absl::string_view name) {
  std::vector<InstructionId> found =
      All(module, [&](InstructionId id) { return HasOpName(module, id, name); });
  if (!found.empty()) return found;
  const SourceLocations locations(module);
  found = All(module, [&](InstructionId id) { return StandsAt(locations, id, name); });
  if (!found.empty()) return found;
  const RE2 regex(re2::StringPiece(name.data(), name.size()), RE2::Quiet);
  if (!regex.ok()) return {};
  return All(module, [&](InstructionId id) { return HasMatch(module, locations, id, regex); });
}

absl::Status Ambiguous(const hlo::Module& module, absl::string_view name,
                       const std::vector<InstructionId>& found) {
  std::vector<std::string> ways;
  for (size_t i = 0; i < std::min(found.size(), kMaxListed); ++i) {
    const hlo::Instruction& instruction = module.instruction(found[i]);
    ways.push_back(
        absl::StrCat(module.computation(instruction.computation).name, "/", instruction.name));
  }
  return absl::InvalidArgumentError(absl::StrCat(found.size(), " instructions fit '", name,
                                                 "': expected ", absl::StrJoin(ways, " or "),
                                                 found.size() > kMaxListed ? ", .." : ""));
}

}  // namespace

std::vector<InstructionId> FindAllNamed(const hlo::Module& module, absl::string_view name) {
  name = absl::StripPrefix(name, "%");
  if (name.empty()) return {};
  std::vector<InstructionId> found =
      All(module, [&](InstructionId id) { return module.instruction(id).name == name; });
  if (found.empty()) found = ByPath(module, name);
  return found.empty() ? ByOtherWords(module, name) : found;
}

absl::StatusOr<InstructionId> FindNamed(const hlo::Module& module, absl::string_view name) {
  const std::vector<InstructionId> found = FindAllNamed(module, name);
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat("the module has no instruction '", name, "'"));
  }
  if (found.size() == 1) return found[0];
  const auto in_entry = absl::c_find_if(found, [&](InstructionId id) {
    return module.instruction(id).computation == module.entry_id() &&
           module.instruction(id).name == absl::StripPrefix(name, "%");
  });
  if (in_entry != found.end()) return *in_entry;
  return Ambiguous(module, name, found);
}

}  // namespace tessera::pipeline
