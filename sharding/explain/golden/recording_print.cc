#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding::golden {
namespace {

std::string Line(const Recording& recording, const Entry& entry) {
  std::string line =
      absl::StrCat(entry.name, ": ", layout::ShapeToString(entry.shape.WithoutLayout()), " ",
                   SpecOf(recording, entry), " = ", entry.opcode);
  if (!entry.operand_names.empty()) {
    absl::StrAppend(&line, "(", absl::StrJoin(entry.operand_names, ", "), ")");
  }
  if (!entry.op_name.empty()) {
    absl::StrAppend(&line, ", op_name=\"", absl::Utf8SafeCEscape(entry.op_name), "\"");
  }
  if (!entry.source.empty()) {
    absl::StrAppend(&line, ", source=\"", absl::Utf8SafeCEscape(entry.source), "\"");
  }
  return line + "\n";
}

// The heading above an entry, empty if the entry before it stands under the same.
absl::string_view HeadingOf(const Entry& entry) {
  if (entry.opcode == kArgument) return "\n# Arguments of the module.\n";
  if (entry.opcode == kResult) return "\n# Results of the module.\n";
  return "\n# What it computes.\n";
}

}  // namespace

std::string SpecOf(const Recording& recording, const Entry& entry) {
  if (!entry.sharding.has_value()) return PartitionSpec().ToString();
  const TensorSharding& s = *entry.sharding;
  const MeshTable& meshes = recording.meshes;
  if (const auto device = DeviceOf(meshes, s)) return absl::StrCat(kDevice, *device);
  const bool is_main = s.mesh_id() == 0 && meshes.size() > 0;
  if (is_main || s.mesh_id() == kNoMesh) {
    const auto spec = ToPartitionSpec(s, is_main ? meshes.mesh(0) : Mesh());
    if (spec.has_value()) return spec->ToString();
  }
  return PrintSharding(s, meshes);
}

std::string MeshesText(const Recording& recording) {
  return absl::StrJoin(NamedMeshes(recording), " and ", [&](std::string* out, MeshId id) {
    const std::string text = PrintMesh(recording.meshes.mesh(id));
    absl::StrAppend(out, text.substr(1, text.size() - 2));
  });
}

std::string PrintRecording(const Recording& recording) {
  std::string out =
      absl::StrCat("tessera golden ", kFormatVersion, "\nreference ", recording.reference, "\n");
  for (const MeshId id : NamedMeshes(recording)) {
    absl::StrAppend(&out, "mesh @", recording.meshes.name(id), " ",
                    PrintMesh(recording.meshes.mesh(id)), "\n");
  }
  absl::string_view heading;
  for (const Entry& entry : recording.entries) {
    if (HeadingOf(entry) != heading) absl::StrAppend(&out, HeadingOf(entry));
    heading = HeadingOf(entry);
    out += Line(recording, entry);
  }
  return out;
}

}  // namespace tessera::sharding::golden
