// Devices stay in step by the set of those that take part. Instructions go one by one through all
// devices; a loop runs until the last one has left it, a conditional runs each branch that a device
// takes.
#include "tessera/testing/evaluator/sharded/spmd.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/sharded/exchange.h"
#include "tessera/testing/evaluator/sharded/exchange_on_device.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using hlo::InstructionId;

bool Any(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), true) != flags.end();
}

void TakeOver(const std::vector<bool>& which, std::vector<Value> from, std::vector<Value>* to) {
  for (size_t d = 0; d < which.size(); ++d) {
    if (which[d]) (*to)[d] = std::move(from[d]);
  }
}

}  // namespace

int64_t DevicesOf(const hlo::Module& module) {
  int64_t most =
      std::max<int64_t>(module.header().replica_count * module.header().num_partitions, 1);
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto groups = hlo::GetReplicaGroups(module, id);
    const auto lists = groups.has_value() ? groups->Expand() : std::nullopt;
    const auto pairs = hlo::GetIntLists(module, id, hlo::AttributeName::kSourceTargetPairs);
    for (const auto& list : lists.value_or(std::vector<std::vector<int64_t>>())) {
      for (int64_t device : list) most = std::max(most, device + 1);
    }
    for (const hlo::IntList& pair : pairs.value_or(std::vector<hlo::IntList>())) {
      for (int64_t device : pair) most = std::max(most, device + 1);
    }
  }
  return most;
}

absl::StatusOr<std::vector<Value>> SpmdRunner::Run(std::vector<std::vector<Value>> arguments) {
  const size_t count = module_.entry().parameters.size();
  std::vector<DeviceValues> by_parameter(count);
  for (size_t p = 0; p < count; ++p) {
    for (std::vector<Value>& device : arguments) by_parameter[p].push_back(std::move(device[p]));
  }
  return RunComputation(module_.entry_id(), std::move(by_parameter), Awake(devices_, true));
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::RunComputation(
    hlo::ComputationId computation, std::vector<DeviceValues> arguments, const Awake& awake) {
  absl::flat_hash_map<InstructionId, std::unique_ptr<DeviceValues>> known;
  const hlo::Computation& body = module_.computation(computation);
  for (InstructionId id : body.instructions) {
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == hlo::Opcode::kParameter) {
      known[id] = std::make_unique<DeviceValues>(arguments[instruction.parameter_number]);
      continue;
    }
    Operands operands;
    for (InstructionId operand : module_.operands(id)) operands.push_back(known[operand].get());
    TESSERA_ASSIGN_OR_RETURN(DeviceValues made, Step(id, operands, awake));
    known[id] = std::make_unique<DeviceValues>(std::move(made));
  }
  return *known[body.root];
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Step(InstructionId id,
                                                          const Operands& operands,
                                                          const Awake& awake) {
  using Member =
      absl::StatusOr<DeviceValues> (SpmdRunner::*)(InstructionId, const Operands&, const Awake&);
  static constexpr std::pair<hlo::Opcode, Member> kFlow[] = {
      {hlo::Opcode::kAsyncStart, &SpmdRunner::Call},    {hlo::Opcode::kCall, &SpmdRunner::Call},
      {hlo::Opcode::kConditional, &SpmdRunner::Branch}, {hlo::Opcode::kFusion, &SpmdRunner::Call},
      {hlo::Opcode::kWhile, &SpmdRunner::Loop},
  };
  const hlo::Opcode opcode = module_.instruction(id).opcode;
  for (const auto& [flow, member] : kFlow) {
    if (flow == opcode) return (this->*member)(id, operands, awake);
  }
  return IsExchange(opcode) ? Exchange(id, operands, awake) : Apart(id, operands, awake);
}

// Each device for itself.
absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Apart(InstructionId id,
                                                           const Operands& operands,
                                                           const Awake& awake) {
  const hlo::Opcode opcode = module_.instruction(id).opcode;
  const bool partitions = module_.header().num_partitions > 1;
  const bool says_number =
      opcode == (partitions ? hlo::Opcode::kPartitionId : hlo::Opcode::kReplicaId);
  DeviceValues out(devices_);
  for (size_t device = 0; device < devices_; ++device) {
    if (!awake[device]) continue;
    std::vector<const Value*> mine;
    for (const DeviceValues* operand : operands) mine.push_back(&(*operand)[device]);
    TESSERA_ASSIGN_OR_RETURN(out[device], interpreter_.Apply(id, mine));
    if (says_number) out[device].array.cells[0].i = static_cast<int64_t>(device);
  }
  return out;
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Loop(InstructionId id,
                                                          const Operands& operands,
                                                          const Awake& awake) {
  DeviceValues state = *operands[0];
  Awake inside = awake;
  while (true) {
    TESSERA_RETURN_IF_ERROR(interpreter_.Spend(1));
    TESSERA_ASSIGN_OR_RETURN(const DeviceValues go,
                             RunComputation(module_.called(id)[1], {state}, inside));
    for (size_t d = 0; d < devices_; ++d) inside[d] = inside[d] && go[d].array.cells[0].i != 0;
    if (!Any(inside)) return state;
    TESSERA_ASSIGN_OR_RETURN(DeviceValues next,
                             RunComputation(module_.called(id)[0], {state}, inside));
    TakeOver(inside, std::move(next), &state);
  }
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Branch(InstructionId id,
                                                            const Operands& operands,
                                                            const Awake& awake) {
  DeviceValues out(devices_);
  const auto branches = static_cast<int64_t>(operands.size()) - 1;
  for (int64_t branch = 0; branch < branches; ++branch) {
    Awake here = awake;
    for (size_t d = 0; d < devices_; ++d)
      here[d] = here[d] && BranchOf((*operands[0])[d].array, branches) == branch;
    if (!Any(here)) continue;
    const auto b = static_cast<size_t>(branch);
    TESSERA_ASSIGN_OR_RETURN(DeviceValues made,
                             RunComputation(module_.called(id)[b], {*operands[b + 1]}, here));
    TakeOver(here, std::move(made), &out);
  }
  return out;
}

// Calls and fusions; an async-start has its operands and the result in a tuple.
absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Call(InstructionId id,
                                                          const Operands& operands,
                                                          const Awake& awake) {
  std::vector<DeviceValues> arguments;
  for (const DeviceValues* operand : operands) arguments.push_back(*operand);
  TESSERA_ASSIGN_OR_RETURN(DeviceValues made,
                           RunComputation(module_.called(id)[0], arguments, awake));
  if (module_.instruction(id).opcode != hlo::Opcode::kAsyncStart) return made;
  for (size_t d = 0; d < devices_; ++d) {
    Value started = MakeValue(module_.shape(id));
    std::vector<Value> mine;
    for (const DeviceValues& argument : arguments) mine.push_back(argument[d]);
    started.elements[0] = MakeTuple(std::move(mine));
    started.elements[1] = std::move(made[d]);
    made[d] = std::move(started);
  }
  return made;
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Exchange(InstructionId id,
                                                              const Operands& operands,
                                                              const Awake& awake) {
  DeviceValues out(devices_);
  for (size_t device = 0; device < devices_; ++device) {
    if (!awake[device]) continue;
    TESSERA_ASSIGN_OR_RETURN(
        out[device],
        ExchangeOnDevice(interpreter_, id, static_cast<int64_t>(device), operands, awake));
    ++exchanges_;
  }
  return out;
}

}  // namespace tessera::testing::evaluator
