// Values that are the same on all devices.
//
//   const Replication replication(program);
//   replication.IsTheSame(index);            // true: a row of a table of constants, at the counter
//
// Tested by collective_passes_test.cc.

#ifndef TESSERA_TARGET_PASSES_LOOPS_REPLICATION_H_
#define TESSERA_TARGET_PASSES_LOOPS_REPLICATION_H_

#include "absl/container/flat_hash_map.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

class Replication {
 public:
  // Linear in the program.
  explicit Replication(const DeviceProgram& program);

  // `id` is an array. Linear in what it is made of.
  bool IsTheSame(InstructionId id) const;

 private:
  friend class ReplicationSearch;

  const DeviceProgram& program_;
  absl::flat_hash_map<ComputationId, InstructionId> loops_;  // by body and by condition
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_LOOPS_REPLICATION_H_
