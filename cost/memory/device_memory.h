// The memory that a sharded program takes on one device.
//
//   const auto device = sharding::partition::PartitionModule(module, behaviors);
//   absl::StatusOr<DeviceMemory> m = MemoryOf(*device);
//   m->arguments, m->results, m->aliased      // exact: what memory_analysis() of JAX says
//   m->temporaries                            // an estimate, by liveness
//   m->total()                                // what must fit
//
// Everything is read from the module that a device runs. Arguments, results and what these share
// follow from it. Temporaries do not: which operations become one kernel, and in which order they
// run, is decided later. They are the most that is alive at once in post-order. What is fused
// (fused.h) has no buffer. An element-wise operation works in the buffer of an operand that nobody
// needs any more, a loop in the memory of what it carries. An instruction with a side effect is
// alive. docs/memory.md has how far that is from what XLA allocates.
//
// Cost: linear in the instructions. Tested by device_memory_test.cc and testing/costs.

#ifndef TESSERA_COST_MEMORY_DEVICE_MEMORY_H_
#define TESSERA_COST_MEMORY_DEVICE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {

struct DeviceBuffer {
  std::string name;    // of the instruction, followed by {K} for one array of several
  std::string shape;   // on the device; with its layout where that is tiled
  std::string inside;  // the loop, call or branch in which it is alive; empty: in the entry
  hlo::InstructionId instruction = hlo::kNoId;  // of the device's module
  // Whose value it is in the program that was partitioned; kNoId for what the partitioner inserts.
  // Of a compiled module: `instruction`.
  hlo::InstructionId source = hlo::kNoId;
  size_t leaf = 0;  // which array of its result
  int64_t bytes = 0;
  int64_t padding = 0;  // of these
  // Of an array in tiles: a layout in which it would take less, if there is one.
  std::string better_shape;
  int64_t better_bytes = 0;
};

struct DeviceMemory {
  int64_t arguments = 0;
  int64_t results = 0;    // with the pointers of a tuple, 8 bytes each
  int64_t aliased = 0;    // of the results, in the memory of arguments
  int64_t constants = 0;  // arrays, each once; memory_analysis() leaves them out
  int64_t temporaries = 0;
  std::string peak_at;  // the instruction at which temporaries are most
  // Temporaries alive there, also in what runs there, at its own peak; largest first.
  std::vector<DeviceBuffer> at_peak;
  std::vector<DeviceBuffer> argument_list;  // largest first

  int64_t total() const { return arguments + results - aliased + constants + temporaries; }
};

// Temporaries over the steps of the entry computation: a loop or a call is one step.
//
//   steps: [0, 512, 1536, 1024]      lifetimes: {"dot.7", 1, 2, 512}, {"add.3", 2, 3, 1024}
struct MemoryTimeline {
  struct Lifetime {
    std::string name;             // as of DeviceBuffer
    int64_t first = 0, last = 0;  // steps
    int64_t bytes = 0;
  };
  std::vector<int64_t> steps;       // bytes of all temporaries and what loops need inside
  std::vector<Lifetime> lifetimes;  // in order of `first`
};

// kOverflow. With `timeline` that is filled too. With `tiles` arrays are padded as that hardware keeps
// them (tiled_layouts.h).
absl::StatusOr<DeviceMemory> MemoryOf(const sharding::partition::PartitionedModule& program,
                                      MemoryTimeline* timeline = nullptr,
                                      const layout::TileRules* tiles = nullptr);

// The sum of it alone, of the device's module and what of it has no buffer. kOverflow.
absl::StatusOr<int64_t> TotalMemoryOf(const hlo::Module& device, Fused fused);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_DEVICE_MEMORY_H_
