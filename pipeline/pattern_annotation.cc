#include "tessera/pipeline/pattern_annotation.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline {
namespace {

bool Matches(const hlo::Module& module, hlo::InstructionId id, const RE2& regex) {
  const hlo::Instruction& instruction = module.instruction(id);
  if (RE2::PartialMatch(re2::StringPiece(instruction.name.data(), instruction.name.size()),
                        regex)) {
    return true;
  }
  return RE2::PartialMatch(hlo::GetOpName(module, id), regex);
}

// A name or an argument path as it stands, with or without ^ and $: as a pattern, params['w'] means a set of letters.
bool IsNamed(const hlo::Module& module, hlo::InstructionId id, absl::string_view name) {
  absl::ConsumePrefix(&name, "^");
  absl::ConsumeSuffix(&name, "$");
  return module.instruction(id).name == name || hlo::GetOpName(module, id) == name;
}

bool IsListed(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::Instruction& instruction = module.instruction(id);
  return instruction.computation != hlo::kNoId &&
         !module.computation(instruction.computation).removed;
}

// The parameters of the program; where there are none, the other instructions.
std::vector<hlo::InstructionId> Those(const hlo::Module& module,
                                      absl::FunctionRef<bool(hlo::InstructionId)> is_meant) {
  std::vector<hlo::InstructionId> found;
  for (hlo::InstructionId id : module.entry().parameters) {
    if (is_meant(id)) found.push_back(id);
  }
  if (!found.empty()) return found;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const bool is_parameter = module.instruction(id).opcode == hlo::Opcode::kParameter;
    if (!is_parameter && IsListed(module, id) && is_meant(id)) found.push_back(id);
  }
  return found;
}

absl::StatusOr<std::vector<hlo::InstructionId>> FindMatches(const hlo::Module& module,
                                                            const PatternAnnotation& annotation) {
  const RE2 regex(annotation.pattern, RE2::Quiet);
  std::vector<hlo::InstructionId> found =
      Those(module, [&](hlo::InstructionId id) { return Matches(module, id, regex); });
  if (!found.empty()) return found;
  found = Those(module, [&](auto id) { return IsNamed(module, id, annotation.pattern); });
  if (!found.empty()) return found;
  return absl::InvalidArgumentError(absl::StrCat("annotation '", annotation.pattern, "=",
                                                 annotation.spec.ToString(),
                                                 "' matches no parameter and no instruction"));
}

}  // namespace

absl::StatusOr<PatternAnnotation> ParseAnnotation(absl::string_view text) {
  const size_t split = text.rfind("=P(");
  if (split == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "annotation '", text, "' must read REGEX=P(...), as in \"w1=P(None,'model')\""));
  }
  PatternAnnotation annotation;
  annotation.pattern = std::string(text.substr(0, split));
  const RE2 regex(annotation.pattern, RE2::Quiet);
  if (!regex.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("annotation '", text, "': '", annotation.pattern,
                     "' is not a valid regular expression: ", regex.error()));
  }
  auto spec = sharding::ParsePartitionSpec(text.substr(split + 1));
  if (!spec.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("annotation '", text, "': ", spec.status().message()));
  }
  annotation.spec = *std::move(spec);
  return annotation;
}

absl::StatusOr<MatchesByAnnotation> FindMatches(const hlo::Module& module,
                                                const std::vector<PatternAnnotation>& annotations) {
  MatchesByAnnotation matches;
  std::vector<std::string> errors;
  for (const PatternAnnotation& annotation : annotations) {
    auto ids = FindMatches(module, annotation);
    if (ids.ok()) {
      matches.push_back(*std::move(ids));
    } else {
      errors.emplace_back(ids.status().message());
    }
  }
  if (!errors.empty()) return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
  return matches;
}

std::vector<sharding::passes::UserAnnotation> AnnotatedBy(
    const std::vector<PatternAnnotation>& annotations, const MatchesByAnnotation& matches) {
  std::vector<sharding::passes::UserAnnotation> found;
  absl::flat_hash_map<hlo::InstructionId, size_t> places;
  for (size_t k = 0; k < annotations.size(); ++k) {
    for (const hlo::InstructionId id : matches[k]) {
      const auto [place, is_new] = places.try_emplace(id, found.size());
      if (is_new) found.emplace_back();
      found[place->second] = {id, annotations[k].spec};
    }
  }
  return found;
}

absl::StatusOr<std::vector<sharding::passes::UserAnnotation>> FindAnnotated(
    const hlo::Module& module, const std::vector<PatternAnnotation>& annotations) {
  const auto matches = FindMatches(module, annotations);
  if (!matches.ok()) return matches.status();
  return AnnotatedBy(annotations, *matches);
}

}  // namespace tessera::pipeline
