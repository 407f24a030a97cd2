// Arrays of a walk over a program, and which of them are one array or lie in one memory.
//
//   const ValueId v = names.Add(/*origin=*/0, maker);
//   const Values phis = names.Continued({v}, loop);   // new arrays in the memory of v: XLA's phi values
//   names.Home(phis[0]);                              // v: where it lies
//   names.Equate(phis[0], v);                         // the loop did not change it
//   names.Same(phis[0]);                              // v: what it is
//
// Cost: that of a union-find. Tested by array_names_test.cc.

#ifndef TESSERA_TARGET_BUFFERS_ARRAY_NAMES_H_
#define TESSERA_TARGET_BUFFERS_ARRAY_NAMES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/buffers/live_values.h"

namespace tessera::target {

class ArrayNames {
 public:
  ValueId Add(ValueId origin, hlo::InstructionId maker);
  // A new array in the memory of each of these, at an instruction.
  std::vector<ValueId> Continued(const std::vector<ValueId>& values, hlo::InstructionId at);

  // The first of the arrays in the same memory.
  ValueId Home(ValueId v);
  // The first name of the array.
  ValueId Same(ValueId v);
  // Both lie in one memory.
  void Join(ValueId a, ValueId b);
  // `v`, which had no other name, is `earlier`.
  void Equate(ValueId v, ValueId earlier) { same_[v] = earlier; }

  // home, origin and makers.
  void GiveTo(LiveValues* live) &&;

 private:
  std::vector<ValueId> home_, same_, origin_;  // by ValueId
  std::vector<hlo::InstructionId> makers_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_ARRAY_NAMES_H_
