#include "tessera/pipeline/input/module_notes.h"

#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"

namespace tessera::pipeline {
namespace {

using sharding::graph::Encoding;

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

// XLA compiles for the devices that the header counts.
bool IsForOtherDevices(const hlo::Module& module, const std::optional<sharding::Mesh>& mesh) {
  const int64_t partitions = module.header().num_partitions;
  return mesh.has_value() && partitions > 1 && mesh->num_devices() != partitions;
}

}  // namespace

std::string NoteOnDroppedShardings(const hlo::Module& module, Encoding encoding) {
  if (!HasPlainShardingOnly(module, encoding)) return "";
  return "note: this module has sharding={...} but no xla.sdy attributes; XLA's Shardy pass drops "
         "such shardings, and so does this result. --import=hlo reads them.\n";
}

std::vector<std::string> NotesOn(const hlo::Module& module,
                                 const sharding::graph::ImportOptions& import, Encoding asked) {
  std::vector<std::string> notes;
  const auto note = [&](absl::string_view text) {
    notes.push_back(absl::StrCat("note: ", text, "\n"));
  };
  if (IsForOtherDevices(module, import.mesh)) {
    note(absl::StrCat("--mesh has ", import.mesh->num_devices(), " devices, the module has ",
                      "num_partitions=", module.header().num_partitions,
                      ": XLA will not compile the result"));
  }
  if (asked == Encoding::kGspmd && sharding::graph::FindEncoding(module) == Encoding::kSdy &&
      HasMeshes(module)) {
    note(
        "--import=hlo reads sharding={...} only; the xla.sdy attributes of this module are "
        "dropped");
  }
  if (module.header().is_scheduled) {
    note(
        "this module has been compiled (is_scheduled=true): it is already partitioned, its shapes "
        "are those of one device; give what .lower() made, or the dump before optimizations");
    return notes;
  }
  if (!import.annotations.empty()) return notes;
  const std::string dropped = NoteOnDroppedShardings(module, import.encoding);
  if (!dropped.empty()) {
    notes.push_back(dropped);
  } else if (!HasAnySharding(module)) {
    note("nothing in this module says how it is sharded; --mesh and --annotate do");
  }
  return notes;
}

}  // namespace tessera::pipeline
