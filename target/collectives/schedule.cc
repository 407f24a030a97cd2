#include "tessera/target/collectives/schedule.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/target/collectives/slice_transfers.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr Opcode kStarts[] = {Opcode::kAllGatherStart, Opcode::kAllReduceStart,
                              Opcode::kCollectivePermuteStart};

constexpr Opcode kEndsCollective[] = {Opcode::kAllGatherDone, Opcode::kAllReduceDone,
                                      Opcode::kCollectivePermuteDone};

constexpr Opcode kEnds[] = {Opcode::kAllGatherDone, Opcode::kAllReduceDone, Opcode::kAsyncDone,
                            Opcode::kCollectivePermuteDone};

// They take no time.
constexpr Opcode kNothing[] = {Opcode::kBitcast, Opcode::kConstant, Opcode::kGetTupleElement,
                               Opcode::kParameter, Opcode::kTuple};

// Of the libraries that multiply on GPUs and CPUs.
bool IsProductCall(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kCustomCall) return false;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  constexpr absl::string_view kParts[] = {"cublas", "matmul", "cudnn$conv"};
  return absl::c_any_of(kParts, [&](absl::string_view p) { return absl::StrContains(target, p); });
}

}  // namespace

bool StartsCollective(Opcode opcode) { return absl::c_linear_search(kStarts, opcode); }
bool RunsCollective(Opcode opcode) { return IsCollective(opcode) || StartsCollective(opcode); }

Schedules::Schedules(const hlo::Module& module)
    : module_(module), inside_(module.num_computations()) {
  for (const hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    for (const InstructionId id : module.computation(c).instructions) {
      const Inside kind = KindOf(id);
      inside_[c].collective |= kind.collective;
      inside_[c].product |= kind.product;
      if (!absl::c_linear_search(kEnds, module.instruction(id).opcode)) continue;
      InstructionId start = module.operands(id)[0];
      while (module.instruction(start).opcode == Opcode::kAsyncUpdate) {
        start = module.operands(start)[0];
      }
      done_.try_emplace(start, id);
    }
  }
}

// Of a call: what is in it. Of the end of one: whether a collective ends.
Schedules::Inside Schedules::KindOf(InstructionId id) const {
  const Opcode opcode = module_.instruction(id).opcode;
  Inside kind;
  kind.collective = RunsCollective(opcode) || absl::c_linear_search(kEndsCollective, opcode) ||
                    IsSliceTransfer(module_, id);
  kind.product = IsContraction(opcode) || IsProductCall(module_, id);
  for (const hlo::ComputationId called : module_.called(id)) {
    kind.collective |= inside_[called].collective;
    kind.product |= inside_[called].product;
  }
  return kind;
}

InstructionId Schedules::DoneOf(InstructionId start) const {
  const auto it = done_.find(start);
  return it == done_.end() ? hlo::kNoId : it->second;
}

const Schedules::Order& Schedules::OrderOf(hlo::ComputationId c) {
  const auto [it, is_new] = orders_.try_emplace(c);
  Order& order = it->second;
  if (!is_new) return order;
  const auto& instructions = module_.computation(c).instructions;
  order.before.reserve(instructions.size());
  Between sum;
  for (const InstructionId id : instructions) {
    order.place.emplace(id, order.before.size());
    order.before.push_back(sum);
    if (absl::c_linear_search(kNothing, module_.instruction(id).opcode)) continue;
    const Inside kind = KindOf(id);
    ++sum.instructions;
    sum.products += kind.product;
    sum.collectives += kind.collective;
  }
  return order;
}

Between Schedules::BetweenOf(InstructionId begin, InstructionId end) {
  const Order& order = OrderOf(module_.instruction(begin).computation);
  const size_t first = order.place.at(begin), last = order.place.at(end);
  if (last <= first + 1) return {};
  const Between& high = order.before[last];
  const Between& low = order.before[first + 1];
  return {high.instructions - low.instructions, high.products - low.products,
          high.collectives - low.collectives};
}

}  // namespace tessera::target
