// A walk over what runs. Each instruction turns the arrays that come in into those that go out: most
// make new ones, some hand on what they get. A map for each computation that is entered notes the
// first and the last step at which an array is needed.
//
// A loop or a conditional makes new arrays where several come together (array_names.h). A loop does so
// for what it changes alone, which is known when its body has been walked through. So each element gets
// new arrays at first, and those of an element that the body hands on are found to be the initial one.

#include "tessera/target/buffers/live_values.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/layout/leaves.h"
#include "tessera/target/buffers/array_names.h"
#include "tessera/target/buffers/live_spans.h"
#include "tessera/target/buffers/reused_operands.h"
#include "tessera/target/buffers/shared_leaves.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using Values = std::vector<ValueId>;

// Reads nothing: its result is its operands.
bool HandsOn(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
         opcode == Opcode::kBitcast || opcode == Opcode::kOptBarrier || opcode == Opcode::kDomain ||
         opcode == Opcode::kAddDependency;
}

// Takes the result of an asynchronous operation out of its state, where it stands after element 0, the operands.
bool TakesResult(Opcode opcode) {
  return opcode == Opcode::kAllGatherDone || opcode == Opcode::kCollectivePermuteDone ||
         opcode == Opcode::kAsyncDone;
}

class Walk {
 public:
  explicit Walk(const hlo::Module& module)
      : module_(module), values_(module.num_instructions()), step_of_(module.num_instructions()) {
    ValueId next = 0;
    for (InstructionId id = 0; id < module.num_instructions(); ++id) {
      live_.first.push_back(next);
      next += static_cast<ValueId>(numbers_.Count(module.shape(id)));
    }
    live_.first.push_back(next);
    for (InstructionId id = 0; id < module.num_instructions(); ++id) {
      for (ValueId v = live_.first[id]; v < live_.first[id + 1]; ++v) names_.Add(v, id);
    }
    live_.callers.assign(module.num_computations(), hlo::kNoId);
  }

  LiveValues Run(bool reuses_operands) {
    live_.results = Visit(module_.entry_id(), hlo::kNoId, {});
    ShareWithArguments();
    for (ValueId& result : live_.results) result = names_.Same(result);
    for (LiveSpan& span : live_.spans) span.value = names_.Same(span.value);
    MergeSpans(&live_.spans);
    if (reuses_operands) FindReuses();
    std::move(names_).GiveTo(&live_);
    return std::move(live_);
  }

 private:
  using Needed = absl::flat_hash_map<ValueId, std::pair<int64_t, int64_t>>;

  int64_t now() const { return static_cast<int64_t>(live_.steps.size()); }

  // `arguments`: of each parameter; of the entry none are given.
  Values Visit(ComputationId c, InstructionId caller, const std::vector<Values>& arguments) {
    live_.callers[c] = caller;
    const int64_t start = now();
    Needed needed;
    for (const InstructionId id : module_.computation(c).instructions) {
      const hlo::Instruction& i = module_.instruction(id);
      const bool is_given = i.opcode == Opcode::kParameter && i.parameter_number < arguments.size();
      const int64_t entered = now();
      values_[id] = is_given ? arguments[i.parameter_number] : ResultOf(id);
      const int64_t step = now();
      const int64_t made_at = step + (IsConcatenatedInPlace(module_, id) ? 1 : 0);
      live_.steps.push_back(id);
      if (!HandsOn(i.opcode)) Need(OperandsOf(id), start, LastUse(id, entered, step), &needed);
      if (is_given) {
        step_of_[id] = step;
        Need(values_[id], start, step, &needed);
      }
      if (!is_given && !HandsOn(i.opcode)) Need(values_[id], made_at, made_at, &needed);
    }
    const Values& results = values_[module_.computation(c).root];
    Need(results, start, now(), &needed);
    const bool is_body = caller != hlo::kNoId && IsBody(c, caller);
    for (const auto& [value, span] : needed) {
      const bool is_taken_over = is_body && span.second == now();
      live_.spans.push_back({value, span.first, span.second, is_taken_over});
    }
    return results;
  }

  // `step`, but for what has needed its operands inside: a loop until its body has them, a call
  // as what it calls does.
  int64_t LastUse(InstructionId id, int64_t entered, int64_t step) const {
    const Opcode opcode = module_.instruction(id).opcode;
    if (opcode == Opcode::kCall) return entered;
    return opcode == Opcode::kWhile ? body_entered_ : step;
  }

  bool IsBody(ComputationId c, InstructionId caller) const {
    return module_.instruction(caller).opcode == Opcode::kWhile && module_.called(caller)[0] == c;
  }

  static void Need(const Values& values, int64_t from, int64_t step, Needed* needed) {
    for (const ValueId v : values) {
      auto& span = needed->try_emplace(v, from, step).first->second;
      span.second = std::max(span.second, step);
    }
  }

  Values OperandsOf(InstructionId id, size_t from = 0) const {
    Values all;
    for (const InstructionId operand : module_.operands(id).subspan(from)) {
      all.insert(all.end(), values_[operand].begin(), values_[operand].end());
    }
    return all;
  }

  std::vector<Values> Arguments(InstructionId id, size_t from = 0) const {
    std::vector<Values> all;
    for (const InstructionId operand : module_.operands(id).subspan(from)) {
      all.push_back(values_[operand]);
    }
    return all;
  }

  // The arrays that are given and new ones after them, together as many as the result has.
  Values Filled(InstructionId id, Values given) const {
    const size_t count = live_.first[id + 1] - live_.first[id];
    if (given.size() > count) given.resize(count);
    while (given.size() < count) {
      given.push_back(live_.first[id] + static_cast<ValueId>(given.size()));
    }
    return given;
  }

  static Values Part(const Values& all, size_t begin, size_t count) {
    begin = std::min(begin, all.size());
    return Values(all.begin() + begin, all.begin() + std::min(all.size(), begin + count));
  }

  Values ResultOf(InstructionId id) {
    const Opcode opcode = module_.instruction(id).opcode;
    switch (opcode) {
      case Opcode::kGetTupleElement:
        return Filled(id, Element(id));
      case Opcode::kWhile:
        return Filled(id, Loop(id));
      case Opcode::kConditional:
        return Filled(id, Branches(id));
      case Opcode::kCall:
        return Filled(id, Visit(module_.called(id)[0], id, Arguments(id)));
      case Opcode::kAsyncStart:
      case Opcode::kAsyncUpdate:
        return Filled(id, Started(id));
      case Opcode::kAllGatherStart:
        return Filled(id, OperandsOf(id));
      case Opcode::kCollectivePermuteStart:
      case Opcode::kSend:
        return Filled(id, Part(OperandsOf(id), 0, StateOperands(id)));
      case Opcode::kCopyStart:
        return CopyStarted(id);
      case Opcode::kCopyDone:
      case Opcode::kRecvDone:
      case Opcode::kAllReduceDone:
        return Filled(id, Part(OperandsOf(id), 0, Count(id)));
      default:
        break;
    }
    if (TakesResult(opcode)) {
      return Filled(id, Part(OperandsOf(id), StateOperands(module_.operands(id)[0]), Count(id)));
    }
    return HandsOn(opcode) ? Filled(id, OperandsOf(id)) : Made(id);
  }

  size_t Count(InstructionId id) const { return live_.first[id + 1] - live_.first[id]; }

  // Leaves of element 0 of the state of an asynchronous operation.
  size_t StateOperands(InstructionId start) {
    const layout::Shape& state = module_.shape(start);
    const bool has_elements = state.is_tuple() && !state.tuple_elements().empty();
    return has_elements ? numbers_.Count(state.tuple_elements()[0]) : 1;
  }

  Values Element(InstructionId id) {
    const InstructionId tuple = module_.operands(id)[0];
    const int64_t index = hlo::GetTupleIndex(module_, id);
    return Part(values_[tuple], numbers_.Of(module_.shape(tuple), {index}), Count(id));
  }

  Values Loop(InstructionId id) {
    const Values carried = OperandsOf(id);
    const Values asked = names_.Continued(carried, ParameterOf(id, 1));
    Visit(module_.called(id)[1], id, {asked});
    const Values entered = names_.Continued(carried, ParameterOf(id, 0));
    const Values left = Visit(module_.called(id)[0], id, {entered});
    body_entered_ = step_of_[ParameterOf(id, 0)];
    Values results = names_.Continued(carried, id);
    for (size_t k = 0; k < std::min(left.size(), results.size()); ++k) {
      if (names_.Same(left[k]) != entered[k]) {
        names_.Join(carried[k], left[k]);
        continue;
      }
      for (const ValueId v : {asked[k], entered[k], results[k]}) names_.Equate(v, carried[k]);
      results[k] = carried[k];
    }
    return results;
  }

  // Of the body, 0, or of the condition, 1, of a loop.
  InstructionId ParameterOf(InstructionId loop, size_t which) const {
    return module_.computation(module_.called(loop)[which]).parameters[0];
  }

  Values Branches(InstructionId id) {
    const std::vector<Values> arguments = Arguments(id, 1);
    std::vector<Values> outs;
    for (size_t k = 0; k < module_.called(id).size() && k < arguments.size(); ++k) {
      outs.push_back(Visit(module_.called(id)[k], id, {arguments[k]}));
    }
    return outs.empty() ? Values() : OneOf(id, outs);
  }

  // What several branches make in the same place.
  Values OneOf(InstructionId id, const std::vector<Values>& outs) {
    Values result = names_.Continued(outs[0], id);
    for (size_t k = 0; k < result.size(); ++k) {
      const ValueId first = outs[0][k];
      const auto is_first = [&](const Values& out) {
        return k >= out.size() || names_.Same(out[k]) == names_.Same(first);
      };
      if (!absl::c_all_of(outs, is_first)) continue;
      names_.Equate(result[k], first);
      result[k] = first;
    }
    for (const Values& out : outs) {
      for (size_t k = 0; k < result.size() && k < out.size(); ++k) names_.Join(result[k], out[k]);
    }
    return result;
  }

  // A state: the operands, the result, and what the hardware notes. An operation may be started
  // before its operands are there; an update brings them.
  Values Started(InstructionId id) {
    const bool is_start = module_.instruction(id).opcode == Opcode::kAsyncStart;
    const std::vector<Values> arguments = Arguments(id, is_start ? 0 : 1);
    const ComputationId c = CalleeOf(id);
    if (c == hlo::kNoId || arguments.size() != module_.computation(c).parameters.size()) {
      return is_start ? Values() : values_[module_.operands(id)[0]];
    }
    if (arguments.empty() && !is_start) return values_[module_.operands(id)[0]];
    const Values results = Visit(c, id, arguments);
    Values state = OperandsOf(id, is_start ? 0 : 1);
    state.insert(state.end(), results.begin(), results.end());
    if (is_start) ShareState(id, state);
    return state;
  }

  // What an asynchronous operation writes over its operands, such as an all-reduce.
  void ShareState(InstructionId start, const Values& state) {
    const Values operands = OperandsOf(start);
    for (const SharedLeaf& shared : AliasedLeaves(module_, start, &numbers_)) {
      if (shared.result < state.size() && shared.operand < operands.size()) {
        names_.Join(state[shared.result], operands[shared.operand]);
      }
    }
  }

  ComputationId CalleeOf(InstructionId id) const {
    while (module_.called(id).empty() && module_.instruction(id).opcode == Opcode::kAsyncUpdate) {
      id = module_.operands(id)[0];
    }
    return module_.called(id).empty() ? hlo::kNoId : module_.called(id)[0];
  }

  // (destination, source, context)
  Values CopyStarted(InstructionId id) {
    Values state = Filled(id, {});
    const Values source = OperandsOf(id);
    for (size_t k = 0; k < source.size() && k + 1 < state.size(); ++k) state[k + 1] = source[k];
    return state;
  }

  Values Made(InstructionId id) {
    Values made = Filled(id, {});
    const Values operands = OperandsOf(id);
    for (const SharedLeaf& shared : SharedLeaves(module_, id, &numbers_)) {
      if (shared.result < made.size() && shared.operand < operands.size()) {
        names_.Join(made[shared.result], operands[shared.operand]);
      }
    }
    return made;
  }

  void ShareWithArguments() {
    const auto& parameters = module_.entry().parameters;
    const layout::Shape& shape = module_.shape(module_.entry().root);
    for (const hlo::AliasEntry& alias : module_.header().input_output_alias) {
      const auto number = static_cast<size_t>(alias.parameter_number);
      if (number >= parameters.size()) continue;
      const InstructionId parameter = parameters[number];
      const size_t leaf = numbers_.Of(shape, alias.output_index);
      const size_t argument = numbers_.Of(module_.shape(parameter), alias.parameter_index);
      if (leaf < live_.results.size() && argument < Count(parameter)) {
        names_.Join(live_.results[leaf], live_.first[parameter] + static_cast<ValueId>(argument));
      }
    }
  }

  // What a kernel may write over: arrays that it is the last one to read.
  void FindReuses() {
    ReusableOperands reusable(module_, &numbers_);
    absl::flat_hash_set<std::pair<ValueId, int64_t>> ends;
    for (const LiveSpan& span : live_.spans) ends.insert({span.value, span.last});
    for (int64_t step = 0; step < now(); ++step) {
      const InstructionId id = live_.steps[static_cast<size_t>(step)];
      if (HandsOn(module_.instruction(id).opcode)) continue;
      const Values operands = OperandsOf(id);
      const auto ends_here = [&](ValueId v) { return ends.contains({names_.Same(v), step}); };
      if (!absl::c_any_of(operands, ends_here)) continue;
      for (const SharedLeaf& leaf : reusable.Of(id)) {
        if (leaf.result >= values_[id].size() || leaf.operand >= operands.size()) continue;
        const ValueId operand = names_.Same(operands[leaf.operand]);
        if (!ends_here(operand)) continue;
        live_.reuses.push_back(
            {names_.Same(values_[id][leaf.result]), operand, step, IsDirect(id, operand)});
      }
    }
  }

  bool IsDirect(InstructionId id, ValueId operand) const {
    const auto makes_it = [&](InstructionId o) {
      return live_.first[o] <= operand && operand < live_.first[o + 1];
    };
    return absl::c_any_of(module_.operands(id), makes_it);
  }

  const hlo::Module& module_;
  layout::LeafNumbers numbers_;
  std::vector<Values> values_;    // by InstructionId, of the last visit
  std::vector<int64_t> step_of_;  // of a parameter that is given, by InstructionId
  ArrayNames names_;
  LiveValues live_;
  int64_t body_entered_ = 0;  // when the body of the last loop had its parameter
};

}  // namespace

absl::StatusOr<LiveValues> FindLiveValues(const hlo::Module& module, bool reuses_operands) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto runs = [&](InstructionId id) { return !module.called(id).empty(); };
  TESSERA_RETURN_IF_ERROR(hlo::CheckUnfolded(module, runs, "with what each call runs, the module"));
  return Walk(module).Run(reuses_operands);
}

}  // namespace tessera::target
