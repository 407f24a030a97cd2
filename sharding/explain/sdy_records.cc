#include "tessera/sharding/explain/sdy_records.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::explain {
namespace {

using passes::OpKind;
using propagation::kNone;

// The axes that Shardy names for what each take added. Where it merges with what the factor before
// it in the same dimension got, the merged axis stands for both.
struct Named {
  const Take* take = nullptr;
  AxisList axes;
};

// `now`, its last axis merged with `previous`; from where it is longer than `old`.
AxisList NewPart(const Take& take, AxisRef last) {
  AxisList now = take.now;
  now.back() = last;
  const size_t kept = take.old.size();
  const bool lengthened = kept > 0 && now[kept - 1] != take.old.back();
  return AxisList(now.begin() + static_cast<std::ptrdiff_t>(lengthened ? kept - 1 : kept),
                  now.end());
}

void Forget(AxisRef axis, int tensor, std::vector<Named>* named) {
  for (Named& n : *named) {
    if (n.take->tensor != tensor) continue;
    const auto found = absl::c_find(n.axes, axis);
    if (found != n.axes.end()) n.axes.erase(found);
  }
}

std::vector<Named> NameAxes(const Step& step) {
  std::vector<Named> named;
  const Take* previous = nullptr;
  for (const Take& take : step.takes) {
    const bool same_dim =
        previous != nullptr && previous->tensor == take.tensor && previous->dim == take.dim;
    AxisRef last = take.now.back();
    if (same_dim && CanMerge(previous->now.back(), last)) {
      Forget(previous->now.back(), take.tensor, &named);
      last = Merge(previous->now.back(), last, *step.mesh);
    }
    previous = &take;
    if (!take.sources.empty()) named.push_back({&take, NewPart(take, last)});
  }
  return named;
}

bool IsManual(const EventLog& log, const Step& step) {
  return step.op != kNone && log.OpOf(step.op)->kind == OpKind::kManualComputation;
}

}  // namespace

std::string SdyOriginName(const Annotation& a) {
  switch (a.kind) {
    case AnnotationKind::kParameter:
      return absl::StrCat("input: ", a.number);
    case AnnotationKind::kResult:
      return absl::StrCat("output: ", a.number);
    case AnnotationKind::kConstraint:
      return absl::StrCat("constraint_", a.number);
    case AnnotationKind::kManualIn:
      return absl::StrCat("mc_", a.number, "_input: ", a.index);
    case AnnotationKind::kManualOut:
      return absl::StrCat("mc_", a.number, "_output: ", a.index);
    default:
      return "";
  }
}

SdyRecords::SdyRecords(const EventLog& log)
    : log_(log), origins_(static_cast<size_t>(log.num_slots())) {
  AddStart();
  for (const Step& step : log.steps()) {
    if (!IsManual(log, step) && !step.takes.empty()) AddStep(step);
  }
  absl::flat_hash_set<std::tuple<int, uint64_t, int, int>> seen;
  const auto is_repeated = [&](const SdyEdge& e) {
    return !seen.insert({e.op, e.axis.bits(), e.source, e.target}).second;
  };
  edges_.erase(std::remove_if(edges_.begin(), edges_.end(), is_repeated), edges_.end());
}

// Annotations come in the order in which Shardy reads them.
void SdyRecords::AddStart() {
  const passes::HloProgram& program = log_.program();
  for (size_t n = 0; n < log_.annotations().size(); ++n) {
    const Annotation& a = log_.annotations()[n];
    const int32_t number = static_cast<int32_t>(n);
    if (a.kind == AnnotationKind::kOperation) continue;
    Blame(a.slot, program.Find(a.sharding), number);
    std::optional<propagation::ValueId> operand;
    if (a.kind == AnnotationKind::kConstraint) operand = log_.numbered().operands(a.op)[0];
    if (a.kind == AnnotationKind::kManualIn) operand = log_.numbered().operands(a.op)[a.index];
    if (operand) {
      const SlotId source = log_.SlotOf(*operand);
      Blame(source, log_.AtStart(source), number);
    }
  }
}

void SdyRecords::Blame(SlotId slot, const TensorSharding* sharding, int32_t annotation) {
  if (sharding == nullptr) return;
  for (const DimensionSharding& dim : sharding->dims()) {
    for (const AxisRef axis : dim.axes) Write(&origins_[Holder(slot)], axis, annotation);
  }
}

void SdyRecords::AddStep(const Step& step) {
  for (const Named& named : NameAxes(step)) {
    for (const AxisRef axis : named.axes) AddEdge(step, *named.take, axis);
  }
}

void SdyRecords::AddEdge(const Step& step, const Take& take, AxisRef axis) {
  const int source = take.sources.front();
  edges_.push_back({step.number, step.op, step.output, axis, source, take.tensor});
  const SlotId from = log_.TensorOf(step.op, step.output, source, 0).slot;
  const SlotId to = log_.TensorOf(step.op, step.output, take.tensor, 0).slot;
  const int32_t origin = Find(origins_[Holder(from)], axis);
  if (origin != kNoIndex) Write(&origins_[Holder(to)], axis, origin);
}

SlotId SdyRecords::Holder(SlotId slot) const {
  if (!log_.IsOutput(slot)) return slot;
  return log_.SlotOf(log_.numbered().outputs()[log_.OutputOf(slot)].value);
}

void SdyRecords::Write(Origins* origins, AxisRef axis, int32_t annotation) {
  for (const auto& [known, origin] : *origins) {
    if (known == axis) return;
  }
  origins->emplace_back(axis, annotation);
}

int32_t SdyRecords::Find(const Origins& origins, AxisRef axis) {
  int32_t related = kNoIndex;
  for (const auto& [known, origin] : origins) {
    if (known == axis) return origin;
    const bool is_related = Contains(known, axis) || Contains(axis, known);
    if (is_related && related == kNoIndex) related = origin;
  }
  return related;
}

std::string SdyRecords::OriginText(SlotId slot, AxisRef axis) const {
  const int32_t origin = Find(origins_[Holder(slot)], axis);
  if (origin == kNoIndex) return "";
  const Annotation& a = log_.annotations()[static_cast<size_t>(origin)];
  return a.slot == slot ? "self" : SdyOriginName(a);
}

}  // namespace tessera::sharding::explain
