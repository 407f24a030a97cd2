// A walk over what runs. Each instruction turns the arrays that come in into those that go out: most
// make new ones, some hand on what they get. A map for each computation that is entered notes the
// first and the last step at which an array is needed.

#include "tessera/target/buffers/live_values.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/layout/leaves.h"
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

// Reads the operands of an asynchronous operation out of its state: element 0.
bool TakesResult(Opcode opcode) {
  return opcode == Opcode::kAllGatherDone || opcode == Opcode::kCollectivePermuteDone ||
         opcode == Opcode::kAsyncDone;
}

class Walk {
 public:
  explicit Walk(const hlo::Module& module) : module_(module), values_(module.num_instructions()) {
    ValueId next = 0;
    for (InstructionId id = 0; id < module.num_instructions(); ++id) {
      live_.first.push_back(next);
      next += static_cast<ValueId>(numbers_.Count(module.shape(id)));
    }
    live_.first.push_back(next);
    for (ValueId v = 0; v < next; ++v) live_.home.push_back(v);
    live_.callers.assign(module.num_computations(), hlo::kNoId);
  }

  LiveValues Run(bool reuses_operands) {
    live_.results = Visit(module_.entry_id(), hlo::kNoId, {});
    ShareWithArguments();
    if (reuses_operands) FindReuses();
    absl::c_sort(live_.spans, [](const LiveSpan& a, const LiveSpan& b) {
      return std::make_tuple(a.first, a.value, a.last) < std::make_tuple(b.first, b.value, b.last);
    });
    for (ValueId v = 0; v < live_.home.size(); ++v) live_.home[v] = Home(v);
    return std::move(live_);
  }

 private:
  using Needed = absl::flat_hash_map<ValueId, std::pair<int64_t, int64_t>>;

  int64_t now() const { return static_cast<int64_t>(live_.steps.size()); }

  ValueId Home(ValueId v) {
    while (live_.home[v] != v) v = live_.home[v] = live_.home[live_.home[v]];
    return v;
  }

  void Join(ValueId a, ValueId b) {
    a = Home(a);
    b = Home(b);
    live_.home[std::max(a, b)] = std::min(a, b);
  }

  void Join(const Values& a, const Values& b) {
    for (size_t k = 0; k < a.size() && k < b.size(); ++k) Join(a[k], b[k]);
  }

  // `arguments`: of each parameter; of the entry none are given.
  Values Visit(ComputationId c, InstructionId caller, const std::vector<Values>& arguments) {
    live_.callers[c] = caller;
    const int64_t start = now();
    Needed needed;
    for (const InstructionId id : module_.computation(c).instructions) {
      const hlo::Instruction& i = module_.instruction(id);
      const bool is_given = i.opcode == Opcode::kParameter && i.parameter_number < arguments.size();
      values_[id] = is_given ? arguments[i.parameter_number] : ResultOf(id);
      const int64_t step = now();
      const int64_t made_at = step + (IsConcatenatedInPlace(module_, id) ? 1 : 0);
      live_.steps.push_back(id);
      if (i.opcode == Opcode::kWhile) CloseSpans(OperandsOf(id), start, step, &needed);
      if (!HandsOn(i.opcode)) Need(OperandsOf(id), start, step, &needed);
      if (!is_given && !HandsOn(i.opcode)) Need(values_[id], made_at, made_at, &needed);
    }
    const Values& results = values_[module_.computation(c).root];
    // The result of a loop takes over from its body.
    const bool is_body = caller != hlo::kNoId && IsBody(c, caller);
    Need(results, start, is_body ? std::max(start, now() - 1) : now(), &needed);
    for (const auto& [value, span] : needed) {
      live_.spans.push_back({value, span.first, span.second});
    }
    return results;
  }

  bool IsBody(ComputationId c, InstructionId caller) const {
    return module_.instruction(caller).opcode == Opcode::kWhile && module_.called(caller)[0] == c;
  }

  // What a loop carries is needed until the body starts, and again as the result of the loop; in
  // between the spans of the body say when.
  void CloseSpans(const Values& carried, int64_t start, int64_t step, Needed* needed) {
    const int64_t entered = entered_;
    Need(carried, start, entered, needed);
    for (const ValueId v : carried) {
      const auto it = needed->find(v);
      if (it->second.first == step) continue;  // carried twice
      live_.spans.push_back({v, it->second.first, entered});
      it->second = {step, step};
    }
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

  // New arrays from leaf `from` on behind those that are given, as many as the result has.
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
    const std::vector<Values> carried = Arguments(id);
    const int64_t begin = now();
    Visit(module_.called(id)[1], id, carried);
    const int64_t entered = now();
    for (const ValueId v : carried[0]) live_.spans.push_back({v, begin, entered});
    Join(carried[0], Visit(module_.called(id)[0], id, carried));
    entered_ = entered;
    return carried[0];
  }

  Values Branches(InstructionId id) {
    const std::vector<Values> arguments = Arguments(id, 1);
    Values result;
    for (size_t k = 0; k < module_.called(id).size() && k < arguments.size(); ++k) {
      const Values out = Visit(module_.called(id)[k], id, {arguments[k]});
      Join(result, out);
      if (k == 0) result = out;
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
        Join(state[shared.result], operands[shared.operand]);
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
        Join(made[shared.result], operands[shared.operand]);
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
        Join(live_.results[leaf], live_.first[parameter] + static_cast<ValueId>(argument));
      }
    }
  }

  // What a kernel may write over: arrays that it is the last one to read.
  void FindReuses() {
    absl::flat_hash_set<std::pair<ValueId, int64_t>> ends;
    for (const LiveSpan& span : live_.spans) ends.insert({span.value, span.last});
    for (int64_t step = 0; step < now(); ++step) {
      const InstructionId id = live_.steps[static_cast<size_t>(step)];
      if (HandsOn(module_.instruction(id).opcode)) continue;
      const Values operands = OperandsOf(id);
      const auto ends_here = [&](ValueId v) { return ends.contains({v, step}); };
      if (!absl::c_any_of(operands, ends_here)) continue;
      for (const SharedLeaf& leaf : ReusableLeaves(module_, id, &numbers_)) {
        if (leaf.result >= values_[id].size() || leaf.operand >= operands.size()) continue;
        const ValueId operand = operands[leaf.operand];
        if (!ends_here(operand)) continue;
        live_.reuses.push_back({values_[id][leaf.result], operand, step, IsDirect(id, operand)});
      }
    }
  }

  bool IsDirect(InstructionId id, ValueId operand) const {
    const auto makes_it = [&](InstructionId o) {
      return live_.first[o] <= operand && operand < live_.first[o + 1];
    };
    return module_.instruction(id).opcode != Opcode::kCopy &&
           absl::c_any_of(module_.operands(id), makes_it);
  }

  const hlo::Module& module_;
  layout::LeafNumbers numbers_;
  std::vector<Values> values_;  // by InstructionId, of the last visit
  LiveValues live_;
  int64_t entered_ = 0;  // when the body of the last loop started
};

}  // namespace

absl::StatusOr<LiveValues> FindLiveValues(const hlo::Module& module, bool reuses_operands) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto runs = [&](InstructionId id) { return !module.called(id).empty(); };
  TESSERA_RETURN_IF_ERROR(hlo::CheckUnfolded(module, runs, "with what each call runs, the module"));
  return Walk(module).Run(reuses_operands);
}

}  // namespace tessera::target
