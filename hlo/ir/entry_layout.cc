#include "tessera/hlo/entry_layout.h"

#include "absl/strings/match.h"

namespace tessera::hlo {
namespace {

using layout::Shape;

bool ForgetsLayouts(const Module& module) {
  const ModuleHeader& h = module.header();
  if (h.replica_count != 1 || h.num_partitions != 1 || h.alias_passthrough_params) return true;
  for (const HeaderAttribute& a : module.header_attributes()) {
    if (!absl::StartsWith(a.name, "allow_spmd_sharding_propagation_to_")) continue;
    const absl::string_view value = module.source_text().substr(a.value.begin, a.value.size());
    if (absl::StrContains(value, "true") || absl::StrContains(value, "false")) return true;
  }
  return false;
}

void SetDefaultOrder(Shape* shape) {
  if (shape->is_tuple()) {
    for (size_t i = 0; i < shape->tuple_elements().size(); ++i) {
      SetDefaultOrder(shape->mutable_tuple_element(static_cast<int64_t>(i)));
    }
  } else if (shape->has_layout()) {
    shape->mutable_layout().minor_to_major =
        layout::Layout::Descending(shape->rank()).minor_to_major;
  }
}

}  // namespace

EntryShapes EntryLayoutOf(const Module& module) {
  EntryShapes out;
  if (const auto& written = module.header().entry_layout; written.has_value()) {
    for (ShapeId id : written->parameters) out.parameters.push_back(module.interned_shape(id));
    out.result = module.interned_shape(written->result);
    return out;
  }
  const Computation& entry = module.entry();
  for (InstructionId id : entry.parameters) out.parameters.push_back(module.shape(id));
  out.result = module.shape(entry.root);
  if (!ForgetsLayouts(module)) return out;
  for (Shape& shape : out.parameters) SetDefaultOrder(&shape);
  SetDefaultOrder(&out.result);
  return out;
}

}  // namespace tessera::hlo
