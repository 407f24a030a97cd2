// Runs a module block by block: each array of each result is cut, and each block is computed from
// nothing but the cells that the signature names.
//
//   BlockRunner runner(module, budget, {CutInHalves, Poison::kNan});
//   absl::StatusOr<Value> out = runner.Run(arguments);      // the same bits as Interpreter::Run
//
// The code that computes a block is that of the dense run, so any difference is the fault of a
// signature. The cells that a block reads are found in one of two ways:
//
//   guards   every read of a cell outside the region is an error, whatever its value would do
//   poison   for kernels that run whole computations (a loop, a fusion, ..): the cells outside the
//            region hold rubbish. No single one shows everything (a maximum hides NaN), so a check
//            runs with each
//
// Computations that an instruction calls are cut in the same way, each instruction of them in the
// first two rounds of a loop. Errors: kDataLoss names the instruction, the block, and the cell that
// differs or that must not be read.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_BLOCKS_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

// What stands where a block must not look.
enum class Poison {
  kNan,      // NaN; integers a fixed odd pattern, pred the opposite
  kLarge,    // a large number; integers all bits flipped
  kShifted,  // the value + 1000
};
inline constexpr Poison kPoisons[] = {Poison::kNan, Poison::kLarge, Poison::kShifted};
Cell Poisoned(ElementType type, const Cell& cell, Poison poison);

// The blocks of array `leaf` of an instruction's result; together they are all of it.
using Cutter = std::function<std::vector<ZRange>(const hlo::Module& module, hlo::InstructionId id,
                                                 int leaf, const ZPoint& dims)>;

// Two parts along the first and along the last dimension that is longer than 1.
std::vector<ZRange> CutInHalves(const hlo::Module& module, hlo::InstructionId id, int leaf,
                                const ZPoint& dims);
// A block for each cell.
std::vector<ZRange> CutInCells(const hlo::Module& module, hlo::InstructionId id, int leaf,
                               const ZPoint& dims);

struct BlockRules {
  BlockRules(Cutter c, Poison p, bool m = false) : cutter(std::move(c)), poison(p), minimal(m) {}

  Cutter cutter;
  Poison poison;
  // Also demand that a block reads every cell that an exact signature names.
  bool minimal;
  // Another check of an instruction, with an interpreter that nobody watches.
  std::function<absl::Status(Interpreter& interpreter, hlo::InstructionId id, Values operands,
                             const Value& dense)>
      also;
};

class BlockRunner {
 public:
  BlockRunner(const hlo::Module& module, Budget budget, BlockRules rules)
      : module_(module),
        interpreter_(module, budget),
        plain_(module, budget),
        rules_(std::move(rules)) {}

  absl::StatusOr<Value> Run(std::vector<Value> arguments);
  int64_t blocks() const { return blocks_; }  // computed so far

 private:
  struct Cut {
    projection::Signature signature;
    std::vector<ZRange> blocks;
  };
  absl::StatusOr<const std::vector<Cut>*> CutsOf(hlo::InstructionId id, const Value& dense);
  absl::StatusOr<Value> Step(hlo::InstructionId id, Values operands);
  absl::Status Compute(hlo::InstructionId id, Values operands, const Part& part,
                       const projection::Signature& signature, const Array& dense);

  const hlo::Module& module_;
  Interpreter interpreter_;  // every instruction goes through Step()
  Interpreter plain_;        // computes blocks
  BlockRules rules_;
  absl::flat_hash_map<hlo::InstructionId, std::unique_ptr<std::vector<Cut>>> cuts_;
  absl::flat_hash_map<hlo::InstructionId, int> visits_;
  int64_t blocks_ = 0;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_BLOCKS_H_
