#include "tessera/testing/evaluator/spmd.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/collectives.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/blocks.h"
#include "tessera/testing/evaluator/exchange.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/seen_operands.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using hlo::InstructionId;

// `group` as the device of rank `rank` may see it for this block.
absl::StatusOr<SeenOperands> SeenByRank(const hlo::Module& module, InstructionId id, int64_t rank,
                                        const ZRange& block,
                                        const std::vector<const Array*>& group) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<projection::RankedNeed> ranked,
                           projection::CollectiveNeeds(module, id, rank, block));
  std::vector<projection::Need> needs(group.size());
  for (size_t r = 0; r < group.size(); ++r) needs[r].cells = projection::ZSet(group[r]->rank());
  for (const projection::RankedNeed& need : ranked)
    needs[static_cast<size_t>(need.rank)].cells = need.cells;
  std::vector<Value> values;
  for (const Array* array : group) values.push_back(*array);
  std::vector<const Value*> pointers;
  for (const Value& value : values) pointers.push_back(&value);
  return SeenOperands::Create(pointers, needs, nullptr);
}

// Array `leaf` on one device, whole, and its halves from the cells that are named.
absl::StatusOr<Array> CheckedExchange(Interpreter& interpreter, InstructionId id, int leaf,
                                      int64_t rank, const std::vector<const Array*>& group) {
  const hlo::Module& module = interpreter.module();
  const auto* shape = projection::ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)];
  const ZPoint dims(shape->array().dims());
  TESSERA_ASSIGN_OR_RETURN(
      Array whole, ExchangeBlock(interpreter, id, leaf, rank, ZRange::FromShape(dims), group));
  for (const ZRange& block : CutInHalves(module, id, leaf, dims)) {
    if (block.empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(const SeenOperands seen, SeenByRank(module, id, rank, block, group));
    std::vector<const Array*> arrays;
    for (const Value* value : seen.values()) arrays.push_back(&value->array);
    TESSERA_ASSIGN_OR_RETURN(const Array made,
                             ExchangeBlock(interpreter, id, leaf, rank, block, arrays));
    const std::string outside = seen.OutsideRead();
    if (!outside.empty())
      return absl::DataLossError(absl::StrCat(module.instruction(id).name, ": rank ", rank,
                                              ", block ", block.ToString(), " reads ", outside));
  }
  return whole;
}

// Contexts and operands that a started collective carries along.
Value AsResult(const hlo::Module& module, InstructionId id, std::vector<Value> arrays) {
  const hlo::Opcode opcode = module.instruction(id).opcode;
  const bool started =
      module.shape(id).is_tuple() &&
      (opcode == hlo::Opcode::kAllGatherStart || opcode == hlo::Opcode::kCollectivePermuteStart);
  Value moved = arrays.size() == 1 ? arrays[0] : MakeTuple(arrays);
  if (!started) return moved;
  Value out = MakeValue(module.shape(id));
  out.elements[1] = std::move(moved);
  return out;
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
  return RunComputation(module_.entry_id(), std::move(by_parameter));
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::RunComputation(
    hlo::ComputationId computation, std::vector<DeviceValues> arguments) {
  absl::flat_hash_map<InstructionId, std::unique_ptr<DeviceValues>> known;
  const hlo::Computation& body = module_.computation(computation);
  for (InstructionId id : body.instructions) {
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == hlo::Opcode::kParameter) {
      known[id] = std::make_unique<DeviceValues>(arguments[instruction.parameter_number]);
      continue;
    }
    std::vector<const DeviceValues*> operands;
    for (InstructionId operand : module_.operands(id)) operands.push_back(known[operand].get());
    TESSERA_ASSIGN_OR_RETURN(DeviceValues made, Step(id, operands));
    known[id] = std::make_unique<DeviceValues>(std::move(made));
  }
  return *known[body.root];
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Step(
    InstructionId id, const std::vector<const DeviceValues*>& operands) {
  const hlo::Opcode opcode = module_.instruction(id).opcode;
  if (IsExchange(opcode)) return Exchange(id, operands);
  if (opcode == hlo::Opcode::kWhile) return Loop(id, *operands[0]);
  if (opcode == hlo::Opcode::kCall || opcode == hlo::Opcode::kFusion) {
    std::vector<DeviceValues> arguments;
    for (const DeviceValues* operand : operands) arguments.push_back(*operand);
    return RunComputation(module_.called(id)[0], std::move(arguments));
  }
  DeviceValues out;
  for (size_t device = 0; device < devices_; ++device) {
    std::vector<const Value*> mine;
    for (const DeviceValues* operand : operands) mine.push_back(&(*operand)[device]);
    TESSERA_ASSIGN_OR_RETURN(Value value, interpreter_.Apply(id, mine));
    const bool says_number =
        (opcode == hlo::Opcode::kPartitionId && module_.header().num_partitions > 1) ||
        (opcode == hlo::Opcode::kReplicaId && module_.header().num_partitions <= 1);
    if (says_number) value.array.cells[0].i = static_cast<int64_t>(device);
    out.push_back(std::move(value));
  }
  return out;
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Loop(InstructionId id, DeviceValues state) {
  while (true) {
    TESSERA_RETURN_IF_ERROR(interpreter_.Spend(1));
    TESSERA_ASSIGN_OR_RETURN(const DeviceValues go, RunComputation(module_.called(id)[1], {state}));
    for (const Value& value : go) {
      if (value.array.cells[0].i != go[0].array.cells[0].i)
        return absl::UnimplementedError("a loop that ends earlier on some devices");
    }
    if (go[0].array.cells[0].i == 0) return state;
    TESSERA_ASSIGN_OR_RETURN(state, RunComputation(module_.called(id)[0], {std::move(state)}));
  }
}

absl::StatusOr<SpmdRunner::DeviceValues> SpmdRunner::Exchange(
    InstructionId id, const std::vector<const DeviceValues*>& operands) {
  DeviceValues out;
  for (size_t device = 0; device < devices_; ++device) {
    const std::vector<int64_t> group =
        GroupOf(module_, id, static_cast<int64_t>(device), static_cast<int64_t>(devices_));
    if (group.empty()) return absl::UnimplementedError("a device that is in no group");
    const int64_t rank =
        std::find(group.begin(), group.end(), static_cast<int64_t>(device)) - group.begin();
    std::vector<Value> arrays;
    for (size_t k = 0; k < operands.size(); ++k) {
      std::vector<const Array*> members;
      for (int64_t member : group)
        members.push_back(&(*operands[k])[static_cast<size_t>(member)].array);
      const bool started = module_.shape(id).is_tuple() &&
                           module_.instruction(id).opcode == hlo::Opcode::kAllGatherStart;
      const int leaf = static_cast<int>(started ? operands.size() + k : k);
      TESSERA_ASSIGN_OR_RETURN(Array made, CheckedExchange(interpreter_, id, leaf, rank, members));
      arrays.push_back(std::move(made));
      ++exchanges_;
    }
    out.push_back(AsResult(module_, id, std::move(arrays)));
  }
  return out;
}

}  // namespace tessera::testing::evaluator
