// Which instructions of a computation need which, while some become one.
//
//   Heights heights(program, c);
//   heights.MarkBeside(a, {b, c});    // what a needs, and what needs a, maybe through others
//   heights.IsMarked(b);
//   heights.Raise({made, ..});        // after instructions were added in the place of others
//
// Each instruction has a height: that of the last one in post-order that it needs, or is. A walk goes no lower and no
// higher than those that are asked for. Cost: what lies between them. Tested by dot_merger_test.cc.

#ifndef TESSERA_TARGET_GPU_HEIGHTS_H_
#define TESSERA_TARGET_GPU_HEIGHTS_H_

#include <cstdint>
#include <vector>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

class Heights {
 public:
  Heights(DeviceProgram& program, ComputationId c);

  // Of `others` those that `id` needs or that need it, until the next call or change.
  void MarkBeside(InstructionId id, const std::vector<InstructionId>& others);
  bool IsMarked(InstructionId other) const { return visited_[other] == visit_; }
  // Operands first. Whatever uses them rises.
  void Raise(const std::vector<InstructionId>& added);

 private:
  template <typename Neighbors>
  void Mark(InstructionId id, const Neighbors& neighbors);

  DeviceProgram& program_;
  std::vector<uint32_t> heights_, visited_;  // by InstructionId
  uint32_t visit_ = 0;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_HEIGHTS_H_
