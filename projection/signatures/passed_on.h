// Arrays that operations pass on as they are: tuple, get-tuple-element and opt-barrier only put
// values together or take them apart.
//
//   PassedOn passed_on(&module);
//   passed_on.Read(id);         // t = (f32[2], (f32[3], f32[4])) tuple(a, b)
//   passed_on.After(id, 2);    // {b, 1}: the third array of t is the second one of b
//
// Cost: of Read the size of a tuple's shape, once a shape; of After a search among its elements.
// Tested by signature_of_test.cc.
#ifndef TESSERA_PROJECTION_SIGNATURES_PASSED_ON_H_
#define TESSERA_PROJECTION_SIGNATURES_PASSED_ON_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"

namespace tessera::projection {

// An array of the result of an instruction, in order of the text.
struct ResultArray {
  hlo::InstructionId id;
  int leaf;
};

class PassedOn {
 public:
  explicit PassedOn(const hlo::Module* module) : module_(module) {}

  // Whether it is one of those operations.
  bool Is(hlo::InstructionId id) const;
  // Before After is asked of it.
  void Read(hlo::InstructionId id);
  // The array of an operand that array `leaf` of the result is.
  ResultArray OperandArray(hlo::InstructionId id, int leaf) const;

 private:
  hlo::ShapeId TupleOf(hlo::InstructionId id) const;

  const hlo::Module* module_;
  absl::flat_hash_map<hlo::ShapeId, std::vector<int>> starts_;  // ArrayStarts of tuples
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_PASSED_ON_H_
