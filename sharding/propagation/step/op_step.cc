#include "tessera/sharding/propagation/step/op_step.h"

#include <optional>

#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/propagation/step/basic_step.h"

namespace tessera::sharding::propagation {
namespace {

bool HasAxes(const TensorSharding& s) {
  return !s.IsFullyReplicated() || !s.replicated_axes().empty() || !s.unreduced_axes().empty();
}

}  // namespace

OpStep::Answer OpStep::Run(const StepMode& mode, RuleId rule,
                           absl::Span<const ShardingId> shardings, Observer* observer,
                           StepEvent event) {
  updates_.clear();
  const std::optional<MeshId> mesh = CommonMesh(shardings, tables_);
  if (!mesh) return {};
  shardings_.clear();
  for (const ShardingId id : shardings) {
    shardings_.push_back(id == kNoSharding ? nullptr : &(*tables_.shardings)[id]);
  }
  table_.Project((*tables_.rules)[rule], shardings_, tables_.meshes->mesh(*mesh));
  if (observer != nullptr) {
    event.rule = rule;
    event.before = &table_;
    observer->OnStep(event);
  }
  const bool moved = Propagate(mode, observer);
  if (moved) Collect(shardings, *mesh, observer);
  return {updates_, !moved};
}

bool OpStep::Propagate(const StepMode& mode, Observer* observer) {
  updated_.assign(table_.rule().num_tensors(), false);
  return mode.aggressive ? aggressive_.Run(mode, table_, updated_, observer)
                         : BasicStep(mode, table_, updated_, observer);
}

void OpStep::Collect(absl::Span<const ShardingId> before, MeshId mesh, Observer* observer) {
  for (int t = 0; t < table_.rule().num_tensors(); ++t) {
    if (!updated_[t]) continue;
    const TensorSharding after = table_.ToSharding(t, mesh);
    if (observer != nullptr) ReportDropped(after, t, *observer);
    if (before[t] == kNoSharding && !HasAxes(after)) continue;
    const ShardingId id = tables_.shardings->Intern(after);
    if (id != before[t]) updates_.push_back({t, id});
  }
}

// A dimension whose factors have more axes than came back lost them to a strided view.
void OpStep::ReportDropped(const TensorSharding& sharding, int tensor, Observer& observer) const {
  const factors::OpShardingRule& rule = table_.rule();
  for (int d = 0; d < rule.rank(tensor); ++d) {
    AxisList axes;
    for (int c = rule.first_cell(tensor, d); c < rule.first_cell(tensor, d + 1); ++c) {
      AppendMinor(axes, table_.cell(c).axes, table_.mesh());
      AppendMinor(axes, table_.cell(c).overflow, table_.mesh());
    }
    if (axes != sharding.dim(d).axes) observer.OnDropped(tensor, d);
  }
}

}  // namespace tessera::sharding::propagation
