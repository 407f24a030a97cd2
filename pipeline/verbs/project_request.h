// What `tessera project` was asked, and the regions that answer it.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_REQUEST_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_REQUEST_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verb.h"
#include "tessera/projection/cuts.h"
#include "tessera/projection/signature.h"

namespace tessera::pipeline {

struct ProjectedOperand {
  std::string name;
  projection::ZPoint shape;
  projection::Need need;
  int64_t bytes = 0;  // of the need
  // Of a device.
  std::optional<projection::ZRange> own;
  projection::ZSet missing;
  int64_t missing_bytes = 0;
};

struct ProjectedBlock {
  projection::ZRange block;
  std::vector<ProjectedOperand> operands;
};

struct ProjectAnswer {
  std::string instruction;
  projection::Signature signature;
  std::vector<ProjectedBlock> blocks;
  std::vector<projection::CutChoice> cuts;  // with --best, the best first
};

// The instruction is the second positional; --block, --cut, --device or --best say what of it.
// Without any of them: all of it. `module` must outlive the answer.
absl::StatusOr<ProjectAnswer> AnswerProject(const hlo::Module& module, const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_REQUEST_H_
