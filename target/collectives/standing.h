// The collectives that stand in a module of one device: those of the partitioner, of the passes
// after it, or of a program that a compiler has finished.
//
//   absl::StatusOr<StandingCollectives> all = FindStanding(module);      // stage.h: IsPerDevice
//   const Collective& c = all->found.collectives[k];                     // partitioner.h
//   c.opcode, c.shape, c.groups;            // kAllGather f32[16,32] {{0,1},{2,3}}
//   const Execution& e = all->executions[k];
//   e.form;                                 // Form::kAsynchronous
//   e.begin, e.end;                         // the instructions that start and end it
//   e.between.products;                     // dots and convolutions that run meanwhile
//
// The list has the type that sharding/partition gives for a module before the partitioner. So
// bytes, runs, axes and time are counted alike for both. `cause` and `named` are the collective
// itself, `producer` is what it moves (of a parameter of a fusion or an asynchronous computation,
// the operand of its caller), `dimensions` and `reduction` are as written. A body stands for each
// loop, branch and call through which one is reached.
//
// One collective here may be several instructions in the module:
//   - a start and its done, also where the operation between them is in a computation of its own;
//   - the stages of an asynchronous fusion of a TPU, which carry one `chain_id`: begin is the first
//     of them, end the last;
//   - a send and a receive of hosts, between slices of TPUs (slice_transfers.h);
//   - an all-reduce and the slice after it, fused, which a TPU runs as a reduce-scatter: that is
//     its opcode, and its shape is that of the slice.
//
// Cost: linear in the instructions that run, a computation that is called twice counted twice
// (hlo/call_limits.h). Errors are InvalidArgument with the offset of an instruction, for groups
// beyond 2^24 devices and calls without end. Tested by standing_test.cc, and against the lists of
// the compilers by testing/compiled.

#ifndef TESSERA_TARGET_COLLECTIVES_STANDING_H_
#define TESSERA_TARGET_COLLECTIVES_STANDING_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::target {

enum class Form : uint8_t {
  kSynchronous,   // one instruction
  kFused,         // in a fusion that waits for it
  kSyncStart,     // a start and a done that the back end runs as one (is_sync)
  kAsynchronous,  // a start and a done, or a chain of fusions
};

// The instructions between start and done in the schedule. Parameters, constants, tuples, their
// elements and bitcasts do not count.
struct Between {
  int64_t instructions = 0;
  int64_t products = 0;     // dots, convolutions, and fusions and calls with one
  int64_t collectives = 0;  // that run, start or end there
};

struct Execution {
  Form form = Form::kSynchronous;
  // In the schedule of one computation; begin is the collective where nothing is started, end is
  // kNoId where the done is not in the computation of the start.
  hlo::InstructionId begin = hlo::kNoId, end = hlo::kNoId;
  Between between;

  bool is_synchronous() const { return form != Form::kAsynchronous; }
};

struct StandingCollectives {
  sharding::partition::Partitioned found;
  std::vector<Execution> executions;  // one for each of found.collectives
};

absl::StatusOr<StandingCollectives> FindStanding(const hlo::Module& module);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COLLECTIVES_STANDING_H_
