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

EntryShapes::EntryShapes(const Module& module)
    : module_(module), forgets_layouts_(ForgetsLayouts(module)) {}

size_t EntryShapes::num_parameters() const {
  const auto& written = module_.header().entry_layout;
  return written.has_value() ? written->parameters.size() : module_.entry().parameters.size();
}

Shape EntryShapes::Parameter(size_t number) const {
  if (const auto& written = module_.header().entry_layout; written.has_value()) {
    return module_.interned_shape(written->parameters[number]);
  }
  return OfInstruction(module_.entry().parameters[number]);
}

Shape EntryShapes::Result() const {
  if (const auto& written = module_.header().entry_layout; written.has_value()) {
    return module_.interned_shape(written->result);
  }
  return OfInstruction(module_.entry().root);
}

Shape EntryShapes::OfInstruction(InstructionId id) const {
  Shape shape = module_.shape(id);
  if (forgets_layouts_) SetDefaultOrder(&shape);
  return shape;
}

}  // namespace tessera::hlo
