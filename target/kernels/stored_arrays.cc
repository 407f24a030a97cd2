#include "tessera/target/kernels/stored_arrays.h"

#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {

StoredArrays::StoredArrays(const hlo::Module& module, const Chip* chip) : module_(module) {
  if (chip == nullptr || chip->platform != Platform::kTpu) return;
  sizes_.emplace(*chip);
  wishes_.emplace(module);
}

double StoredArrays::Registers(hlo::InstructionId id) const {
  const auto [at, is_new] = registers_.try_emplace(module_.instruction(id).shape, 0);
  if (!is_new) return at->second;
  const layout::Shape& shape = module_.shape(id);
  at->second =
      target::Registers(sizes_.has_value() ? sizes_->Laid(shape, wishes_->Of(shape)) : shape);
  return at->second;
}

}  // namespace tessera::target
