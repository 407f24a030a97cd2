// Which values the instructions of one computation stand for: the import looks operands up here.
//
//   InstructionValues table(block, &positions, count);  // see HloProgram::AddTable
//   table.Set(id, {x, y});                      // an instruction of shape (f32[2], f32[3])
//   table.SetPart(element, id, 1, 1);           // get-tuple-element(id), index=1: y
//   table.Get(id)[1]->Resolve();                // y, or what took its place, or null
//
// One value for each leaf of the shape (arrays, tokens, ..), in order of the text. Instructions
// that were never entered give an empty list. Get and SetPart cost O(1), Set O(leaves).

#ifndef TESSERA_SHARDING_PASSES_PROGRAM_INSTRUCTION_VALUES_H_
#define TESSERA_SHARDING_PASSES_PROGRAM_INSTRUCTION_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/program/op.h"

namespace tessera::sharding::passes {

class InstructionValues {
 public:
  // `positions` gives the place of each instruction of the module in its computation, which has
  // `count` of them.
  InstructionValues(const program::Block* block, const std::vector<uint32_t>* positions,
                    size_t count)
      : block_(block), positions_(positions), runs_(count) {
    pool_.reserve(count);  // most instructions are one leaf
  }

  // The copy of the computation that this is about.
  const program::Block* block() const { return block_; }

  // `id` must be an instruction of the computation, here and below.
  void Set(hlo::InstructionId id, absl::Span<program::Value* const> leaves) {
    runs_[(*positions_)[id]] = {static_cast<uint32_t>(pool_.size()),
                                static_cast<uint32_t>(leaves.size())};
    pool_.insert(pool_.end(), leaves.begin(), leaves.end());
  }
  void Set(hlo::InstructionId id, program::Value* leaf) {
    runs_[(*positions_)[id]] = {static_cast<uint32_t>(pool_.size()), 1};
    pool_.push_back(leaf);
  }
  // Sets the values of a tuple element: `count` leaves of `whole` from number `begin` on.
  void SetPart(hlo::InstructionId id, hlo::InstructionId whole, size_t begin, size_t count) {
    const Run& run = runs_[(*positions_)[whole]];
    runs_[(*positions_)[id]] = {run.begin + static_cast<uint32_t>(begin),
                                static_cast<uint32_t>(count)};
  }
  absl::Span<program::Value* const> Get(hlo::InstructionId id) const {
    const Run& run = runs_[(*positions_)[id]];
    return absl::MakeConstSpan(pool_).subspan(run.begin, run.size);
  }
  // Calls f(Value*&) for everything in the table.
  template <typename F>
  void ForEachValue(F f) {
    for (program::Value*& value : pool_) f(value);
  }
  // The same table for another copy; fix its values with ForEachValue.
  InstructionValues CopyFor(const program::Block* block) const {
    InstructionValues copy = *this;
    copy.block_ = block;
    return copy;
  }

 private:
  struct Run {
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  const program::Block* block_;
  const std::vector<uint32_t>* positions_;
  std::vector<Run> runs_;
  std::vector<program::Value*> pool_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROGRAM_INSTRUCTION_VALUES_H_
