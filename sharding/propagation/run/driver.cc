// A visit is passed over if the op has been visited and its step would move nothing
// (visit_filter.h). Visited means that its rule is known and that it was alive then. An op whose
// results may have lost their last use has to be visited again.
//
// Tested in propagate_test.cc and, against a driver that takes every word of the rule literally, in
// random_programs_test.cc.

#include "tessera/sharding/propagation/run/driver.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/run/fault.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::propagation {
namespace {

constexpr uint8_t kEveryDirection = VisitFilter::kEveryDirection;
constexpr uint8_t kNotAsked = 0xff;
constexpr Directions kBothWays = Directions::Every(Direction::kBoth);

// Each write adds axes to a value, or undoes a group's, so a value sees a few writes in a run. Only
// a program that contradicts itself (an axis that is manual outside, used inside a manual
// computation) comes anywhere near this.
constexpr int64_t kWritesPerValue = 200;

absl::Status DoesNotSettle(OpId o) {
  return OpFault(
      o, absl::StrCat("propagation does not settle: op ", o, " keeps changing its tensors"));
}

bool HasIdentityRule(OpKind kind) {
  return kind == OpKind::kDataFlowEdge || kind == OpKind::kPropagationBarrier;
}

absl::Status DoesNotFit(OpId o) {
  return OpFault(o, absl::StrCat("the rule of op ", o, " does not fit its operands and results"));
}

// Does each tensor of the rule have the rank of its value?
bool Fits(const factors::OpShardingRule& rule, const NumberedProgram& program, OpId o) {
  const program::Op& op = *program.op(o);
  if (rule.num_operands() != op.num_operands() || rule.num_results() != op.num_results()) {
    return false;
  }
  int t = 0;
  for (const ValueId v : program.tensors(o)) {
    if (rule.rank(t++) != program.rank(v)) return false;
  }
  return true;
}

// The directions that mean nothing to the rule: a factor that can move is in two tensors at least.
uint8_t IrrelevantFor(const factors::OpShardingRule& rule) {
  Directions used;
  for (int f = 0; f < rule.num_factors(); ++f) {
    if (rule.blocked(f) || rule.uses(f).size() < 2) continue;
    const bool passes_through = rule.kind(f) == factors::FactorKind::kPassThrough;
    (passes_through ? used.pass_through : used.other) = Direction::kBoth;
  }
  return kEveryDirection & ~used.code();
}

}  // namespace

Driver::Driver(const NumberedProgram& program, const Tables& tables, const Options& options,
               const RuleSource& rule_of, State& state, Observer* observer)
    : program_(program),
      tables_(tables),
      rule_of_(rule_of),
      state_(state),
      observer_(observer),
      plain_(options.plain || (observer != nullptr && observer->WantsIdleSteps())),
      wake_index_(program),
      liveness_(program),
      modes_(program, liveness_, options.conservative),
      work_(program.num_ops()),
      step_(tables),
      cache_(tables),
      rules_(program.num_ops(), factors::kNoRule),
      filter_(program.num_ops()) {
  for (OpId o = 0; o < program.num_ops(); ++o) {
    if (!wake_index_.has_step(o)) continue;
    rules_[o] = kAskForRule;
    filter_.SetIrrelevant(o, 0);
    if (plain_) filter_.Invalidate(o);
  }
  for (ValueId v = 0; v < program.num_values(); ++v) {
    if (state[v] != kNoSharding) Touched({v});
  }
  for (const Output& output : program.outputs()) {
    output_rules_.push_back(program.has_shape(output.value) ? IdentityRule(output.value, 1)
                                                            : factors::kNoRule);
  }
}

absl::Status Driver::Run(RunMode mode) {
  aggressive_ = mode.aggressive;
  modes_.Start(mode);
  const int64_t limit = state_.writes() + kWritesPerValue * (program_.num_values() + 1);
  StepOutputs();
  work_.Fill();
  for (OpId o = NextOp(); o != kNone; o = NextOp()) {
    if (!filter_.visited(o)) {
      TESSERA_RETURN_IF_ERROR(Meet(o));
      if (filter_.IsConverged(o, aggressive_, modes_.directions(o))) continue;
    }
    Step(o);
    if (state_.writes() > limit) return DoesNotSettle(o);
  }
  StepOutputs();
  return absl::OkStatus();
}

// --- visits --------------------------------------------------------------------------------------

OpId Driver::NextOp() {
  return work_.Pop(
      [this](OpId o) { return filter_.CanSkip(o, aggressive_, modes_.directions(o)); });
}

absl::Status Driver::Meet(OpId o) {
  filter_.SetVisited(o);
  if (liveness_.IsDead(o)) Erase(o);
  if (rules_[o] != kAskForRule || liveness_.erased(o)) return absl::OkStatus();
  return FindRule(o);
}

void Driver::Erase(OpId o) {
  liveness_.Erase(o, [this](OpId maker) {
    filter_.ClearVisited(maker);
    work_.Wake(maker);
  });
  for (OpId gone = o; gone < program_.end_of(o); ++gone)
    filter_.SetIrrelevant(gone, kEveryDirection);
}

absl::Status Driver::FindRule(OpId o) {
  TESSERA_ASSIGN_OR_RETURN(const RuleId rule, RuleOf(o));
  rules_[o] = rule;
  if (rule == factors::kNoRule) {
    filter_.SetIrrelevant(o, kEveryDirection);
    return absl::OkStatus();
  }
  if (!plain_) filter_.SetIrrelevant(o, IrrelevantDirections(rule));
  const bool fits = HasIdentityRule(program_.kind(o)) || Fits((*tables_.rules)[rule], program_, o);
  return fits ? absl::OkStatus() : DoesNotFit(o);
}

absl::StatusOr<RuleId> Driver::RuleOf(OpId o) {
  if (HasIdentityRule(program_.kind(o))) {
    const int operands = static_cast<int>(wake_index_.tensors(o).size()) - 1;
    return IdentityRule(program_.results(o)[0], operands);
  }
  return rule_of_ == nullptr ? factors::kNoRule : rule_of_(o);
}

RuleId Driver::IdentityRule(ValueId v, int operands) {
  const auto [it, is_new] =
      identity_rules_.try_emplace({&program_.value(v).shape(), operands}, factors::kNoRule);
  if (is_new) {
    it->second = tables_.rules->Intern(factors::IdentityRule(program_.dims(v), operands, 1));
  }
  return it->second;
}

uint8_t Driver::IrrelevantDirections(RuleId rule) {
  if (rule >= irrelevant_of_rule_.size()) irrelevant_of_rule_.resize(rule + 1, kNotAsked);
  uint8_t& irrelevant = irrelevant_of_rule_[rule];
  if (irrelevant == kNotAsked) irrelevant = IrrelevantFor((*tables_.rules)[rule]);
  return irrelevant;
}

void Driver::Touched(absl::Span<const ValueId> written) {
  for (const ValueId v : written) {
    for (const OpId o : wake_index_.wakes(v)) filter_.Invalidate(o);
    for (const OpId o : wake_index_.unwoken_readers(v)) filter_.Invalidate(o);
  }
}

// --- steps ---------------------------------------------------------------------------------------

absl::Span<ShardingId> Driver::ShardingsOf(absl::Span<const ValueId> tensors) {
  if (ids_.size() < tensors.size()) ids_.resize(tensors.size());
  ShardingId* id = ids_.data();
  for (const ValueId v : tensors) *id++ = state_[program_.sharding_owner(v)];
  return absl::MakeSpan(ids_.data(), tensors.size());
}

OpStep::Answer Driver::RunStep(const StepMode& mode, RuleId rule,
                               absl::Span<const ShardingId> shardings, const StepEvent& event) {
  ++steps_;
  return plain_ || observer_ != nullptr ? step_.Run(mode, rule, shardings, observer_, event)
                                        : cache_.Run(mode, rule, shardings);
}

void Driver::Step(OpId o) {
  StepMode mode = modes_[o];
  const uint8_t directions = mode.directions.code() & ~filter_.irrelevant(o);
  if (filter_.IsConverged(o, aggressive_, directions)) return;
  mode.directions = Directions::FromCode(directions);
  const absl::Span<ShardingId> ids = ShardingsOf(wake_index_.tensors(o));
  const EdgeId edge = program_.edge(o);
  if (edge != kNone) ids.back() = ToStepView(program_.edges()[edge], ids.back());
  StepEvent event;
  event.op = o;
  const OpStep::Answer answer = RunStep(mode, rules_[o], ids, event);
  for (const OpStep::Update& update : answer.updates) WriteTensor(o, update);
  if (answer.at_rest && !plain_) filter_.SetConverged(o, aggressive_, directions);
  if (observer_ != nullptr) observer_->OnStepEnd(!answer.updates.empty());
}

void Driver::WriteTensor(OpId o, const OpStep::Update& update) {
  const absl::Span<const ValueId> tensors = wake_index_.tensors(o);
  const EdgeId edge = program_.edge(o);
  const bool is_result = update.tensor + 1 == static_cast<int>(tensors.size());
  const ShardingId sharding = edge != kNone && is_result
                                  ? FromStepView(program_.edges()[edge], update.sharding)
                                  : update.sharding;
  const ValueId owner = program_.sharding_owner(tensors[update.tensor]);
  WriteValue(owner, sharding, update.sharding, {Cause::kStep, update.tensor}, /*wake=*/true);
}

// Writes `v` and then all others of its group. After an edge of a manual computation these get
// what the step has seen, as in the reference: body returns [{b}], edge [{manual, b}], member
// [{b}].
void Driver::WriteValue(ValueId v, ShardingId sharding, ShardingId of_group, WriteReason reason,
                        bool wake) {
  const auto write = [&](ValueId owner, ShardingId id, WriteReason why) {
    state_.Write(owner, id, why);
    Touched(state_.written());
    if (!wake) return;
    for (const OpId o : wake_index_.wakes(owner)) work_.Wake(o);
  };
  write(v, sharding, reason);
  if (program_.group(v) == kNone) return;
  for (const ValueId member : program_.groups()[program_.group(v)]) {
    if (member != v) write(member, of_group, {Cause::kGroup});
  }
}

// --- outputs of the main function ----------------------------------------------------------------

void Driver::StepOutputs() {
  for (size_t k = 0; k < program_.outputs().size(); ++k) {
    if (output_rules_[k] != factors::kNoRule) StepOutput(static_cast<int>(k));
  }
}

// The value and the attribute are two tensors of an op that wakes nobody.
void Driver::StepOutput(int k) {
  const ValueId v = program_.sharding_owner(program_.outputs()[k].value);
  const ShardingId ids[] = {state_[v], state_.output(k)};
  StepMode mode;
  mode.directions = kBothWays;
  mode.aggressive = aggressive_;
  StepEvent event;
  event.output = k;
  const OpStep::Answer answer = RunStep(mode, output_rules_[k], ids, event);
  for (const OpStep::Update& update : answer.updates) {
    if (update.tensor == 0) {
      WriteValue(v, update.sharding, update.sharding, {Cause::kStep, 0}, /*wake=*/false);
    } else {
      state_.WriteOutput(k, update.sharding, {Cause::kStep, 1});
    }
  }
  if (observer_ != nullptr) observer_->OnStepEnd(!answer.updates.empty());
}

// --- edges of manual computations ----------------------------------------------------------------

// Block-argument edges are stepped with the manual axes in front, result edges without them.
ShardingId Driver::ToStepView(const EdgeSpec& edge, ShardingId id) {
  if (edge.view == ManualView::kNone || id == kNoSharding) return id;
  const ShardingTable& table = *tables_.shardings;
  return tables_.shardings->Intern(
      edge.view == ManualView::kOuter
          ? WithManualAxes(table[id], table[edge.boundary], edge.manual_axes)
          : EraseManualAxes(table[id], edge.manual_axes));
}

ShardingId Driver::FromStepView(const EdgeSpec& edge, ShardingId id) {
  if (edge.view == ManualView::kNone) return id;
  const ShardingTable& table = *tables_.shardings;
  return tables_.shardings->Intern(
      edge.view == ManualView::kOuter
          ? EraseManualAxes(table[id], edge.manual_axes)
          : WithManualAxes(table[id], table[edge.boundary], edge.manual_axes));
}

}  // namespace tessera::sharding::propagation
