#include "tessera/target/kernels/stored_arrays.h"

#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {

StoredArrays::StoredArrays(const hlo::Module& module, const Chip* chip) : module_(module) {
  if (chip == nullptr || chip->platform != Platform::kTpu) return;
  sizes_.emplace(*chip);
  preferences_.emplace(module);
}

layout::Shape StoredArrays::AtBorder(hlo::InstructionId id) const {
  const layout::Shape& shape = module_.shape(id);
  return sizes_.has_value() ? sizes_->Laid(shape) : shape;
}

layout::Shape StoredArrays::Within(hlo::InstructionId id) const {
  const layout::Shape& shape = module_.shape(id);
  return sizes_.has_value() ? sizes_->Laid(shape, preferences_->Of(shape)) : shape;
}

layout::Shape StoredArrays::RowMajor(hlo::InstructionId id) const {
  layout::Shape shape = module_.shape(id);
  if (!sizes_.has_value() || !shape.is_array()) return shape;
  shape.set_layout(layout::Layout::Descending(shape.rank()));
  return sizes_->WithTiles(shape);
}

StoredArrays::Size StoredArrays::SizeOf(hlo::InstructionId id) const {
  const auto [at, is_new] = sizes_of_.try_emplace(module_.instruction(id).shape);
  if (!is_new) return at->second;
  const layout::Shape laid = Within(id);
  at->second = {target::Registers(laid), target::LowTiles(laid)};
  return at->second;
}

}  // namespace tessera::target
