#include "tessera/pipeline/input/named_instruction.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;

constexpr size_t kMaxListed = 5;

// COMPUTATION/NAME, with or without %; op_names have slashes too.
bool IsPath(const hlo::Module& module, InstructionId id, absl::string_view words) {
  const hlo::Instruction& instruction = module.instruction(id);
  return absl::ConsumeSuffix(&words, instruction.name) &&
         (absl::ConsumeSuffix(&words, "/") || absl::ConsumeSuffix(&words, "/%")) &&
         words == module.computation(instruction.computation).name;
}

bool IsPlace(const std::string& place, absl::string_view words) {
  return place == words || absl::EndsWith(place, absl::StrCat("/", words));
}

std::vector<InstructionId> Where(const hlo::Module& module, const NameFinder::Test& test) {
  std::vector<InstructionId> found;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    absl::c_copy_if(module.computation(c).instructions, std::back_inserter(found), test);
  }
  return found;
}

std::vector<InstructionId> ByOtherWords(NameFinder& finder, absl::string_view name) {
  std::vector<InstructionId> found = finder.ByOpNameOrLine(name);
  return found.empty() ? finder.ByPattern(name) : found;
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

std::string Unquoted(absl::string_view text) {
  std::string plain(text);
  plain.erase(std::remove_if(plain.begin(), plain.end(),
                             [](char c) { return c == '\'' || c == '"' || c == '\\'; }),
              plain.end());
  return plain;
}

const SourceLocations& NameFinder::locations() {
  if (!locations_.has_value()) locations_.emplace(module_);
  return *locations_;
}

std::vector<InstructionId> NameFinder::All(const Test& test) const {
  return Where(module_, [&](InstructionId id) { return test(id) && counts_(id); });
}

std::vector<InstructionId> NameFinder::ByName(absl::string_view name) {
  name = absl::StripPrefix(name, "%");
  const bool is_path = absl::StrContains(name, '/');
  return Where(module_, [&](InstructionId id) {
    return name == module_.instruction(id).name || (is_path && IsPath(module_, id, name));
  });
}

std::vector<InstructionId> NameFinder::ByOpNameOrLine(absl::string_view name) {
  const std::string plain = Unquoted(name);
  if (plain.empty()) return {};
  std::vector<InstructionId> found =
      All([&](InstructionId id) { return Unquoted(hlo::GetOpName(module_, id)) == plain; });
  if (found.empty()) {
    found = All([&](InstructionId id) {
      return IsPlace(locations().UsersOwn(id), name) || IsPlace(locations().Of(id), name);
    });
  }
  if (!found.empty() || !absl::StrContains(name, ':')) return found;
  return All([&](InstructionId id) {  // what is called from there, by way of a helper
    return absl::c_any_of(locations().LinesTo(id),
                          [&](const std::string& place) { return IsPlace(place, name); });
  });
}

namespace {

// p['up']: a path of JAX, in which the brackets are no set of characters. As a pattern it is p\['up'\].
bool IsKeyPath(absl::string_view name) {
  const size_t bracket = name.find("['");
  return bracket != name.npos && (bracket == 0 || name[bracket - 1] != '\\');
}

}  // namespace

std::vector<InstructionId> NameFinder::ByPattern(absl::string_view name) {
  const RE2 regex(re2::StringPiece(name.data(), name.size()), RE2::Quiet);
  const auto matches = [&](absl::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  };
  std::vector<InstructionId> found;
  const std::string plain = Unquoted(name);
  if (plain.empty()) return found;
  if (regex.ok() && !IsKeyPath(name)) {
    found = All([&](InstructionId id) {
      return matches(module_.instruction(id).name) || matches(hlo::GetOpName(module_, id)) ||
             matches(locations().UsersOwn(id)) || matches(locations().Of(id));
    });
  }
  if (!found.empty()) return found;
  return All([&](InstructionId id) {
    return absl::StartsWith(Unquoted(hlo::GetOpName(module_, id)), plain);
  });
}

absl::Status NoInstruction(const hlo::Module& module, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    names.push_back(module.instruction(id).name);
  }
  return absl::NotFoundError(
      absl::StrCat("the module has no instruction '", name, "'", text::NearestNames(name, names)));
}

std::vector<InstructionId> PreferEntry(const hlo::Module& module,
                                       std::vector<InstructionId> found) {
  const auto in_entry = absl::c_find_if(found, [&](InstructionId id) {
    return module.instruction(id).computation == module.entry_id();
  });
  if (in_entry == found.end()) return found;
  return {*in_entry};
}

NameKind KindOfName(const hlo::Module& module, absl::string_view name) {
  NameFinder finder(module);
  if (!finder.ByName(name).empty()) return NameKind::kName;
  if (!finder.ByOpNameOrLine(name).empty()) return NameKind::kOpNameOrLine;
  return finder.ByPattern(name).empty() ? NameKind::kNone : NameKind::kPattern;
}

std::vector<InstructionId> FindAllNamed(const hlo::Module& module, absl::string_view name) {
  NameFinder finder(module);
  std::vector<InstructionId> found = finder.ByName(name);
  return found.empty() ? ByOtherWords(finder, name) : found;
}

absl::StatusOr<InstructionId> FindNamed(const hlo::Module& module, absl::string_view name) {
  NameFinder finder(module);
  std::vector<InstructionId> found = PreferEntry(module, finder.ByName(name));
  if (found.empty()) found = ByOtherWords(finder, name);
  if (found.empty()) return NoInstruction(module, name);
  if (found.size() > 1) return Ambiguous(module, name, found);
  return found[0];
}

}  // namespace tessera::pipeline
