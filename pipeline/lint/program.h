// The input of the rules of lint: a sharded program as plain data, in the words of the user.
//
//   LintProgram program;
//   program.tensors.push_back({"w", "f32[4096,4096]", "P()", "params['w']", "model.py:41", ..});
//
// `tessera lint` fills it (pipeline/verbs/lint/lint_input.h). Bytes are those of one device.

#ifndef TESSERA_PIPELINE_LINT_PROGRAM_H_
#define TESSERA_PIPELINE_LINT_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tessera::pipeline::lint {

struct LintTensor {
  std::string name, shape, spec, op_name, location;  // location: "model.py:41", "" if not known
  bool is_made = true;         // by an operation, or an argument: no constant, no iota
  int64_t bytes = 0;           // of the largest share
  int64_t whole = 0;           // of the whole array
  int64_t shares = 1;          // devices that hold different parts
  int64_t devices = 1;         // of the mesh; 1 without a sharding
  int argument = -1;           // the number of an argument of the program
  int result = -1;             // the number of a result
  bool is_aliased = false;     // argument: donated; result: in the memory of an argument
  bool is_lost_donor = false;  // argument: donated, and no result takes its memory
};

struct LintCollective {
  std::string op, shape, axes, consumer, location;
  int64_t sent = 0;  // in all runs
  int64_t runs = 1;
  std::string loop;   // the innermost loop around it, "" outside of loops
  std::string asked;  // the moved tensor, where the consumer has the axes; else ""
};

// An array that each device holds whole on the way from one sharding to another.
struct LintRematerialization {
  std::string name, shape, from, to, location;  // from, to: "P('data', None)", "" if not known
  int64_t bytes = 0;                            // of the array
};

// An array as the target keeps it.
struct LintBuffer {
  std::string name, shape, location;
  int64_t bytes = 0, padding = 0;  // padding: of the bytes
  std::string better_shape;        // a layout with less padding, "" if none is known
  int64_t better_bytes = 0;
};

struct LintProgram {
  std::vector<LintTensor> tensors;
  // Of what follows, not OK where the partitioner refuses the program.
  absl::Status partitioned;
  std::vector<LintCollective> collectives;                // most bytes first
  std::vector<LintRematerialization> rematerializations;  // most sent bytes first
  std::vector<LintBuffer> buffers;  // arguments, and what is alive at the peak
  int64_t memory = 0;
  int64_t memory_low = 0, memory_high = 0;  // its error band; both are `memory` without a target
  std::string peak_at;                      // an instruction
  std::string memory_limit_of;              // "--memory-limit=16GiB", "tpu-v5e"
};

}  // namespace tessera::pipeline::lint

#endif  // TESSERA_PIPELINE_LINT_PROGRAM_H_
