#include "tessera/testing/evaluator/modules/inputs.h"

#include <utility>

namespace tessera::testing::evaluator {
namespace {

uint32_t NoiseOf(int64_t cell, int64_t parameter, int64_t leaf) {
  const int64_t mixed = cell * 2654435761 + parameter * 40503 + leaf * 9973;
  return static_cast<uint32_t>(mixed) >> 24;
}

double Small(uint32_t noise) { return (static_cast<double>(noise) - 128) / 64; }

Cell InputCell(ElementType type, int64_t cell, int64_t parameter, int64_t leaf) {
  const uint32_t noise = NoiseOf(cell, parameter, leaf);
  if (type == ElementType::kPred) return {noise & 1, 0, 0};
  if (layout::IsFloat(type)) return Fit(type, {0, Small(noise), 0});
  if (layout::IsComplex(type)) return {0, Small(noise), Small(NoiseOf(cell + 7, parameter, leaf))};
  return Fit(type, {noise % 5, 0, 0});
}

}  // namespace

Array Noise(ElementType type, const ZPoint& dims, int64_t parameter, int64_t leaf) {
  Array out = MakeArray(type, dims);
  Cell* cells = out.cells.Data();
  for (int64_t k = 0; k < out.size(); ++k) cells[k] = InputCell(type, k, parameter, leaf);
  return out;
}

std::vector<Value> MakeInputs(const hlo::Module& module) {
  std::vector<Value> inputs;
  for (hlo::InstructionId id : module.entry().parameters) {
    Value value = MakeValue(module.shape(id));
    int64_t leaf = 0;
    for (Array* array : Leaves(&value))
      *array = Noise(array->type, array->dims, module.instruction(id).parameter_number, leaf++);
    inputs.push_back(std::move(value));
  }
  return inputs;
}

}  // namespace tessera::testing::evaluator
