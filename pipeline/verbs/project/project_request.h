// A question to `tessera project`, and the regions that answer it.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REQUEST_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/project/project_origins.h"
#include "tessera/pipeline/verbs/project/project_regions.h"
#include "tessera/projection/partition/cuts.h"
#include "tessera/projection/partition/partial.h"
#include "tessera/projection/partition/shards.h"

namespace tessera::pipeline {

// The cells of one operand that the parts of a cut read, by the number of parts that read them.
// Operands in too many pieces to say are left out.
struct SharedOperand {
  std::string name;
  projection::ZPoint shape;
  std::vector<projection::Fragment> fragments;
  int64_t element_bytes = 1;
  int64_t private_bytes = 0, shared_bytes = 0, constant_bytes = 0;  // by one, some, all parts
};

// The cells that all devices together move, so that each has those that its tile needs.
struct DeviceTraffic {
  int64_t missing_bytes = 0;  // fetched, if each computes its tile completely
  int64_t padded_bytes = 0;   // the same with tiles padded to equal extents
  // Where the summed dimension is sharded alike everywhere: each device sums what it holds.
  struct Partial {
    std::string axes;           // of the mesh, along which results are partial
    int64_t group = 1;          // devices that combine
    int64_t tile_bytes = 0;     // of one partial result
    int64_t combine_bytes = 0;  // sent in the all-reduce
    int64_t missing_bytes = 0;  // fetched all the same
  };
  std::optional<Partial> partial;
};

struct ProjectAnswer {
  std::string instruction;  // with {leaf} where the result has several arrays
  projection::Signature signature;
  std::vector<ProjectedBlock> blocks;
  std::vector<std::string> operands;                 // names of the entries of the signature
  projection::ShardPlan plan;                        // the blocks
  std::vector<projection::Growth> growth;            // with --block, one more index of each axis
  std::vector<SharedOperand> shared;                 // with --cut
  std::optional<projection::SplitReduction> stages;  // with --cut of a reduction: the last one cut
  int64_t partial_bytes = 0;                         // of the partial results of all stages
  std::optional<Origins> origins;                    // with --to-inputs or --through
  std::optional<DeviceTraffic> traffic;              // with --device
  std::vector<projection::CutChoice> cuts;           // with --best, the best first
  std::vector<std::string> axes;                     // their names
};

// The array is the second positional; --block, --cut, --device or --best say what of it. Without
// any of them: all of it. `module` must outlive the answer. The message of an error has file, line,
// column and caret of the instruction.
absl::StatusOr<ProjectAnswer> AnswerProject(const hlo::Module& module, const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REQUEST_H_
