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
    if (reuses_operands) ReuseOperands();
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
      live_.steps.push_back(id);
      if (!HandsOn(i.opcode)) Need(OperandsOf(id), start, step, &needed);
      if (!is_given && !HandsOn(i.opcode)) Need(values_[id], step, step, &needed);
    }
    const Values& results = values_[module_.computation(c).root];
    Need(results, start, now(), &needed);
    for (const auto& [value, span] : needed) {
      live_.spans.push_back({value, span.first, span.second});
    }
    return results;
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
    for (const ComputationId c : {module_.called(id)[1], module_.called(id)[0]}) {
      const Values out = Visit(c, id, carried);
      if (c == module_.called(id)[0]) Join(carried[0], out);
    }
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
    return state;
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

  // The first and the last step at which the arrays of a home are needed.
  using Extents = absl::flat_hash_map<ValueId, std::pair<int64_t, int64_t>>;

  Extents ExtentsOfHomes() {
    Extents extents;
    for (const LiveSpan& span : live_.spans) {
      auto& extent = extents.try_emplace(Home(span.value), span.first, span.last).first->second;
      extent.first = std::min(extent.first, span.first);
      extent.second = std::max(extent.second, span.last);
    }
    return extents;
  }

  using Homes = absl::flat_hash_set<ValueId>;

  Homes HomesOf(const Values& values) {
    Homes homes;
    for (const ValueId v : values) homes.insert(Home(v));
    return homes;
  }

  // Arguments and constants.
  Homes FixedHomes() {
    Homes fixed;
    for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
      const Opcode opcode = module_.instruction(id).opcode;
      const bool is_argument =
          opcode == Opcode::kParameter && module_.instruction(id).computation == module_.entry_id();
      if (!is_argument && opcode != Opcode::kConstant) continue;
      for (ValueId v = live_.first[id]; v < live_.first[id + 1]; ++v) fixed.insert(Home(v));
    }
    return fixed;
  }

  // In the order of the schedule, so that a chain of kernels is one array.
  void ReuseOperands() {
    Reuse reuse = {ExtentsOfHomes(), FixedHomes(), HomesOf(live_.results)};
    for (int64_t step = 0; step < now(); ++step) {
      const InstructionId id = live_.steps[static_cast<size_t>(step)];
      if (!HasDying(id, step, reuse)) continue;
      const Values operands = OperandsOf(id);
      for (const SharedLeaf& leaf : ReusableLeaves(module_, id, &numbers_)) {
        if (leaf.result >= values_[id].size() || leaf.operand >= operands.size()) continue;
        LieOver(values_[id][leaf.result], operands[leaf.operand], step, &reuse);
      }
    }
  }

  struct Reuse {
    Extents extents;
    Homes fixed, results;

    // Whether a home is needed last at this step, and may be written over.
    bool Dies(ValueId home, int64_t step) const {
      const auto it = extents.find(home);
      return it != extents.end() && it->second.second == step && !fixed.contains(home) &&
             !results.contains(home);
    }
    // Whether a home is first needed at this step, and may lie anywhere.
    bool IsBorn(ValueId home, int64_t step) const {
      const auto it = extents.find(home);
      return it != extents.end() && it->second.first == step && !fixed.contains(home);
    }
  };

  void LieOver(ValueId made, ValueId operand, int64_t step, Reuse* reuse) {
    made = Home(made);
    operand = Home(operand);
    if (made == operand || !reuse->IsBorn(made, step) || !reuse->Dies(operand, step)) return;
    const std::pair<int64_t, int64_t> both = {reuse->extents[operand].first,
                                              reuse->extents[made].second};
    Join(made, operand);
    reuse->extents[Home(made)] = both;
    if (reuse->results.contains(made)) reuse->results.insert(Home(made));
  }

  // Whether this step is the last one that needs some operand.
  bool HasDying(InstructionId id, int64_t step, const Reuse& reuse) {
    if (HandsOn(module_.instruction(id).opcode)) return false;
    const Values operands = OperandsOf(id);
    return absl::c_any_of(operands, [&](ValueId v) { return reuse.Dies(Home(v), step); });
  }

  const hlo::Module& module_;
  layout::LeafNumbers numbers_;
  std::vector<Values> values_;  // by InstructionId, of the last visit
  LiveValues live_;
};

}  // namespace

absl::StatusOr<LiveValues> FindLiveValues(const hlo::Module& module, bool reuses_operands) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto runs = [&](InstructionId id) { return !module.called(id).empty(); };
  TESSERA_RETURN_IF_ERROR(hlo::CheckUnfolded(module, runs, "with what each call runs, the module"));
  return Walk(module).Run(reuses_operands);
}

}  // namespace tessera::target
