#include "tessera/pipeline/input/name_match.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline {
namespace {

bool IsPlace(const std::string& place, absl::string_view name) {
  return place == name || absl::EndsWith(place, absl::StrCat("/", name));
}

}  // namespace

std::string Unquoted(absl::string_view text) {
  std::string plain(text);
  plain.erase(std::remove_if(plain.begin(), plain.end(),
                             [](char c) { return c == '\'' || c == '"' || c == '\\'; }),
              plain.end());
  return plain;
}

bool HasOpName(const hlo::Module& module, hlo::InstructionId id, absl::string_view name) {
  const std::string op_name = hlo::GetOpName(module, id);
  return !op_name.empty() && Unquoted(op_name) == Unquoted(name);
}

bool StandsAt(const SourceLocations& locations, hlo::InstructionId id, absl::string_view place) {
  return IsPlace(locations.UsersOwn(id), place) || IsPlace(locations.Of(id), place);
}

bool HasMatch(const hlo::Module& module, const SourceLocations& locations, hlo::InstructionId id,
              const RE2& regex) {
  const absl::string_view name = module.instruction(id).name;
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), regex) ||
         RE2::PartialMatch(hlo::GetOpName(module, id), regex) ||
         RE2::PartialMatch(locations.UsersOwn(id), regex) ||
         RE2::PartialMatch(locations.Of(id), regex);
}

}  // namespace tessera::pipeline
