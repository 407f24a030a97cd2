#include "tessera/target/kernels/row_updates.h"

namespace tessera::target {

using layout::Shape;

std::vector<int64_t> LargeDims(const Shape& array) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (array.dim(d) > 1) dims.push_back(d);
  }
  return dims;
}

int64_t RowsBeside(const hlo::Module& module, hlo::InstructionId update) {
  if (module.instruction(update).opcode != hlo::Opcode::kDynamicUpdateSlice) return 0;
  const Shape& array = module.shape(update);
  const Shape& part = module.shape(module.operands(update)[1]);
  const std::vector<int64_t> large = LargeDims(array);
  if (large.size() < 3) return 0;
  const int64_t lanes = large.back(), rows = large[large.size() - 2];
  if (part.dim(rows) != 1 || part.dim(lanes) != array.dim(lanes)) return 0;
  int64_t beside = 0;
  for (const int64_t d : large) {
    const bool is_whole = part.dim(d) == array.dim(d);
    if (d == rows || d == lanes) continue;
    if (!is_whole && part.dim(d) != 1) return 0;
    if (is_whole) beside = array.dim(d);
  }
  return beside;
}

int64_t HeadsOf(const hlo::Module& module, hlo::InstructionId update) {
  if (module.instruction(update).opcode != hlo::Opcode::kDynamicUpdateSlice) return 0;
  const Shape& array = module.shape(update);
  const Shape& part = module.shape(module.operands(update)[1]);
  const std::vector<int64_t> large = LargeDims(array);
  if (large.size() < 3 || part.rank() != array.rank()) return 0;
  const int64_t lanes = large.back(), heads = large[large.size() - 2];
  const bool is_whole = part.dim(lanes) == array.dim(lanes) && part.dim(heads) == array.dim(heads);
  return is_whole && part.dim(large[large.size() - 3]) == 1 ? array.dim(heads) : 0;
}

}  // namespace tessera::target
