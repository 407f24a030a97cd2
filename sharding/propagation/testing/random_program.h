// File: random_program.h
//
// Random programs for tests that compare engines: all kinds of ops, data-flow edges, groups,
// barriers, dead code, priorities, sub-axes, sizes that do not divide, use lists in odd orders.
//
//   RandomProgram r(seed);
//   Propagate(r.program(), r.tables(), options);
//
// The same seed gives the same program on every machine.

#ifndef TESSERA_SHARDING_PROPAGATION_TESTING_RANDOM_PROGRAM_H_
#define TESSERA_SHARDING_PROPAGATION_TESTING_RANDOM_PROGRAM_H_

#include <cstdint>

#include "tessera/sharding/propagation/program.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed, int num_ops = 25);

  const Program& program() const { return program_; }
  Tables tables() { return {&meshes_, &shardings_, &rules_}; }
  const Mesh& mesh() const { return meshes_.mesh(0); }

 private:
  MeshTable meshes_;
  ShardingTable shardings_;
  factors::RuleTable rules_;
  Program program_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_TESTING_RANDOM_PROGRAM_H_
