// Which buffers are alive when, and the most memory that they take together.
//
//   Program p;
//   p.parameters = {100};
//   p.order = {{100, {0}, BufferKind::kNew}, {100, {1}, BufferKind::kNew}};
//   p.outputs = {2};
//   ProfileOf(p, {})->peak     // 300 bytes
//
// Values are numbered: parameters first, then the instructions in program order. The model is an
// estimate: no fragmentation, no workspaces of kernels, no copies that a compiler inserts.
#ifndef TESSERA_PROJECTION_COST_MEMORY_LIVENESS_H_
#define TESSERA_PROJECTION_COST_MEMORY_LIVENESS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::projection {

enum class BufferKind {
  kNew,          // opens a buffer
  kAlias,        // the buffer of operand 0, under another name
  kInPlace,      // takes the buffer of operand 0 if nobody needs it any more
  kElementwise,  // takes, if allowed, the buffer of the first operand that nobody needs any more and
                 // that is read in order
  kConstant,     // opens a buffer that lives through the whole program
};

struct Step {
  int64_t bytes = 0;
  std::vector<int> operands;  // values
  BufferKind kind = BufferKind::kNew;
  int64_t inner_peak = 0;  // temporaries of computations that run at this step
  // The last so many operands are read in another order than they lie, as by a transpose within the
  // operation.
  size_t reordered = 0;
};

struct Program {
  std::vector<int64_t> parameters;  // bytes of each
  std::vector<Step> order;
  std::vector<int> outputs;  // values
  std::vector<int> donated;  // parameters whose memory the program may use
  // (output, parameter): the output ends in the memory of the parameter. It is made there if it is
  // as large and nobody needs the parameter any more; else it is made in a buffer of its own, which
  // is copied at the end.
  std::vector<std::pair<int, int>> aliased;
  // Memory that the caller holds, and that counts nothing here: buffers of parameters; those of
  // outputs.
  bool parameters_are_callers = false, outputs_are_callers = false;
};

struct LivenessOptions {
  bool reuse_elementwise = true;
};

struct Buffer {
  int64_t bytes;  // 0 for what the caller holds
  int64_t first,
      last;  // positions in the order, inclusive; -1: before the program; its length: to the end
  std::vector<int> values;  // that live in it, in order; the first one opened it
};

struct MemoryProfile {
  std::vector<int64_t> live;  // bytes at each step
  int64_t peak = 0;
  int64_t peak_at = -1;  // first step with it; -1 for an empty program
  std::vector<Buffer> buffers;
  std::vector<std::pair<int, int>>
      reused;  // (value, operand whose buffer it took), in program order
};

// By value: what it is another name of, itself if of nothing. Operands must come before their
// users.
std::vector<int> RootsOf(const Program& program);

// kOverflow; kBadDim for a value that is not there yet.
absl::StatusOr<MemoryProfile> ProfileOf(const Program& program, const LivenessOptions& options);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_LIVENESS_H_
