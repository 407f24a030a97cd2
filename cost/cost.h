// The cost of a sharded program on a machine: the manual of the package, and all of it in one
// include.
//
// It starts with a module as XLA's partitioner gets it, a sharding on each instruction, such as
// pipeline::Shard(..)->ToHlo() gives (tessera/pipeline/sharded_module.h). It is partitioned once, and
// everything here is asked of the module that a device runs:
//
//   const auto device = sharding::partition::PartitionModule(module, behaviors);
//
//   const auto memory = cost::MemoryOf(*device);
//   memory->total();                      // bytes of one device; at_peak: the largest
//
//   const auto machine = cost::ReadMachine("tpu-v5e:2x4", mesh, 8);   // or a textproto
//   const auto step = cost::CostOfStep(module, *device, &*machine);
//   step->memory, step->sent;             // bytes of one device, loops by their trips
//   step->seconds();                      // device_s + network_s: nothing overlaps
//
//   cost::CostOf(device->found.collectives[0], *machine).formula;
//                                         // "ring of 4: 2 steps, 1024 bytes on the busiest link"
//
// Many variants of a program, worked out on all cores, are ranked with sweep/ranking.h;
// search/descent.h looks for the best of more than can be tried. They do not know variants, nor how
// one is propagated: the verbs sweep and suggest do that.
//
// Units: bytes are of one device unless a name says otherwise, seconds are seconds, times of
// presets are those of their tables (docs/reshards.md, which says too how far memory is from what
// XLA allocates). Errors are InvalidArgument with file, line and caret for what a user wrote,
// OutOfRange or kOverflow for sums that leave 64 bits. Nothing is printed, nothing is global, and
// all functions may be called from many threads. The example is compiled in
// header_examples_test.cc and in examples/consumer.

#ifndef TESSERA_COST_COST_H_
#define TESSERA_COST_COST_H_

// IWYU pragma: begin_exports
#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/network/payload.h"
#include "tessera/cost/search/descent.h"
#include "tessera/cost/step/opaque_calls.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/cost/sweep/ranking.h"
// IWYU pragma: end_exports

#endif  // TESSERA_COST_COST_H_
