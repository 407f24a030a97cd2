#include "tessera/sharding/explain/recorder.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {
namespace {

using factors::FactorTable;
using factors::FactorUse;
using factors::OpShardingRule;

// A refusal that holds for every tensor of the op.
constexpr int32_t kAnyTensor = -1;

bool Holds(const FactorTable& table, int cell, const AxisList& axes) {
  const AxisList& own = table.cell(cell).axes;
  return own == axes || IsStrictPrefixOf(absl::MakeConstSpan(axes), absl::MakeConstSpan(own));
}

int32_t Actor(propagation::OpId op, int output) { return op != propagation::kNone ? op : ~output; }

}  // namespace

void Recorder::OnStep(const propagation::StepEvent& event) {
  in_step_ = true;
  step_.op = event.op;
  step_.output = event.output;
  step_.rule = event.rule;
  step_.mesh = &event.before->mesh();
  step_.takes.clear();
  before_ = *event.before;
}

void Recorder::OnFoldStop(const propagation::FoldStop& stop) {
  NoteRefusal(stop.factor, kAnyTensor);
}

void Recorder::OnCut(const propagation::Cut& cut) { NoteRefusal(cut.factor, cut.target); }

void Recorder::OnTake(int tensor, int factor, absl::Span<const AxisRef> axes) {
  const int cell = before_.rule().cell(tensor, factor);
  if (before_.cell(cell).axes == axes) return;
  Take take;
  take.tensor = tensor;
  take.factor = factor;
  take.dim = before_.rule().dim_of_cell(tensor, cell);
  take.old = before_.cell(cell).axes;
  take.now.assign(axes.begin(), axes.end());
  step_.takes.push_back(std::move(take));
}

void Recorder::OnWrite(const propagation::WriteEvent& write) {
  writes_.push_back({write, phase_, static_cast<int64_t>(steps_.size()), in_step_});
}

void Recorder::OnStepEnd(bool changed) {
  in_step_ = false;
  if (!changed) return;
  const OpShardingRule& rule = before_.rule();
  absl::c_sort(step_.takes, [&](const Take& a, const Take& b) {
    return rule.cell(a.tensor, a.factor) < rule.cell(b.tensor, b.factor);
  });
  for (Take& take : step_.takes) {
    for (const FactorUse& use : rule.uses(take.factor)) {
      if (Holds(before_, use.cell, take.now)) take.sources.push_back(use.tensor);
    }
  }
  step_.number = static_cast<int64_t>(steps_.size());
  steps_.push_back(step_);
}

std::optional<Time> Recorder::FirstRefused(propagation::OpId op, int output, int factor,
                                           int tensor) const {
  std::optional<Time> first;
  for (const int32_t t : {static_cast<int32_t>(tensor), kAnyTensor}) {
    const auto found = first_refused_.find({Actor(op, output), factor, t});
    if (found == first_refused_.end()) continue;
    const bool earlier = !first.has_value() || found->second.step < first->step;
    if (earlier) first = found->second;
  }
  return first;
}

void Recorder::NoteRefusal(int factor, int tensor) {
  first_refused_.try_emplace(Refusal(Actor(step_.op, step_.output), factor, tensor), Now());
}

Time Recorder::Now() const {
  Time time;
  time.stage = Stage::kPropagation;
  time.round = phase_.user_priority;
  time.level = phase_.level;
  time.aggressive = phase_.aggressive;
  time.step = static_cast<int64_t>(steps_.size());
  return time;
}

}  // namespace tessera::sharding::explain
