// The question to the verb `layout`, with every text already parsed.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_REQUEST_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

struct LayoutRequest {
  layout::Shape shape;  // with --sharding, what one device holds
  // With --sharding: the array as given, and the text of the flag.
  std::optional<layout::Shape> whole;
  std::string sharding;
  std::optional<std::vector<int64_t>> index;
  std::optional<int64_t> offset;
  std::optional<layout::TileRules> rules;
  std::optional<layout::Shape> to;  // the same array in another layout
  bool ops = false;
  bool hlo = false;
  bool draw = false;
  bool memory = false;

  // True if nothing special was asked: then the sizes are the answer.
  bool only_sizes() const {
    return !index && !offset && !rules && !to && !ops && !hlo && !draw && !memory;
  }
};

// Errors have file, line, column and caret where a text is at fault.
absl::StatusOr<LayoutRequest> ParseLayoutRequest(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_LAYOUT_REQUEST_H_
