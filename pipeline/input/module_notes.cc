#include "tessera/pipeline/input/module_notes.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/input/final_shardings.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Encoding;

bool HasMeshes(const hlo::Module& module) {
  return absl::c_any_of(module.header().frontend_attributes, [](const auto& attribute) {
    return attribute.first == sharding::kMeshesAttribute;
  });
}

bool HasPlainShardingOnly(const hlo::Module& module, Encoding encoding) {
  if (encoding != Encoding::kSdy || HasMeshes(module)) return false;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.HasAttribute(id, hlo::AttributeName::kSharding)) return true;
  }
  return false;
}

bool HasAnySharding(const hlo::Module& module) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.HasAttribute(id, hlo::AttributeName::kSharding)) return true;
    const auto text = module.FindAttribute(id, hlo::AttributeName::kFrontendAttributes);
    if (text.has_value() && absl::StrContains(*text, "sharding")) return true;
  }
  return absl::c_any_of(module.header().frontend_attributes, [](const auto& attribute) {
    return absl::StrContains(attribute.first, "sharding");
  });
}

// XLA compiles for the devices that the header counts. JAX writes no count where the mesh is abstract.
std::string OnOtherDevices(const hlo::Module& module, const std::optional<sharding::Mesh>& mesh) {
  if (!mesh.has_value()) return "";
  const int64_t devices = DevicesOf(module);
  if (devices < 2 || mesh->num_devices() == devices) return "";
  const std::string begin = absl::StrCat("--mesh has ", mesh->num_devices(), " devices, the ");
  return module.header().num_partitions > 1
             ? absl::StrCat(begin, "module has num_partitions=", devices,
                            ": XLA will not compile the result")
             : absl::StrCat(begin, "shardings of this module are for ", devices);
}

// The pattern is the name of the only tensor that it is for, so that nobody can be surprised.
bool IsItsName(const hlo::Module& module, const PatternAnnotation& annotation,
               const std::vector<hlo::InstructionId>& found) {
  const RE2 regex(annotation.pattern, RE2::Quiet);
  return found.size() == 1 &&
         (RE2::FullMatch(std::string(module.instruction(found[0]).name), regex) ||
          RE2::FullMatch(hlo::GetOpName(module, found[0]), regex));
}

// "note: the annotation '^w=P('x',)' is for 3 parameters: w1, w2, w3"
std::string NoteOnMatches(const hlo::Module& module, const PatternAnnotation& annotation,
                          const std::vector<hlo::InstructionId>& found) {
  constexpr size_t kShown = 8;
  const bool of_entry = module.instruction(found[0]).opcode == hlo::Opcode::kParameter;
  std::vector<std::string> names;
  for (size_t k = 0; k < found.size() && k < kShown; ++k) {
    names.emplace_back(module.instruction(found[k]).name);
  }
  return absl::StrCat("note: the annotation '", annotation.pattern, "=", annotation.spec.ToString(),
                      "' is for ", found.size(), of_entry ? " parameter" : " instruction",
                      found.size() > 1 ? "s: " : ": ", absl::StrJoin(names, ", "),
                      found.size() > kShown ? ", ..\n" : "\n");
}

}  // namespace

int64_t DevicesOf(const hlo::Module& module) {
  if (module.header().num_partitions > 1) return module.header().num_partitions;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
    if (!text.has_value()) continue;
    const auto sharding = sharding::ParseHloSharding(std::string(*text));
    if (!sharding.ok()) continue;
    const int64_t devices = absl::c_accumulate(
        sharding->elements(), sharding->num_devices(),
        [](int64_t most, const auto& leaf) { return std::max(most, leaf.num_devices()); });
    if (devices > 1) return devices;
  }
  return 1;
}

void AddNotesOnMatches(const hlo::Module& module, const std::vector<PatternAnnotation>& annotations,
                       const MatchesByAnnotation& matches, std::vector<std::string>* notes) {
  for (size_t k = 0; k < annotations.size(); ++k) {
    if (!matches[k].empty() && !IsItsName(module, annotations[k], matches[k])) {
      notes->push_back(NoteOnMatches(module, annotations[k], matches[k]));
    }
  }
}

std::string NoteOnRules(const hlo::Module& module,
                        absl::Span<const std::pair<std::string, std::string>> rules) {
  std::vector<std::string> targets;
  for (const auto& [target, rule] : rules) targets.push_back(target);
  return NoteOnTargets(module, "rule", targets);
}

std::string NoteOnTargets(const hlo::Module& module, absl::string_view flag,
                          const std::vector<std::string>& targets) {
  if (targets.empty()) return "";
  std::set<std::string> known;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) continue;
    known.insert(hlo::GetString(module, id, hlo::AttributeName::kCustomCallTarget).value_or(""));
  }
  const std::vector<absl::string_view> names(known.begin(), known.end());
  std::string notes;
  for (const std::string& target : targets) {
    if (known.count(target) > 0) continue;
    const std::vector<std::string> near = text::NearNames(target, names);
    absl::StrAppend(
        &notes, "note: --", flag, "=", target, "=..: no custom call of this module has the ",
        "target '", target, "'",
        near.empty() ? "" : absl::StrCat("; the nearest are ", absl::StrJoin(near, ", ")), "\n");
  }
  return notes;
}

std::string NoteOnDroppedShardings(const hlo::Module& module, Encoding encoding) {
  if (!HasPlainShardingOnly(module, encoding)) return "";
  return "note: this module has sharding={...} but no xla.sdy attributes; XLA's Shardy pass drops "
         "such shardings or aborts, and this result is without them. --import=hlo reads them, and "
         "where they are final, --as-is of partition and collectives.\n";
}

std::vector<std::string> NotesOn(const hlo::Module& module,
                                 const sharding::passes::ImportOptions& import, Encoding asked) {
  std::vector<std::string> notes;
  const auto note = [&](absl::string_view text) {
    notes.push_back(absl::StrCat("note: ", text, "\n"));
  };
  const std::string other = OnOtherDevices(module, import.mesh);
  if (!other.empty()) note(other);
  if (asked == Encoding::kGspmd && sharding::passes::FindEncoding(module) == Encoding::kSdy &&
      HasMeshes(module)) {
    note(
        "--import=hlo reads sharding={...} only; the xla.sdy attributes of this module are "
        "dropped");
  }
  if (module.header().is_scheduled) {
    note(
        "this module has been compiled (is_scheduled=true): its shapes are those of one device, "
        "and it no longer says how arrays are sharded; what .lower() made does");
    return notes;
  }
  const bool is_final = asked == Encoding::kAuto && HasFinalShardings(module);
  if (!import.annotations.empty()) {
    if (is_final) {
      note(
          "the shardings look final, as after propagation; with annotations, the module is "
          "propagated anew, from what propagation reads of them");
    }
    return notes;
  }
  const std::string dropped = NoteOnDroppedShardings(module, import.encoding);
  if (!dropped.empty()) {
    notes.push_back(dropped);
  } else if (is_final) {
    const bool are_read = import.encoding == Encoding::kGspmd;
    const bool has_names =
        import.mesh.has_value() || sharding::passes::FindEncoding(module) == Encoding::kNamed;
    note(are_read ? absl::StrCat("the shardings look final, as after propagation, and are read as ",
                                 "they are; --import=hlo propagates them",
                                 has_names ? "" : "; --mesh names their axes")
                  : "the shardings look final, as after propagation, and are propagated anew; "
                    "`shardings` and `collectives` take them as they are");
  } else if (!HasAnySharding(module)) {
    note("nothing in this module says how it is sharded; --mesh and --annotate do");
  }
  return notes;
}

}  // namespace tessera::pipeline
