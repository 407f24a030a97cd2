#include "tessera/testing/propagation/slow_engine.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tessera/testing/propagation/slow_step.h"
#include "tessera/testing/propagation/slow_views.h"

namespace tessera::sharding::propagation {
namespace {

using Slot = std::optional<TensorSharding>;

class SlowEngine {
 public:
  SlowEngine(const NumberedProgram& program, const Tables& tables, const Options& options,
             absl::Span<const RuleId> rules)
      : p_(program), tables_(tables), options_(options), rules_(rules), erased_(program.num_ops()) {
    for (ValueId v = 0; v < p_.num_values(); ++v) {
      slots_.push_back(Read(p_.value(v).sharding()));
      AddUses(p_.value(v));
    }
    for (const Output& output : p_.outputs()) outputs_.push_back(Read(output.sharding));
    for (OpId o = 0; o < p_.num_ops(); ++o) FillOthers(o);
  }

  void Run() {
    SyncGroups();
    if (options_.schedule == Schedule::kFlat) return Strategies(-1);
    if (options_.schedule == Schedule::kOpPriority) return Levels();
    std::map<int64_t, std::vector<std::pair<Slot*, TensorSharding>>> rounds;
    const auto hide = [&](Slot& slot) {
      if (!slot) return;
      for (const int64_t p : SlowRounds(*slot)) rounds[p].emplace_back(&slot, *slot);
      slot = SlowFirstRound(*slot);
    };
    for (ValueId v = 0; v < p_.num_values(); ++v) {
      if (p_.sharding_owner(v) == v) hide(slots_[v]);
    }
    for (Slot& output : outputs_) hide(output);
    Levels();
    for (const auto& [priority, slots] : rounds) {
      for (const auto& [slot, original] : slots) *slot = SlowRound(**slot, original, priority);
      Levels();
    }
  }

  Result TakeResult() const {
    Result result;
    for (const Slot& slot : slots_) result.shardings.push_back(Id(slot));
    for (const Slot& output : outputs_) result.outputs.push_back(Id(output));
    result.erased = erased_;
    return result;
  }

 private:
  Slot Read(ShardingId id) const {
    return id == kNoSharding ? Slot() : Slot((*tables_.shardings)[id]);
  }
  ShardingId Id(const Slot& slot) const {
    return slot ? tables_.shardings->Intern(*slot) : kNoSharding;
  }
  const Mesh& MeshOf(const TensorSharding& s) const { return tables_.meshes->mesh(s.mesh_id()); }
  Slot& At(ValueId v) { return slots_[p_.sharding_owner(v)]; }

  // An operand of an op, by numbers.
  struct Reader {
    OpId op = kNone;
    int operand = 0;
  };
  void AddUses(const program::Value& value) {
    std::vector<Reader>& readers = uses_.emplace_back();
    for (const program::Use* use = value.first_use(); use != nullptr; use = use->next()) {
      readers.push_back({use->user()->number, use->number()});
    }
  }

  // --- rounds
  void SyncGroups() {
    for (const std::vector<ValueId>& group : p_.groups()) {
      Slot said;
      for (const ValueId v : group) {
        const Slot& slot = slots_[v];
        const bool says = slot && std::any_of(slot->dims().begin(), slot->dims().end(),
                                              [](const DimensionSharding& d) {
                                                return d.is_closed || !d.axes.empty();
                                              });
        if (says) said = slot;
      }
      if (!said) continue;
      for (const ValueId v : group) Set(v, *said);
    }
  }
  void Levels() {
    for (int level = 0; level < 5; ++level) Strategies(level);
  }
  void Strategies(int level) {
    level_ = level;
    if (options_.strategy != Strategy::kAggressive) Sweep(/*aggressive=*/false);
    if (options_.strategy != Strategy::kBasic) Sweep(/*aggressive=*/true);
  }

  // --- the worklist
  void Sweep(bool aggressive) {
    aggressive_ = aggressive;
    StepOutputs();
    for (OpId o = p_.num_ops() - 1; o >= 0; --o) {
      if (!erased_[o]) stack_.push_back(o);
    }
    while (!stack_.empty()) {
      at_work_ = stack_.back();
      stack_.pop_back();
      if (erased_[at_work_]) continue;
      if (IsDead(at_work_)) {
        Erase(at_work_);
      } else {
        Visit(at_work_);
      }
    }
    StepOutputs();
  }
  void Wake(OpId o) {
    const bool waits = std::find(stack_.begin(), stack_.end(), o) != stack_.end();
    if (!waits && o != at_work_ && !erased_[o]) stack_.push_back(o);
  }
  void WakeAfterWrite(ValueId v) {
    const OpId def = p_.def(v);
    if (p_.edge(def) != kNone) {
      for (const ValueId target : p_.edges()[p_.edge(def)].other_targets) WakeUsers(target);
    }
    Wake(def);
    WakeUsers(v);
  }
  void WakeUsers(ValueId v) {
    for (const Reader use : uses_[v]) {
      const OpKind kind = p_.kind(use.op);
      const program::Op* const parent = p_.op(use.op)->block->parent;
      if (kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kOptBarrier) {
        WakeEdge(use.op, use.operand);
      } else if (kind != OpKind::kReturn) {
        Wake(use.op);
      } else if (parent != nullptr && HasEdges(parent->kind)) {
        WakeEdge(parent->number, use.operand);
      } else if (parent != nullptr) {
        Wake(parent->number);
      }
    }
  }
  static bool HasEdges(OpKind kind) {
    return kind == OpKind::kWhile || kind == OpKind::kCase || kind == OpKind::kNamedComputation ||
           kind == OpKind::kManualComputation;
  }
  void WakeEdge(OpId o, int32_t k) {
    const auto results = p_.results(o);
    if (k < static_cast<int32_t>(results.size())) Wake(p_.def(p_.sharding_owner(results[k])));
  }

  // --- dead ops
  bool IsDead(OpId o) const {
    if (!p_.is_removable(o)) return false;
    for (const ValueId v : p_.results(o)) {
      if (!uses_[v].empty()) return false;
    }
    return true;
  }
  void Erase(OpId o) {
    for (OpId inner = p_.end_of(o) - 1; inner > o; --inner) EraseOne(inner);
    EraseOne(o);
  }
  void EraseOne(OpId o) {
    if (erased_[o]) return;
    for (const ValueId v : p_.operands(o)) {
      std::set<OpId> others;
      for (const Reader use : uses_[v]) {
        if (use.op != o) others.insert(use.op);
      }
      if (others.size() <= 1 && !p_.is_block_argument(v)) Wake(p_.def(v));
    }
    for (const ValueId v : p_.operands(o)) {
      auto& uses = uses_[v];
      uses.erase(std::remove_if(uses.begin(), uses.end(), [&](Reader use) { return use.op == o; }),
                 uses.end());
    }
    erased_[o] = true;
  }

  // --- steps
  void Visit(OpId o) {
    const OpKind kind = p_.kind(o);
    if (kind == OpKind::kDataFlowEdge) return StepEdge(p_.edges()[p_.edge(o)], o);
    std::vector<ValueId> tensors(p_.operands(o).begin(), p_.operands(o).end());
    tensors.insert(tensors.end(), p_.results(o).begin(), p_.results(o).end());
    SlowMode mode;
    mode.aggressive = aggressive_;
    if (kind == OpKind::kPropagationBarrier) {
      const auto rule = factors::IdentityRule(p_.dims(tensors.back()), 1, 1);
      mode.element_wise = true;
      mode.directions.assign(rule.num_factors(), p_.barrier(o));
      return StepValues(mode, rule, tensors, o);
    }
    if (kind != OpKind::kHlo && kind != OpKind::kConstraint) return;
    const RuleId id = rules_[static_cast<size_t>(o)];
    if (id == factors::kNoRule) return;
    const factors::OpShardingRule rule = (*tables_.rules)[id];
    mode.element_wise = p_.traits(o).element_wise;
    mode.conservative = options_.conservative;
    for (int f = 0; f < rule.num_factors(); ++f) {
      mode.directions.push_back(DirectionAtLevel(
          o, p_.traits(o).flow, rule.kind(f) == factors::FactorKind::kPassThrough));
    }
    StepValues(mode, rule, tensors, o);
  }

  Direction DirectionAtLevel(OpId o, OpPriorityClass flow, bool pass_through_factor) const {
    if (level_ < 0) return Direction::kBoth;
    const Direction wide =
        flow == OpPriorityClass::kBroadcast ? Direction::kBackward : Direction::kBoth;
    const bool may_start = level_ >= 1 || OperandsUsedOnce(o);
    Direction d = Direction::kNone;
    if (flow == OpPriorityClass::kPassThrough && may_start) d = Union(d, Direction::kBoth);
    if (flow == OpPriorityClass::kPassThroughForward && may_start)
      d = Union(d, Direction::kForward);
    if (level_ >= 2 && pass_through_factor) d = Union(d, wide);
    if (level_ >= 3) d = Union(d, wide);
    if (level_ >= 4) d = Union(d, Direction::kBoth);
    return d;
  }
  bool OperandsUsedOnce(OpId o) const {
    for (const ValueId v : p_.operands(o)) {
      const bool scalar = p_.has_shape(v) && p_.rank(v) == 0;
      if (!scalar && uses_[v].size() != 1) return false;
    }
    return true;
  }

  void StepEdge(const EdgeSpec& edge, OpId o) {
    const int n = static_cast<int>(edge.sources.size());
    const auto rule = factors::IdentityRule(p_.dims(edge.result), n, 1);
    SlowMode mode;
    mode.aggressive = aggressive_;
    mode.directions.assign(rule.num_factors(),
                           DirectionAtLevel(o, OpPriorityClass::kPassThrough, true));
    std::vector<ValueId> tensors = edge.sources;
    tensors.push_back(edge.result);
    StepValues(mode, rule, tensors, o, &edge);
  }

  void StepValues(const SlowMode& mode, const factors::OpShardingRule& rule,
                  const std::vector<ValueId>& tensors, OpId, const EdgeSpec* edge = nullptr) {
    Slots before;
    for (const ValueId v : tensors) before.push_back(At(v));
    const bool viewed = edge != nullptr && edge->view != ManualView::kNone && before.back();
    if (viewed) before.back() = View(*edge, *before.back(), edge->view == ManualView::kOuter);
    const Slots after = StepSlots(mode, rule, before);
    for (size_t t = 0; t < tensors.size(); ++t) {
      if (after[t] == before[t]) continue;
      TensorSharding now = *after[t];
      if (edge != nullptr && edge->view != ManualView::kNone && t + 1 == tensors.size()) {
        now = View(*edge, now, edge->view == ManualView::kInner);
      }
      Write(tensors[t], now, *after[t], /*wake=*/true);
    }
  }

  TensorSharding View(const EdgeSpec& edge, const TensorSharding& s, bool with) const {
    return with ? SlowOuterView(s, *Read(edge.boundary), edge.manual_axes)
                : SlowInnerView(s, edge.manual_axes);
  }

  Slots StepSlots(const SlowMode& mode, const factors::OpShardingRule& rule, const Slots& before) {
    std::optional<MeshId> id;
    for (const Slot& slot : before) {
      if (!slot) continue;
      if (!id || tables_.meshes->mesh(*id).is_empty()) id = slot->mesh_id();
      if (!MeshOf(*slot).is_empty() && MeshOf(*slot) != tables_.meshes->mesh(*id)) return before;
    }
    if (!id || tables_.meshes->mesh(*id).is_maximal()) return before;
    return SlowStep(mode, rule, before, *id, tables_.meshes->mesh(*id));
  }

  void StepOutputs() {
    at_work_ = kNone;
    for (size_t k = 0; k < p_.outputs().size(); ++k) {
      const ValueId v = p_.outputs()[k].value;
      if (!p_.has_shape(v)) continue;
      const auto rule = factors::IdentityRule(p_.dims(v), 1, 1);
      SlowMode mode;
      mode.aggressive = aggressive_;
      mode.directions.assign(rule.num_factors(), Direction::kBoth);
      const Slots before = {At(v), outputs_[k]};
      const Slots after = StepSlots(mode, rule, before);
      if (after[0] != before[0]) Write(v, *after[0], *after[0], /*wake=*/false);
      outputs_[k] = after[1];
    }
  }

  // --- writes
  // `of_group`: what the others of its group get.
  void Write(ValueId v, const TensorSharding& sharding, const TensorSharding& of_group, bool wake) {
    const ValueId owner = p_.sharding_owner(v);
    Set(owner, sharding);
    if (wake) WakeAfterWrite(owner);
    if (p_.group(owner) == kNone) return;
    for (const ValueId member : p_.groups()[p_.group(owner)]) {
      if (member == owner) continue;
      Set(member, of_group);
      if (wake) WakeAfterWrite(member);
    }
  }
  void Set(ValueId owner, const TensorSharding& sharding) {
    slots_[owner] = sharding;
    if (!p_.is_block_argument(owner)) FillOthers(p_.def(owner));
  }
  // An op with a sharding for one result has one for each.
  void FillOthers(OpId o) {
    const Slot* given = nullptr;
    for (const ValueId v : p_.results(o)) {
      if (slots_[v] && given == nullptr) given = &slots_[v];
    }
    if (given == nullptr) return;
    for (const ValueId v : p_.results(o)) {
      if (!slots_[v]) slots_[v] = TensorSharding::FullyOpen((*given)->mesh_id(), p_.rank(v));
    }
  }

  const NumberedProgram& p_;
  Tables tables_;
  const Options& options_;
  const absl::Span<const RuleId> rules_;
  std::vector<Slot> slots_;
  std::vector<Slot> outputs_;
  std::vector<std::vector<Reader>> uses_;
  std::vector<bool> erased_;
  std::vector<OpId> stack_;
  OpId at_work_ = kNone;
  int level_ = -1;
  bool aggressive_ = true;
};

}  // namespace

Result PropagateSlowly(const NumberedProgram& program, const Tables& tables, const Options& options,
                       absl::Span<const RuleId> rules) {
  SlowEngine engine(program, tables, options, rules);
  engine.Run();
  return engine.TakeResult();
}

}  // namespace tessera::sharding::propagation
