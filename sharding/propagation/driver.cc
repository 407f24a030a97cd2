// The stack
//
// At the start every op is on the stack, the first one on top, so popping is walking through the
// program. Ops that the walk has not reached are on the stack already: waking one of them does
// nothing. So the stack is a cursor into the program plus a small stack of ops that were woken
// after the cursor had passed them:
//
//   woken_      add.7 mul.2        popped first; is_woken_ is their flag
//   cursor_     -> div.9 sub.10 .. all the rest of the program
//
// Mental model: a walk through the program; whenever a step changes something that ops already
// passed look at, those are redone, most recently woken first, before the walk goes on.
//
// Visits that are passed over
//
// A step that moved nothing will move nothing again while its tensors have the same shardings, the
// strategy is the same and no factor may move in a direction in which it could not before. Since
// it wakes nobody either, leaving it out changes nothing, the order of all others included. For
// each op and strategy quiet_ holds the directions of the last step that moved nothing
// (Directions::code(), a bit set); any write to a tensor of the op clears it. Five levels of op
// priority then cost little more than one.
//
// Two kinds of steps do not count as quiet. One that wrote something: one value may stand at two
// operands. And one that moved axes which no tensor could express, so that nothing was written:
// with fewer directions these axes may be free for another factor.
//
// Tested in propagate_test.cc and, against a driver that takes every word of the rule literally, in
// random_programs_test.cc.

#include "tessera/sharding/propagation/driver.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/propagation/levels.h"
#include "tessera/sharding/propagation/manual_view.h"

namespace tessera::sharding::propagation {
namespace {

constexpr uint8_t kAlwaysQuiet = 0x0f;
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
  const absl::Span<const ValueId> operands = program.operands(o);
  const absl::Span<const ValueId> results = program.results(o);
  if (rule.num_operands() != static_cast<int>(operands.size()) ||
      rule.num_results() != static_cast<int>(results.size())) {
    return false;
  }
  int t = 0;
  const auto fits = [&](ValueId v) { return rule.rank(t++) == program.rank(v); };
  return absl::c_all_of(operands, fits) && absl::c_all_of(results, fits);
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
      step_(tables),
      cache_(tables),
      rules_(program.num_ops(), factors::kNoRule),
      is_woken_(program.num_ops()) {
  quiet_.fill(std::vector<uint8_t>(program.num_ops(), kAlwaysQuiet));
  for (OpId o = 0; o < program.num_ops(); ++o) {
    if (!plan_.has_step(o)) continue;
    rules_[o] = kAskForRule;
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] = 0;
  }
  FillClasses();
  for (const Output& output : program.outputs()) {
    output_rules_.push_back(program.has_shape(output.value) ? IdentityRule(output.value, 1)
                                                            : factors::kNoRule);
  }
}

void Driver::FillClasses() {
  for (size_t d = 0; d < directions_.size() - kFlowClasses; ++d) {
    directions_[kFlowClasses + d].fill(Directions::Every(static_cast<Direction>(d)));
  }
  class_.reserve(program_.num_ops());
  for (OpId o = 0; o < program_.num_ops(); ++o) {
    const OpSpec& op = program_.op(o);
    const FlowClass flow = op.kind == OpKind::kEdge ? FlowClass::kPassThrough : op.flow;
    const size_t own = kFlowClasses + static_cast<size_t>(op.barrier);
    class_.push_back(
        static_cast<uint8_t>(op.kind == OpKind::kBarrier ? own : static_cast<size_t>(flow)));
  }
}

absl::Status Driver::Run(RunMode mode) {
  mode_ = mode;
  for (size_t flow = 0; flow < kFlowClasses; ++flow) {
    for (const bool single_use : {false, true}) {
      directions_[flow][single_use] =
          mode.level == kAllLevels
              ? kBothWays
              : LevelDirections(mode.level, static_cast<FlowClass>(flow), single_use);
    }
  }
  const int64_t limit = state_.writes() + kWritesPerValue * (program_.num_values() + 1);
  StepOutputs();
  for (cursor_ = 0; cursor_ < program_.num_ops() || !woken_.empty();) {
    at_work_ = Pop();
    if (CanSkip(at_work_)) continue;
    if (absl::Status status = Visit(at_work_); !status.ok()) return status;
    if (state_.writes() > limit) return DoesNotSettle(at_work_);
  }
  at_work_ = kNone;
  StepOutputs();
  return absl::OkStatus();
}

// --- the stack -----------------------------------------------------------------------------------

OpId Driver::Pop() {
  if (woken_.empty()) return cursor_++;
  const OpId top = woken_.back();
  woken_.pop_back();
  is_woken_[top] = false;
  return top;
}

void Driver::Wake(OpId o) {
  if (o >= cursor_ || o == at_work_ || is_woken_[o] || liveness_.erased(o)) return;
  is_woken_[o] = true;
  woken_.push_back(o);
}

bool Driver::CanSkip(OpId o) const {
  if (liveness_.IsDead(o) || rules_[o] == kAskForRule) return false;
  return (DirectionsOf(o).code() & ~quiet_[mode_.aggressive][o]) == 0;
}

void Driver::Touched(absl::Span<const ValueId> written) {
  for (const ValueId v : written) {
    for (const OpId o : plan_.touched(v)) {
      if (rules_[o] == factors::kNoRule) continue;
      for (std::vector<uint8_t>& quiet : quiet_) quiet[o] = 0;
    }
  }
}

// --- visits --------------------------------------------------------------------------------------

absl::Status Driver::Visit(OpId o) {
  if (liveness_.erased(o)) return absl::OkStatus();
  if (liveness_.IsDead(o)) {
    liveness_.Erase(o, [this](OpId maker) { Wake(maker); });
    return absl::OkStatus();
  }
  if (rules_[o] == kAskForRule) {
    if (absl::Status status = FindRule(o); !status.ok()) return status;
  }
  if (!CanSkip(o)) Step(o, DirectionsOf(o));
  return absl::OkStatus();
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
    for (std::vector<uint8_t>& quiet : quiet_) quiet[o] = kAlwaysQuiet;
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

StepMode Driver::ModeOf(OpId o, Directions directions) const {
  const OpSpec& op = program_.op(o);
  const bool ordinary = op.kind != OpKind::kEdge && op.kind != OpKind::kBarrier;
  StepMode mode;
  mode.directions = directions;
  mode.aggressive = mode_.aggressive;
  mode.element_wise = op.kind == OpKind::kBarrier || (ordinary && op.element_wise);
  mode.conservative = ordinary && options_.conservative;
  return mode;
}

OpStep::Answer Driver::RunStep(const StepMode& mode, RuleId rule, StepEvent event) {
  ++steps_;
  return plain_ ? step_.Run(mode, rule, ids_, observer_, event) : cache_.Run(mode, rule, ids_);
}

void Driver::Step(OpId o, Directions directions) {
  ids_.clear();
  for (const ValueId v : plan_.tensors(o)) ids_.push_back(state_[v]);
  const EdgeId edge = program_.edge(o);
  if (edge != kNone) ids_.back() = ToStepView(program_.edges()[edge], ids_.back());
  StepEvent event;
  event.op = o;
  const OpStep::Answer answer = RunStep(ModeOf(o, directions), rules_[o], event);
  for (const OpStep::Update& update : answer.updates) WriteTensor(o, update);
  if (answer.at_rest && !plain_) quiet_[mode_.aggressive][o] = directions.code();
  if (observer_ != nullptr) observer_->OnStepEnd(!answer.updates.empty());
}

void Driver::WriteTensor(OpId o, const OpStep::Update& update) {
  const absl::Span<const ValueId> tensors = plan_.tensors(o);
  const EdgeId edge = program_.edge(o);
  const bool is_result = update.tensor + 1 == static_cast<int>(tensors.size());
  const ShardingId sharding = edge != kNone && is_result
                                  ? FromStepView(program_.edges()[edge], update.sharding)
                                  : update.sharding;
  WriteValue(tensors[update.tensor], sharding, {Cause::kStep, update.tensor}, /*wake=*/true);
}

// Writes `v` and then all others of its group.
void Driver::WriteValue(ValueId v, ShardingId sharding, WriteReason reason, bool wake) {
  const auto write = [&](ValueId home, WriteReason why) {
    state_.Write(home, sharding, why);
    Touched(state_.written());
    if (!wake) return;
    for (const OpId o : plan_.wakes(home)) Wake(o);
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
  ids_ = {state_[v], state_.output(k)};
  StepMode mode;
  mode.directions = kBothWays;
  mode.aggressive = mode_.aggressive;
  StepEvent event;
  event.output = k;
  const OpStep::Answer answer = RunStep(mode, output_rules_[k], event);
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
