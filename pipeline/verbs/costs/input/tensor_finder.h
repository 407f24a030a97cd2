// From arrays of the partitioner's input to the tensors of the program that they are.
//
//   TensorFinder finder(input);
//   finder.Add({loop, 7}, &tensors);     // while.2{11}: a loop carries its arrays in another order
//   finder.IsTensor(copy);               // false: add.3 itself is the tensor, this one is resharded
//
// Cost: an array that tuples lead to costs the tuples on its way; a loop is looked at once.
// Tested by device_arrays_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_INPUT_TENSOR_FINDER_H_
#define TESSERA_PIPELINE_VERBS_COSTS_INPUT_TENSOR_FINDER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"

namespace tessera::pipeline {

// An array of an instruction.
struct ArrayPlace {
  hlo::InstructionId instruction = hlo::kNoId;
  int leaf = 0;

  friend bool operator==(ArrayPlace a, ArrayPlace b) {
    return a.instruction == b.instruction && a.leaf == b.leaf;
  }
  friend bool operator<(ArrayPlace a, ArrayPlace b) {
    return a.instruction != b.instruction ? a.instruction < b.instruction : a.leaf < b.leaf;
  }
};
using ArrayPlaces = absl::InlinedVector<ArrayPlace, 1>;

// The operations that arrays pass through as they are.
inline bool IsPath(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kTuple || opcode == hlo::Opcode::kGetTupleElement;
}

// The module that has the tensors: what was propagated, else what was read.
const hlo::Module& NamingModule(const PartitionerInput& input);

class TensorFinder {
 public:
  // `input` must outlive this.
  explicit TensorFinder(const PartitionerInput& input);

  // Adds the tensors of NamingModule() that an array of `input` is, through tuples. None for what
  // propagation inserted.
  void Add(ArrayPlace place, ArrayPlaces* tensors);
  // Is it the tensor, and no copy of it in another sharding? Of several instructions with one source
  // those with its opcode are.
  bool IsTensor(hlo::InstructionId id) const;
  // How many arrays it has.
  size_t CountOf(hlo::InstructionId id) { return numbers_.Count(input_.module.shape(id)); }
  // The number of the first array of element `index` of a tuple shape.
  int LeafAt(const layout::Shape& tuple, int64_t index);

 private:
  using Elements = std::vector<absl::InlinedVector<int, 1>>;  // leaves of the source, by array

  bool HasOpcodeOfSource(hlo::InstructionId id) const;
  ArrayPlace ThroughTuples(ArrayPlace place);
  // Until the next call.
  const Elements& ElementsOf(hlo::InstructionId id, const std::vector<std::pair<int, int>>& leaves);

  const PartitionerInput& input_;
  std::vector<bool> has_own_opcode_;  // by instruction of the naming module
  layout::LeafNumbers numbers_;
  absl::flat_hash_map<hlo::InstructionId, Elements> elements_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_INPUT_TENSOR_FINDER_H_
