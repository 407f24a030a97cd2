// The arrays of computations, and who reads them: tuples and what is taken out of them are looked
// through.
//
//   ArrayBuffers buffers(program, {c});
//   buffers.Of(gte);                  // {while, 2}: what get-tuple-element takes
//   buffers.UsesOf({while, 2});       // (user, operand) for each array operand
//
// A tuple within a tuple is not looked into: what is taken out of it counts as made where it is taken.
// A bitcast is looked through where it keeps the sizes.
//
// Cost: linear: the array after each array is found once. Tested by buffers_test.cc.

#ifndef TESSERA_TARGET_GPU_LAYOUTS_BUFFERS_H_
#define TESSERA_TARGET_GPU_LAYOUTS_BUFFERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// An array that an instruction makes: its result, or an element of it.
using BufferId = std::pair<InstructionId, int64_t>;
using OperandId = std::pair<InstructionId, size_t>;

class ArrayBuffers {
 public:
  ArrayBuffers(DeviceProgram& program, absl::Span<const ComputationId> computations);

  // Of an instruction that is an array.
  BufferId Of(InstructionId id) const { return Of(id, 0); }
  // Element `leaf` of a tuple; of an array 0.
  BufferId Of(InstructionId id, int64_t leaf) const;
  const layout::Shape& ShapeOf(const BufferId& buffer) const;
  // Arrays, in the order of the computations.
  const std::vector<BufferId>& all() const { return all_; }
  const std::vector<OperandId>& UsesOf(const BufferId& buffer) const;

 private:
  bool HandsOn(InstructionId id) const;
  void AddComputation(ComputationId c);
  void AddMade(InstructionId id);

  DeviceProgram& program_;
  absl::flat_hash_map<InstructionId, BufferId> after_;  // of arrays that are handed on
  std::vector<BufferId> all_;
  absl::flat_hash_map<BufferId, std::vector<OperandId>> uses_;
  std::vector<OperandId> none_;
};

// Elements of a tuple; of an array 1.
size_t LeavesOf(const layout::Shape& shape);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_GPU_LAYOUTS_BUFFERS_H_
