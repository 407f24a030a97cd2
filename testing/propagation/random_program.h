// Random programs for tests that compare engines: all kinds of ops, data-flow edges, groups,
// barriers, dead code, priorities, sub-axes, sizes that do not divide, use lists in odd orders.
//
//   RandomProgram r(seed);
//   Propagate(r.program(), r.tables(), options, r.rule_source());
//
// The same seed gives the same program on every machine.

#ifndef TESSERA_TESTING_PROPAGATION_RANDOM_PROGRAM_H_
#define TESSERA_TESTING_PROPAGATION_RANDOM_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/step/tables.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::sharding::propagation {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed, int num_ops = 25);

  const NumberedProgram& program() const { return program_.numbered(); }
  Tables tables() { return program_.tables(); }
  RuleSource rule_source() const { return program_.rule_source(); }
  std::vector<RuleId> AllRules() const { return program_.AllRules(); }
  const Mesh& mesh() { return program_.meshes().mesh(0); }

 private:
  TestProgram program_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_RANDOM_PROGRAM_H_
