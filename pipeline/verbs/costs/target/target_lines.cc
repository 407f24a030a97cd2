#include "tessera/pipeline/verbs/costs/target/target_lines.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/tpu/forms.h"
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

// Without a schedule, as most collectives of the target's finished programs run.
std::optional<InSchedule> FormOf(const target::Target& target, const CollectiveLine& line) {
  const layout::Shape& shape = line.made.shape;
  const int64_t bytes = shape.is_array() ? shape.NumElements().value_or(0) *
                                               layout::BitWidth(shape.element_type()) / 8
                                         : 0;
  const std::optional<bool> synchronous =
      target::IsSynchronous(target, {line.made.opcode, bytes, !line.nesting.empty()});
  if (!synchronous.has_value()) return std::nullopt;
  InSchedule form;
  form.synchronous = *synchronous;
  form.form = *synchronous ? "synchronous by rule" : "asynchronous by rule";
  return form;
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
    line.schedule = FormOf(context.target, line);
    line.consumer.clear();
    line.producer.clear();
    if (line.target->parts.size() < 2) continue;  // else each part has its own
    line.op_name.clear();
    line.location.clear();
  }
  return lines;
}

}  // namespace tessera::pipeline
