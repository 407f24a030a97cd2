#include "tessera/pipeline/verbs/costs/target/target_lines.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

MadeByTarget::Part PartOf(const hlo::Module& module, const SourceLocations& locations,
                          const target::CollectivePart& part) {
  MadeByTarget::Part words = {layout::ShapeToString(part.shape.WithoutLayout()), {}, {}, {}};
  for (const hlo::InstructionId source : part.sources) {
    words.sources.emplace_back(module.instruction(source).name);
    words.op_names.push_back(hlo::GetOpName(module, source));
    std::string location = locations.UsersOwn(source);
    if (location.empty() || absl::c_linear_search(words.locations, location)) continue;
    words.locations.push_back(std::move(location));
  }
  return words;
}

MadeByTarget MadeOf(const hlo::Module& module, const SourceLocations& locations,
                    const target::CollectiveOrigin& origin) {
  MadeByTarget made;
  made.pass = std::string(origin.made_by);
  for (const target::CollectivePart& part : origin.parts) {
    made.parts.push_back(PartOf(module, locations, part));
  }
  return made;
}

}  // namespace

absl::StatusOr<std::vector<CollectiveLine>> TargetLines(target::Context context,
                                                        const std::optional<sharding::Mesh>& mesh) {
  PartitionerInput input;
  input.module = std::move(context.program).Release();
  input.mesh = mesh;
  const auto standing = target::FindStanding(input.module);
  if (!standing.ok()) return LocatedInInput(standing.status(), input);
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input, standing->found));
  const SourceLocations locations(input.module);
  for (CollectiveLine& line : lines) {
    line.target = MadeOf(input.module, locations, context.origins.Of(line.made.cause));
    line.consumer.clear();
    line.producer.clear();
    if (line.target->parts.size() < 2) continue;  // else each part has its own
    line.op_name.clear();
    line.location.clear();
  }
  return lines;
}

}  // namespace tessera::pipeline
