#include "tessera/pipeline/explain/explanation.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/refusals/verdict_text.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/gains.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;
using sharding::explain::AxesAt;
using sharding::explain::EventLog;
using sharding::explain::SlotId;

// The axes of all meshes, each once.
std::vector<std::string> AxisNames(const sharding::MeshTable& meshes) {
  std::vector<std::string> names;
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) {
      if (!absl::c_linear_search(names, axis.name)) names.push_back(axis.name);
    }
  }
  return names;
}

// The axes of a dimension in the end, and after them those that it had after propagation only.
std::vector<AxisAnswer> AxesOf(const Explained& e, SlotId slot, int dim) {
  std::vector<AxisAnswer> answers;
  const TensorSharding* final_sharding = e.Final(slot);
  const auto last = AxesAt(final_sharding, dim);
  for (const AxisRef axis : last) answers.push_back({axis, {}, -1});
  const TensorSharding* propagated = e.log->Propagated(slot);
  if (propagated == nullptr || propagated == final_sharding) return answers;
  for (const AxisRef axis : AxesAt(propagated, dim)) {
    const bool kept = absl::c_any_of(last, [&](AxisRef a) { return sharding::Overlaps(a, axis); });
    if (!kept) answers.push_back({axis, {}, e.log->EventsOf(slot).back()});
  }
  return answers;
}

bool IsToBeFixed(const Question& question, const sharding::explain::Verdict& verdict) {
  using sharding::explain::RefusalKind;
  if (!question.axis.empty()) return true;
  const RefusalKind kind = verdict.headline.kind;
  return question.dim.has_value() && !NeedsNoFix(verdict) && kind != RefusalKind::kUnreachable &&
         kind != RefusalKind::kNoSharedFactor;
}

}  // namespace

absl::StatusOr<Explanation> Explain(const Explained& e, SlotId slot, const Question& question) {
  return Explain(e, Labels(e), slot, question);
}

absl::StatusOr<Explanation> Explain(const Explained& e, const Labels& labels, SlotId slot,
                                    const Question& question) {
  const sharding::MeshTable& meshes = e.sharded->program->meshes();
  const std::vector<std::string> names = AxisNames(meshes);
  TESSERA_RETURN_IF_ERROR(CheckAxisFlag(question.axis, names));
  std::vector<sharding::explain::AskedAxis> asked;
  for (const std::string& name : names) {
    if (question.axis.empty() || question.axis == name) asked.push_back({name});
  }
  Explanation explanation;
  explanation.slot = slot;
  explanation.axis = question.axis;
  const auto& log = *e.log;
  const int rank = log.numbered().rank(
      log.IsOutput(slot) ? log.numbered().outputs()[log.OutputOf(slot)].value : slot);
  for (int d = 0; d < rank; ++d) {
    if (question.dim.has_value() && *question.dim != d) continue;
    DimensionAnswer answer;
    answer.dim = d;
    for (AxisAnswer& axis : AxesOf(e, slot, d)) {
      const sharding::ShardingId id = axis.taken_by < 0 ? e.FinalId(slot) : log.PropagatedId(slot);
      const std::string& name = log.MeshOf(id).axis(axis.axis.axis()).name;
      if (!question.axis.empty() && question.axis != name) continue;
      axis.chains =
          Why(log, slot, d, axis.axis, axis.taken_by < 0 ? EventLog::kEnd : axis.taken_by);
      answer.axes.push_back(std::move(axis));
    }
    if (question.why_not) answer.absent = e.Ask(slot, d, asked);
    for (const sharding::explain::Verdict& verdict : answer.absent) {
      answer.fixes.push_back(!e.is_read && IsToBeFixed(question, verdict)
                                 ? FindFixes(e, labels, slot, verdict, question.sent_bytes)
                                 : Fixes());
    }
    explanation.dims.push_back(std::move(answer));
  }
  return explanation;
}

}  // namespace tessera::pipeline
