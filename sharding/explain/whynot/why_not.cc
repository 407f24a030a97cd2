#include "tessera/sharding/explain/whynot/why_not.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/explain/whynot/borders.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::explain {
namespace {

using propagation::kNone;

Refusal Without(RefusalKind kind) {
  Refusal refusal;
  refusal.kind = kind;
  return refusal;
}

// The reason where dimensions have nothing to do with each other.
struct BlockingReason {
  hlo::Opcode opcode;
  const char* reason;
};
constexpr BlockingReason kReasons[] = {
    {hlo::Opcode::kDot, "factor is contracted"}, {hlo::Opcode::kReduce, "factor is reduced"},
    {hlo::Opcode::kGather, "indexed dimension"}, {hlo::Opcode::kScatter, "indexed dimension"},
    {hlo::Opcode::kReshape, "reshape"},
};

int Rank(const Refusal& refusal) {
  return KindRank(refusal.inner != nullptr ? refusal.inner->kind : refusal.kind);
}

}  // namespace

WhyNot::WhyNot(const EventLog& log, const propagation::Options& options)
    : log_(log),
      links_(log),
      maps_(log),
      refuser_(log, links_, maps_, options),
      frontier_(log, links_),
      requests_(log) {
  for (const passes::Op* op : log.numbered().ops()) {
    if (op == nullptr || !op->is_clone || op->source == hlo::kNoId) continue;
    copies_[op->source];
  }
  if (copies_.empty()) return;
  for (const passes::Op* op : log.numbered().ops()) {
    if (op == nullptr || op->num_results() != 1) continue;
    const auto copies = copies_.find(op->source);
    if (copies != copies_.end()) copies->second.push_back(op->result()->number());
  }
}

std::vector<Verdict> WhyNot::Ask(SlotId slot, int dim, const std::vector<AskedAxis>& axes) {
  std::vector<Verdict> verdicts;
  std::vector<AskedAxis> open;
  std::vector<size_t> places;  // of those among the verdicts
  for (AskedAxis axis : axes) {
    if (IsThere(slot, dim, &axis)) continue;
    Verdict verdict;
    verdict.axis = axis;
    verdict.dim = dim;
    if (auto known = WithoutSearch(slot, dim, axis)) {
      verdict.headline = *std::move(known);
    } else {
      open.push_back(axis);
      places.push_back(verdicts.size());
    }
    verdicts.push_back(std::move(verdict));
  }
  if (open.empty()) return verdicts;
  std::vector<Reached> reached = frontier_.Search(slot, dim, AskedAxes(log_, open));
  for (size_t i = 0; i < open.size(); ++i) {
    Judge(slot, std::move(reached[i]), &verdicts[places[i]]);
  }
  return verdicts;
}

HolderPaths* WhyNot::WaysOf(SlotId slot, int dim, AskedAxis axis) {
  if (IsThere(slot, dim, &axis) || WithoutSearch(slot, dim, axis).has_value()) return nullptr;
  const auto key = std::make_tuple(axis.name, axis.pre, axis.size);
  auto known = ways_.find(key);
  if (known == ways_.end()) {
    known = ways_
                .emplace(std::piecewise_construct, std::forward_as_tuple(key),
                         std::forward_as_tuple(log_, links_, axis))
                .first;
  }
  return &known->second;
}

// Takes from the axis what the dimension has of it; true if nothing is left.
bool WhyNot::IsThere(SlotId slot, int dim, AskedAxis* axis) const {
  const TensorSharding* sharding = log_.program().Find(log_.FinalId(slot));
  if (sharding == nullptr) return false;
  const std::optional<AxisRef> asked = AskedAxes(log_, {*axis}).In(sharding->mesh_id(), 0);
  if (!asked.has_value()) return false;
  const Mesh& mesh = log_.program().meshes().mesh(sharding->mesh_id());
  const AxisList missing = SetDifference({*asked}, sharding->dim(dim).axes, mesh);
  if (missing.empty()) return true;
  if (missing.front() != *asked) {
    axis->pre = missing.front().pre_size();
    axis->size = missing.front().size(mesh);
  }
  return false;
}

// --- verdicts that need no search ----------------------------------------------------------------

std::optional<Refusal> WhyNot::WithoutSearch(SlotId slot, int dim, const AskedAxis& axis) {
  if (IsOfSizeOne(axis.name)) return Without(RefusalKind::kSizeOneAxis);
  if (const ShardMap* map = maps_.Around(slot, axis.name)) {
    Refusal refusal = Without(RefusalKind::kManualAxis);
    refusal.border = map->begin;
    return refusal;
  }
  if (const TensorSharding* sharding = log_.Propagated(slot)) {
    const AskedAxes asked(log_, {axis});
    const MeshId mesh = sharding->mesh_id();
    const bool has_mesh = mesh != kNoMesh && !log_.program().meshes().mesh(mesh).is_empty();
    if (has_mesh && log_.program().meshes().mesh(mesh).is_maximal()) {
      return Without(RefusalKind::kSingleDevice);
    }
    const std::optional<AxisRef> own = asked.In(mesh, 0);
    if (own.has_value()) {
      if (auto taken = TakenAway(log_, slot, dim, *own)) return taken;
    }
    if (AnotherCopyHas(slot, dim, axis)) return Without(RefusalKind::kConstantCopy);
  }
  if (requests_.Nearest(slot, axis.name).has_value()) return std::nullopt;
  Refusal refusal = Without(RefusalKind::kNeverRequested);
  refusal.on = requests_.Ignored(axis.name);
  if (refusal.on != hlo::kNoId) refusal.kind = RefusalKind::kAnnotationIgnored;
  return refusal;
}

bool WhyNot::IsOfSizeOne(const std::string& name) const {
  const MeshTable& meshes = log_.program().meshes();
  bool is_one = false;
  for (MeshId id = 0; id < meshes.size(); ++id) {
    const std::optional<int> axis = meshes.mesh(id).FindAxis(name);
    if (!axis.has_value()) continue;
    if (meshes.mesh(id).axis_size(*axis) > 1) return false;
    is_one = true;
  }
  return is_one;
}

// A constant, or what is made of constants, has a copy for each user.
bool WhyNot::AnotherCopyHas(SlotId slot, int dim, const AskedAxis& axis) {
  if (log_.IsOutput(slot) || copies_.empty()) return false;
  const passes::Op* def = log_.numbered().value(slot).def();
  const auto copies = def == nullptr ? copies_.end() : copies_.find(def->source);
  if (copies == copies_.end()) return false;
  const auto [known, is_new] = copy_has_.try_emplace(
      std::make_tuple(def->source, dim, AxisKey(axis.name, axis.pre, axis.size)), false);
  if (!is_new) return known->second;
  const AskedAxes asked(log_, {axis});
  known->second = absl::c_any_of(copies->second, [&](propagation::ValueId copy) {
    const TensorSharding* sharding = log_.Propagated(log_.SlotOf(copy));
    return sharding != nullptr && dim < sharding->rank() && asked.Among(*sharding, dim, 0);
  });
  return known->second;
}

RefusalKind WhyNot::KindWithoutTensor(hlo::InstructionId instruction) const {
  const hlo::Module& module = log_.program().module();
  const hlo::ComputationId computation = module.instruction(instruction).computation;
  const bool is_entered = absl::c_any_of(
      log_.program().leaf_tables(),
      [&](const passes::InstructionValues& table) { return table.block()->source == computation; });
  return is_entered || computation == module.entry_id() ? RefusalKind::kDeadCode
                                                        : RefusalKind::kNotATensorOfPropagation;
}

// --- verdicts of a search ------------------------------------------------------------------------

void WhyNot::Judge(SlotId slot, Reached reached, Verdict* verdict) const {
  if (reached.blocking_op.has_value()) {
    verdict->headline = OfBlockingOp(*reached.blocking_op);
  } else if (!reached.missed.empty()) {
    JudgeMissed(reached, verdict);
  } else {
    verdict->headline = Unreachable(slot, verdict->axis.name);
  }
  verdict->distance = reached.distance;
  verdict->path = std::move(reached.path);
}

void WhyNot::JudgeMissed(const Reached& reached, Verdict* verdict) const {
  std::vector<Refusal> refusals;
  for (const MissedUpdate& missed : reached.missed) {
    if (auto refusal = refuser_.Refuse(missed)) refusals.push_back(*std::move(refusal));
  }
  if (refusals.empty()) return;
  absl::c_stable_sort(refusals, [&](const Refusal& a, const Refusal& b) { return IsBetter(a, b); });
  verdict->headline = std::move(refusals.front());
  verdict->also.assign(std::make_move_iterator(refusals.begin() + 1),
                       std::make_move_iterator(refusals.end()));
}

// By kind; the op that makes the tensor before its users; then in program order.
bool WhyNot::IsBetter(const Refusal& a, const Refusal& b) const {
  if (Rank(a) != Rank(b)) return Rank(a) < Rank(b);
  const auto is_def = [&](const Refusal& refusal) {
    return refusal.actor.op != kNone && !log_.IsOutput(refusal.to.slot) &&
           log_.numbered().def(refusal.to.slot) == refusal.actor.op;
  };
  if (is_def(a) != is_def(b)) return is_def(a);
  return static_cast<uint32_t>(a.actor.op) < static_cast<uint32_t>(b.actor.op);
}

Refusal WhyNot::OfBlockingOp(const BlockingOp& blocking_op) const {
  Refusal refusal;
  refusal.kind = blocking_op.kind;
  refusal.actor = blocking_op.actor;
  refusal.from = blocking_op.far;
  refusal.to = blocking_op.near;
  const ShardingId id = log_.PropagatedId(blocking_op.far.slot);
  if (id != kNoSharding) refusal.mesh = &log_.MeshOf(id);
  if (blocking_op.kind != RefusalKind::kNoSharedFactor || blocking_op.actor.op == kNone)
    return refusal;
  const passes::Op* op = log_.OpOf(blocking_op.actor.op);
  const factors::OpShardingRule& rule = *links_.RuleOf(blocking_op.actor);
  const bool is_born = blocking_op.near.tensor >= rule.num_operands() &&
                       absl::c_all_of(rule.factors(blocking_op.near.tensor, blocking_op.near.dim),
                                      [&](int32_t f) { return rule.uses(f).size() == 1; });
  const auto row =
      absl::c_find_if(kReasons, [&](const BlockingReason& r) { return r.opcode == op->opcode; });
  if (row != std::end(kReasons)) {
    refusal.reason = row->reason;
  } else {
    const char* const what =
        is_born || blocking_op.far.tensor >= rule.num_operands() ? "made" : "taken";
    refusal.reason = absl::StrCat("dimension ", what, " by ", hlo::OpcodeName(op->opcode));
  }
  return refusal;
}

Refusal WhyNot::Unreachable(SlotId slot, const std::string& axis) const {
  Refusal refusal = Without(RefusalKind::kUnreachable);
  const std::optional<Request> nearest = requests_.Nearest(slot, axis);
  if (!nearest.has_value()) return refusal;
  refusal.annotation = nearest->annotation;
  refusal.holder.slot = log_.annotations()[static_cast<size_t>(nearest->annotation)].slot;
  refusal.holder.value = log_.IsOutput(refusal.holder.slot) ? kNone : refusal.holder.slot;
  refusal.holder.dim = nearest->dim;
  return refusal;
}

}  // namespace tessera::sharding::explain
