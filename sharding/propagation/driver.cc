// Visits that are passed over
//
// A step that moved nothing will move nothing again while its tensors have the same shardings, the
// strategy is the same and no factor may move in a direction in which it could not before. Since
// it wakes nobody either, leaving it out changes nothing, the order of all others included. For
// each op and strategy quiet_ holds the directions of the last step that moved nothing
// (Directions::code(), a bit set); any write to a tensor of the op clears it. At the start an op is
// quiet in all directions unless one of its tensors has a sharding. Five levels of op priority then
// cost little more than one.
//
// Two kinds of steps do not count as quiet. One that wrote something: one value may stand at two
// operands. And one that moved axes which no tensor could express, so that nothing was written:
// with fewer directions these axes may be free for another factor.
//
// One more bit in quiet_, kMet, says that the op has been looked at: its rule is known, and it was
// alive. An op whose results may have lost their last use loses the bit.
//
// Tested in propagate_test.cc and, against a driver that takes every word of the rule literally, in
// random_programs_test.cc.

#include "tessera/sharding/propagation/driver.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/manual_view.h"

namespace tessera::sharding::propagation {
namespace {

constexpr uint8_t kEveryDirection = 0x0f;
constexpr uint8_t kMet = 0x10;
constexpr Directions kBothWays = Directions::Every(Direction::kBoth);

// Each write adds axes to a value, or undoes a group's, so a value sees a few writes in a run. Only
// a program that contradicts itself (an axis that is manual outside, used inside a manual
// computation) comes anywhere near this.
constexpr int64_t kWritesPerValue = 200;

absl::Status DoesNotSettle(OpId o) {
  return absl::InvalidArgumentError(
      absl::StrCat("propagation does not settle: op ", o, " keeps changing its tensors"));
}

// Does each tensor of the rule have the rank of its value?
bool Fits(const factors::OpShardingRule& rule, const Program& program, OpId o) {
  if (rule.num_operands() != static_cast<int>(program.operands(o).size()) ||
      rule.num_results() != static_cast<int>(program.results(o).size())) {
    return false;
  }
  int t = 0;
  for (const ValueId v : program.tensors(o)) {
    if (rule.rank(t++) != program.rank(v)) return false;
  }
  return true;
}

}  // namespace

Driver::Driver(const Program& program, const Tables& tables, const Options& options,
               const RuleSource& rule_of, State& state, Observer* observer)
    : program_(program),
      tables_(tables),
      options_(options),
      rule_of_(rule_of),
      state_(state),
      observer_(observer),
      plain_(options.plain || observer != nullptr),
      plan_(program),
      liveness_(program),
      modes_(program, liveness_, options.conservative),
      work_(program.num_ops()),
      step_(tables),
      cache_(tables),
      rules_(program.num_ops(), factors::kNoRule),
      quiet_(program.num_ops(), {kEveryDirection, kEveryDirection}) {
  for (OpId o = 0; o < program.num_ops(); ++o) {
    if (!plan_.has_step(o)) continue;
    rules_[o] = kAskForRule;
    if (plain_) Disturb(o);
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
    if (absl::Status status = Visit(o); !status.ok()) return status;
    if (state_.writes() > limit) return DoesNotSettle(o);
  }
  StepOutputs();
  return absl::OkStatus();
}

// --- visits --------------------------------------------------------------------------------------

OpId Driver::NextOp() {
  OpId o = work_.Pop();
  while (o != kNone && CanSkip(o)) o = work_.Pop();
  return o;
}

bool Driver::CanSkip(OpId o) const {
  return ((modes_.directions(o) | kMet) & ~quiet_[o][aggressive_]) == 0;
}

absl::Status Driver::Visit(OpId o) {
  if ((quiet_[o][0] & kMet) == 0) {
    if (absl::Status status = Meet(o); !status.ok()) return status;
  }
  if (!liveness_.erased(o) && !CanSkip(o)) Step(o);
  return absl::OkStatus();
}

absl::Status Driver::Meet(OpId o) {
  for (uint8_t& quiet : quiet_[o]) quiet |= kMet;
  if (liveness_.IsDead(o)) {
    liveness_.Erase(o, [this](OpId maker) {
      for (uint8_t& quiet : quiet_[maker]) quiet &= kEveryDirection;
      work_.Wake(maker);
    });
    return absl::OkStatus();
  }
  return rules_[o] == kAskForRule && !liveness_.erased(o) ? FindRule(o) : absl::OkStatus();
}

absl::Status Driver::FindRule(OpId o) {
  const OpSpec& op = program_.op(o);
  RuleId& rule = rules_[o];
  if (op.kind == OpKind::kEdge || op.kind == OpKind::kBarrier) {
    const int operands = static_cast<int>(plan_.tensors(o).size()) - 1;
    rule = IdentityRule(program_.results(o)[0], operands);
    return absl::OkStatus();
  }
  rule = op.rule == kAskForRule && rule_of_ != nullptr ? rule_of_(o) : op.rule;
  if (rule == kAskForRule) rule = factors::kNoRule;
  if (rule == factors::kNoRule) {
    quiet_[o].fill(kMet | kEveryDirection);
  } else if (!Fits((*tables_.rules)[rule], program_, o)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the rule of op ", o, " does not fit its operands and results"));
  }
  return absl::OkStatus();
}

RuleId Driver::IdentityRule(ValueId v, int operands) {
  const auto [it, is_new] =
      identity_rules_.try_emplace({program_.shape(v), operands}, factors::kNoRule);
  if (is_new) {
    it->second = tables_.rules->Intern(factors::IdentityRule(program_.dims(v), operands, 1));
  }
  return it->second;
}

// The op has to be stepped again, if it has a rule.
void Driver::Disturb(OpId o) {
  if (rules_[o] == factors::kNoRule) return;
  for (uint8_t& quiet : quiet_[o]) quiet &= kMet;
}

void Driver::Touched(absl::Span<const ValueId> written) {
  for (const ValueId v : written) {
    for (const OpId o : plan_.wakes(v)) Disturb(o);
    for (const OpId o : plan_.unwoken_readers(v)) Disturb(o);
  }
}

// --- steps ---------------------------------------------------------------------------------------

absl::Span<ShardingId> Driver::ShardingsOf(absl::Span<const ValueId> tensors) {
  if (ids_.size() < tensors.size()) ids_.resize(tensors.size());
  ShardingId* id = ids_.data();
  for (const ValueId v : tensors) *id++ = state_[program_.home(v)];
  return absl::MakeSpan(ids_.data(), tensors.size());
}

OpStep::Answer Driver::RunStep(const StepMode& mode, RuleId rule,
                               absl::Span<const ShardingId> shardings, StepEvent event) {
  ++steps_;
  return plain_ ? step_.Run(mode, rule, shardings, observer_, event)
                : cache_.Run(mode, rule, shardings);
}

void Driver::Step(OpId o) {
  const StepMode& mode = modes_[o];
  uint8_t& quiet = quiet_[o][aggressive_];
  if ((mode.directions.code() & ~quiet) == 0) return;
  const absl::Span<ShardingId> ids = ShardingsOf(plan_.tensors(o));
  const EdgeId edge = program_.edge(o);
  if (edge != kNone) ids.back() = ToStepView(program_.edges()[edge], ids.back());
  StepEvent event;
  event.op = o;
  const OpStep::Answer answer = RunStep(mode, rules_[o], ids, event);
  for (const OpStep::Update& update : answer.updates) WriteTensor(o, update);
  if (answer.at_rest && !plain_) quiet = mode.directions.code() | kMet;
  if (observer_ != nullptr) observer_->OnStepEnd(!answer.updates.empty());
}

void Driver::WriteTensor(OpId o, const OpStep::Update& update) {
  const absl::Span<const ValueId> tensors = plan_.tensors(o);
  const EdgeId edge = program_.edge(o);
  const bool is_result = update.tensor + 1 == static_cast<int>(tensors.size());
  const ShardingId sharding = edge != kNone && is_result
                                  ? FromStepView(program_.edges()[edge], update.sharding)
                                  : update.sharding;
  const ValueId home = program_.home(tensors[update.tensor]);
  WriteValue(home, sharding, {Cause::kStep, update.tensor}, /*wake=*/true);
}

// Writes `v` and then all others of its group.
void Driver::WriteValue(ValueId v, ShardingId sharding, WriteReason reason, bool wake) {
  const auto write = [&](ValueId home, WriteReason why) {
    state_.Write(home, sharding, why);
    Touched(state_.written());
    if (!wake) return;
    for (const OpId o : plan_.wakes(home)) work_.Wake(o);
  };
  write(v, reason);
  if (program_.group(v) == kNone) return;
  for (const ValueId member : program_.groups()[program_.group(v)]) {
    if (member != v) write(member, {Cause::kGroup});
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
  const ValueId v = program_.home(program_.outputs()[k].value);
  const ShardingId ids[] = {state_[v], state_.output(k)};
  StepMode mode;
  mode.directions = kBothWays;
  mode.aggressive = aggressive_;
  StepEvent event;
  event.output = k;
  const OpStep::Answer answer = RunStep(mode, output_rules_[k], ids, event);
  for (const OpStep::Update& update : answer.updates) {
    if (update.tensor == 0) {
      WriteValue(v, update.sharding, {Cause::kStep, 0}, /*wake=*/false);
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
          ? WithManualPart(table[id], table[edge.boundary], edge.manual_axes)
          : WithoutManualPart(table[id], edge.manual_axes));
}

ShardingId Driver::FromStepView(const EdgeSpec& edge, ShardingId id) {
  if (edge.view == ManualView::kNone) return id;
  const ShardingTable& table = *tables_.shardings;
  return tables_.shardings->Intern(
      edge.view == ManualView::kOuter
          ? WithoutManualPart(table[id], edge.manual_axes)
          : WithManualPart(table[id], table[edge.boundary], edge.manual_axes));
}

}  // namespace tessera::sharding::propagation
