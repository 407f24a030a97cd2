#include "tessera/pipeline/verbs/costs/target/target_lines.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/collective_readers.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/target/collectives/slices.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/tpu/forms.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

MadeByTarget::Part PartOf(const hlo::Module& module, const SourceLocations& locations,
                          const target::CollectivePart& part) {
  MadeByTarget::Part words = {
      layout::ShapeToString(part.shape.WithoutLayout()), {}, {}, {}, layout::DataBytes(part.shape)};
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

// By collective: whether it is synchronous.
using Forms = absl::flat_hash_map<hlo::InstructionId, bool>;

// By the modelled schedule of a GPU; of a TPU as most collectives of its finished programs run.
std::optional<InSchedule> FormOf(const target::Target& target, const CollectiveLine& line,
                                 const Forms& forms) {
  const auto modelled = forms.find(line.made.cause);
  const layout::Shape& shape = line.made.shape;
  const int64_t bytes = shape.is_array() ? layout::DataBytes(shape) : 0;
  const bool spans_slices =
      target.slices > 1 && target::SpansSlices(line.made, target.slice_devices());
  std::optional<bool> synchronous =
      target::IsSynchronous(target, {line.made.opcode, bytes, !line.nesting.empty(), spans_slices});
  if (modelled != forms.end()) synchronous = modelled->second;
  if (!synchronous.has_value()) return std::nullopt;
  InSchedule form;
  form.synchronous = *synchronous;
  form.form = absl::StrCat(*synchronous ? "synchronous" : "asynchronous", " by ",
                           modelled != forms.end() ? "model" : "rule");
  return form;
}

}  // namespace

absl::StatusOr<std::vector<CollectiveLine>> TargetLines(target::Context context,
                                                        const std::optional<sharding::Mesh>& mesh,
                                                        bool models_schedule) {
  const Forms forms = models_schedule ? cost::ScheduleOf(context).is_synchronous : Forms();
  PartitionerInput input;
  input.module = std::move(context.program).Release();
  input.mesh = mesh;
  const auto standing = target::FindStanding(input.module);
  if (!standing.ok()) return LocatedInInput(standing.status(), input);
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input, standing->found));
  for (CollectiveLine& line : lines) {
    line.schedule = FormOf(context.target, line, forms);
    line.consumer.clear();
    line.producer.clear();
  }
  NameOrigins(input.module, context.origins, &lines);
  return lines;
}

absl::StatusOr<std::vector<CollectiveLine>> LinesOnTarget(const PartitionerInput& input,
                                                          const TargetChoice& choice) {
  TESSERA_ASSIGN_OR_RETURN(const auto passes, target::PassesOf(choice.target));
  TESSERA_ASSIGN_OR_RETURN(const auto context, PartitionOn(input, choice));
  TESSERA_RETURN_IF_ERROR(target::RunPasses(passes, context.get()));
  return TargetLines(std::move(*context), input.mesh);
}

void NameOrigins(const hlo::Module& module, const target::Provenance& origins,
                 std::vector<CollectiveLine>* lines) {
  const SourceLocations locations(module);
  for (CollectiveLine& line : *lines) {
    line.target = MadeOf(module, locations, origins.Of(line.made.cause));
    if (line.target->parts.size() < 2) continue;
    line.op_name.clear();
    line.location.clear();
  }
  NameReaders(module, locations, lines);
}

}  // namespace tessera::pipeline
