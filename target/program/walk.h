// All instructions of a program, as most of XLA's passes go through it: callees before their callers, operands before
// their users.
//
//   for (const InstructionId id : AllInstructions(program)) {
//     program.ReplaceUses(id, other);       // changes are fine
//   }
//
// The order of a computation is that from before its first instruction: instructions that the body adds or takes out
// there are not visited. Cost: linear, as of DeviceProgram::PostOrder(). Tested by walk_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_WALK_H_
#define TESSERA_TARGET_PROGRAM_WALK_H_

#include <cstddef>
#include <vector>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

class AllInstructions {
 public:
  explicit AllInstructions(DeviceProgram& program) : program_(program) {}

  struct End {};
  class Iterator {
   public:
    explicit Iterator(DeviceProgram& program)
        : program_(program), computations_(program.Computations()) {
      Settle();
    }
    InstructionId operator*() const { return order_[next_]; }
    void operator++() {
      ++next_;
      Settle();
    }
    bool operator!=(End) const { return next_ < order_.size(); }

   private:
    // Goes on to an instruction that is there, or to the end.
    void Settle() {
      while (true) {
        while (next_ < order_.size() && program_.IsRemoved(order_[next_])) ++next_;
        if (next_ < order_.size() || computation_ == computations_.size()) return;
        order_ = program_.PostOrder(computations_[computation_++]);
        next_ = 0;
      }
    }

    DeviceProgram& program_;
    const std::vector<ComputationId> computations_;
    std::vector<InstructionId> order_;
    size_t computation_ = 0, next_ = 0;  // what comes next
  };

  Iterator begin() const { return Iterator(program_); }
  End end() const { return {}; }

 private:
  DeviceProgram& program_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_WALK_H_
