// Custom calls: markers of sharding and placement, top-k, and those that nobody here knows. What
// the latter compute is not part of HLO; for a test of projections any function will do that really
// depends on every cell of every operand, as the signature says of them: a scramble.
#include <algorithm>
#include <iterator>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/modules/scramble.h"

namespace tessera::testing::evaluator {
namespace {

struct TargetRow {
  absl::string_view target;
  Kernel kernel;
};
constexpr TargetRow kTargets[] = {
    {"ApproxTopK", ApproxTopK},
    {"PartialReduce", ApproxTopK},
    {"Sharding", FirstOperand},
    {"annotate_device_placement", FirstOperand},
    {"MoveToDevice", FirstOperand},
    {"MoveToHost", FirstOperand},
    {"TopK", TopK},
    {"xla.sdy.FuncResultSharding", FirstOperand},
    {"xla.sdy.PropagationBarrier", FirstOperand},
    {"xla.sdy.ShardingGroup", Zero},
};

uint64_t Mixed(uint64_t seed, const Array& array) {
  for (int64_t i = 0; i < array.size(); ++i) {
    const Cell& cell = array.cells[i];
    seed = Scramble(seed ^ BitsOf(array.type, cell));
    if (layout::IsComplex(array.type)) seed = Scramble(seed ^ BitsOf(array.type, {0, cell.im, 0}));
  }
  return seed;
}

absl::StatusOr<Value> Scrambled(const Op& op) {
  uint64_t seed = 0;
  for (const Value* operand : op.operands) {
    for (const Array* array : Leaves(*operand)) seed = Mixed(seed, *array);
  }
  Value out = MakeValue(op.shape());
  for (Array* array : Leaves(&out)) {
    Cell* cells = array->cells.Data();
    for (int64_t i = 0; i < array->size(); ++i) cells[i] = ScrambledCell(array->type, seed++);
  }
  return out;
}

bool ChangesShape(const hlo::Module& module, hlo::InstructionId id) {
  if (module.operands(id).empty()) return true;
  const layout::Shape &from = module.shape(module.operands(id)[0]), &to = module.shape(id);
  return from.is_array() != to.is_array() || (to.is_array() && from.dims() != to.dims());
}

// Null for a call that nobody here knows.
Kernel KnownKernel(const hlo::Module& module, hlo::InstructionId id) {
  const std::string target = hlo::GetCustomCallTarget(module, id);
  const TargetRow* row = std::find_if(std::begin(kTargets), std::end(kTargets),
                                      [&](const TargetRow& r) { return r.target == target; });
  if (row == std::end(kTargets)) return nullptr;
  return row->kernel == FirstOperand && ChangesShape(module, id) ? nullptr : row->kernel;
}

}  // namespace

bool IsScrambled(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == Opcode::kCustomCall && KnownKernel(module, id) == nullptr;
}

absl::StatusOr<Value> CustomCall(const Op& op) {
  const Kernel kernel = KnownKernel(op.module, op.id);
  return kernel == nullptr ? Scrambled(op) : kernel(op);
}

}  // namespace tessera::testing::evaluator
