// File: testing/evaluator/blocks.h
//
// Runs the entry of a module block by block: each array of each result is cut, and each block is
// computed from operands in which only the cells that the signature names hold their values.
// Everything else is poison.
//
//   BlockRunner runner(module, budget, CutInHalves, Poison::kNan);
//   absl::StatusOr<Value> out = runner.Run(arguments);      // the same bits as Interpreter::Run
//
// The code that computes a block is that of the dense interpreter, on all cells, of which those of
// the block are kept; so any difference is the fault of a signature. Each block is compared with
// the dense result at once: kDataLoss names the instruction, the block and the cell that differ.
// Computations that an instruction calls run inside its block.
#ifndef TESSERA_TESTING_EVALUATOR_BLOCKS_H_
#define TESSERA_TESTING_EVALUATOR_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/signature.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

// What stands where a block must not look. No single poison shows everything (a maximum hides NaN),
// so a check runs with each.
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

class BlockRunner {
 public:
  BlockRunner(const hlo::Module& module, Budget budget, Cutter cutter, Poison poison)
      : module_(module),
        interpreter_(module, budget),
        cutter_(std::move(cutter)),
        poison_(poison) {}

  absl::StatusOr<Value> Run(Values arguments);
  int64_t blocks() const { return blocks_; }  // computed so far

 private:
  absl::StatusOr<Value> Step(hlo::InstructionId id, Values operands);
  absl::Status Compute(hlo::InstructionId id, Values operands, int leaf, const ZRange& block,
                       const projection::Signature& signature, const Array& dense, Array* out);

  const hlo::Module& module_;
  Interpreter interpreter_;
  Cutter cutter_;
  Poison poison_;
  int64_t blocks_ = 0;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_BLOCKS_H_
