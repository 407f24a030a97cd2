// The collectives that stand in a module of one device as lines of an answer: of a dump after the
// partitioner, or of a program that a compiler has finished.
//
//   absl::StatusOr<std::vector<CollectiveLine>> lines = StandingLines(std::move(module), mesh);
//   lines->front().schedule->form;          // "asynchronous"

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TARGET_STANDING_LINES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TARGET_STANDING_LINES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

// In descending order of total(). The consumer is the collective itself. Errors as of
// target::FindStanding(), with file, line and caret; OutOfRange if the bytes of all lines together
// do not fit in 64 bits.
absl::StatusOr<std::vector<CollectiveLine>> StandingLines(
    hlo::Module module, const std::optional<sharding::Mesh>& mesh);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TARGET_STANDING_LINES_H_
