// The computations of a module as programs over buffers (liveness.h): every array of every result
// is a value, in the order of execution.
//
//   MemoryPrograms programs(module, options);
//   std::vector<ArrayOf> arrays;                                        // by value
//   absl::StatusOr<Program> p = programs.Of(module.entry_id(), Role::kEntry, &arrays);
//   programs.constants();                                               // bytes
//
// A computation that an instruction runs is a program of its own. Its peak is added at that
// instruction, where the last array of the result is made. It is computed once for all instructions
// that run it; the whole is linear.
#ifndef TESSERA_PROJECTION_COST_MEMORY_MEMORY_PROGRAM_H_
#define TESSERA_PROJECTION_COST_MEMORY_MEMORY_PROGRAM_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/memory/liveness.h"
#include "tessera/projection/cost/memory/memory_steps.h"
#include "tessera/projection/cost/memory/peak_memory.h"

namespace tessera::projection {

// A computation as its caller sees it. The caller holds the memory of the parameters.
enum class Role : uint8_t {
  kEntry,     // the program: nobody else holds anything
  kLoopBody,  // each output ends in the memory of the parameter of its number
  kCallee,    // the caller holds the memory of the outputs, too
  kTest,      // of a loop: it makes an output of its own
};

struct Callee {
  hlo::ComputationId computation = 0;
  Role role = Role::kCallee;
};
// The computations that an instruction runs as parts of the program; none inside fusions and
// reducers.
std::vector<Callee> CalleesOf(const hlo::Module& module, hlo::InstructionId id);

class MemoryPrograms {
 public:
  MemoryPrograms(const hlo::Module& module, const MemoryOptions& options);

  // `arrays`: those of the values. kOverflow; of the entry kBadDim (entry_aliases.h).
  absl::StatusOr<Program> Of(hlo::ComputationId computation, Role role,
                             std::vector<ArrayOf>* arrays);

  // Arrays that are constants, in the computations that were worked out, each once. Scalars are in
  // the code.
  int64_t constants() const { return constants_; }

 private:
  // Values of instructions: a run of a pool for each.
  class Values {
   public:
    explicit Values(size_t instructions) : runs_(instructions) {}
    absl::Span<const int> Of(hlo::InstructionId id) const {
      return absl::MakeConstSpan(pool_).subspan(runs_[id].begin, runs_[id].size);
    }
    void Set(hlo::InstructionId id, absl::Span<const int> values) {
      runs_[id] = {pool_.size(), values.size()};
      pool_.insert(pool_.end(), values.begin(), values.end());
    }

   private:
    struct Run {
      size_t begin = 0, size = 0;
    };
    std::vector<Run> runs_;
    std::vector<int> pool_;
  };

  // A program while it is made.
  struct Draft {
    Program program;
    std::vector<ArrayOf>* arrays;
    int first_step = 0;
  };

  absl::Status AddParameters(const hlo::Computation& computation, Draft* draft);
  absl::Status AddSteps(hlo::InstructionId id, Draft* draft);
  absl::Status AddOutputs(const hlo::Computation& computation, Role role, Draft* draft);
  absl::StatusOr<int64_t> BytesOfStep(hlo::InstructionId id, const layout::Shape& array);
  absl::Span<const int> OperandValues(hlo::InstructionId id, std::vector<int>* gathered) const;
  absl::StatusOr<int64_t> WhileItRuns(hlo::InstructionId id);
  absl::StatusOr<int64_t> PeakOf(const Callee& callee);

  const hlo::Module& module_;
  const MemoryOptions& options_;
  LeafStarts starts_;
  ExecutionOrder order_;
  Values values_;
  int64_t constants_ = 0;
  absl::flat_hash_set<hlo::InstructionId> counted_;  // of these
  absl::flat_hash_map<std::pair<hlo::ComputationId, Role>, int64_t> peaks_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_MEMORY_MEMORY_PROGRAM_H_
