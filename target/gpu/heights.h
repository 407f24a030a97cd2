// Which instructions of a computation need which, while some become one.
//
//   Heights heights(program, c);
//   heights.Needs(b, a);          // b needs the result of a, maybe through others
//   heights.Raise({made, ..});    // after instructions were added in the place of others
//
// Each instruction has a height: that of the last one in post-order that it needs, or is. A search goes no
// lower than what it looks for. Cost: what lies between both. Tested by dot_merger_test.cc.

#ifndef TESSERA_TARGET_GPU_HEIGHTS_H_
#define TESSERA_TARGET_GPU_HEIGHTS_H_

#include <cstdint>
#include <vector>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

class Heights {
 public:
  Heights(DeviceProgram& program, ComputationId c);

  bool Needs(InstructionId id, InstructionId what);
  // Operands first. Whatever uses them rises.
  void Raise(const std::vector<InstructionId>& added);

 private:
  DeviceProgram& program_;
  std::vector<uint32_t> heights_, visited_;  // by InstructionId
  uint32_t visit_ = 0;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_HEIGHTS_H_
