// The memory that a finished program takes on one device: the decisions of its compiler, counted.
//
//   absl::StatusOr<CompiledMemory> m = MemoryOfCompiled(module);     // a module of stage final
//   m->device.arguments, m->device.aliased       // as the compiler's report has them
//   m->device.temporaries                        // at the peak, by schedule and live ranges
//   m->device.total()                            // in all: docs/compiled.md
//   ReportedPeak(*m)                             // what the compiler reports as its peak
//   m->others[0].name, m->others[0].bytes        // "VMEM", at the peak of that memory
//
// Layouts, tiles and memory spaces are those of the module; target/buffers has how arrays share
// memory. Padding counts. Cost: that of target/buffers. Tested by compiled_memory_test.cc, and
// against the compilers by testing/compiled.sh.

#ifndef TESSERA_COST_MEMORY_COMPILED_MEMORY_H_
#define TESSERA_COST_MEMORY_COMPILED_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/hlo/module.h"

namespace tessera::cost {

// A memory beside the main one: of a TPU VMEM (1) and SMEM (2), the host's (5), others by number.
struct OtherMemory {
  int64_t space = 0;
  std::string name;         // "VMEM", "memory space 6"
  int64_t bytes = 0;        // arguments, results and constants there, and temporaries at their peak
  int64_t temporaries = 0;  // the part that is temporary
  std::string peak_at;      // the instruction at which temporaries are most; empty without any
};

struct CompiledMemory {
  DeviceMemory device;              // of the main memory; results with the pointers of a tuple
  std::vector<OtherMemory> others;  // by number
};

// InvalidArgument with the offset of an instruction for calls without end; kOverflow.
absl::StatusOr<CompiledMemory> MemoryOfCompiled(const hlo::Module& module);

// peak_memory_in_bytes of JAX's memory_analysis(): what stays for the whole program in any memory, that
// of the host too, and the temporaries of the memory that has most of them.
int64_t ReportedPeak(const CompiledMemory& memory);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_COMPILED_MEMORY_H_
