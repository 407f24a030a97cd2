// Whether instructions of a computation stand one after the other: of any two, one needs the other's result.
//
//   Chains chains(program, c);
//   chains.IsChain({a, b, d});      // b needs a, and d needs b, each maybe through others
//
// No combiner makes one of two members of a chain, in whatever order the kernels come: fusion takes no dependence
// away. The sums over devices of a network whose weights are split are such a chain, a few to a layer.
//
// Cost: linear in the computation for each question. Tested by combine_test.cc.

#ifndef TESSERA_TARGET_COMBINE_CHAINS_H_
#define TESSERA_TARGET_COMBINE_CHAINS_H_

#include <cstdint>
#include <vector>

#include "tessera/target/program/device_program.h"

namespace tessera::target {

class Chains {
 public:
  // Reads the program as long as it is there, unchanged.
  Chains(DeviceProgram& program, ComputationId c);

  bool IsChain(std::vector<InstructionId> members);

 private:
  // Cost: what lies between both in post-order.
  bool Needs(InstructionId id, InstructionId what);

  const DeviceProgram& program_;
  std::vector<uint32_t> places_, visited_;  // by instruction: in post-order, and the last visit
  uint32_t visit_ = 0;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COMBINE_CHAINS_H_
