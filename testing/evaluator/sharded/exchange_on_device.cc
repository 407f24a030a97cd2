#include "tessera/testing/evaluator/sharded/exchange_on_device.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/sharded/blocks.h"
#include "tessera/testing/evaluator/sharded/exchange.h"
#include "tessera/testing/evaluator/sharded/seen_operands.h"
#include "tessera/testing/projection/collective_needs.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

using hlo::InstructionId;
using OperandsOfDevices = std::vector<const std::vector<Value>*>;

// One array of one operand on every device of the group, by rank.
using GroupArrays = std::vector<const Array*>;

// `group` as the device of rank `rank` may see it for this block.
absl::StatusOr<SeenOperands> SeenByRank(const hlo::Module& module, InstructionId id, int leaf,
                                        int64_t rank, const ZRange& block,
                                        const GroupArrays& group) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<projection::RankedNeed> ranked,
                           projection::CollectiveNeeds(module, id, rank, block, leaf));
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

// Array `leaf` whole, and its halves from the cells that are named.
absl::StatusOr<Array> CheckedExchange(Interpreter& interpreter, InstructionId id, int leaf,
                                      int64_t rank, const GroupArrays& group) {
  const hlo::Module& module = interpreter.module();
  const auto* shape = projection::ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)];
  const ZPoint dims(shape->array().dims());
  TESSERA_ASSIGN_OR_RETURN(
      Array whole, ExchangeBlock(interpreter, id, leaf, rank, ZRange::FromShape(dims), group));
  for (const ZRange& block : CutInHalves(module, id, leaf, dims)) {
    if (block.empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(const SeenOperands seen,
                             SeenByRank(module, id, leaf, rank, block, group));
    GroupArrays arrays;
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

// (operands, results, contexts) of a start; else the results.
bool HoldsOperands(const hlo::Module& module, InstructionId id) {
  const hlo::Opcode opcode = module.instruction(id).opcode;
  return module.shape(id).is_tuple() &&
         (opcode == hlo::Opcode::kAllGatherStart || opcode == hlo::Opcode::kCollectivePermuteStart);
}

Value AsResult(const hlo::Module& module, InstructionId id, std::vector<Value> arrays) {
  Value moved = arrays.size() == 1 ? arrays[0] : MakeTuple(arrays);
  if (!HoldsOperands(module, id)) return moved;
  Value out = MakeValue(module.shape(id));
  out.elements[1] = std::move(moved);
  return out;
}

// The result is the second operand, with the rows that the devices of the group send here. Nobody
// knows before where they end up: every cell of every device may be read.
Value RaggedOnDevice(const std::vector<int64_t>& group, int64_t rank,
                     const OperandsOfDevices& operands) {
  const auto at = [&](size_t k, int64_t member) -> const Array& {
    return (*operands[k])[static_cast<size_t>(member)].array;
  };
  Array out = at(1, group[static_cast<size_t>(rank)]);
  for (int64_t sender : group) {
    const int64_t slices = at(2, sender).size() / static_cast<int64_t>(group.size());
    for (int64_t s = rank * slices; s < (rank + 1) * slices; ++s)
      MoveRaggedRows(at(0, sender), at(2, sender).cells[s].i, at(3, sender).cells[s].i,
                     at(4, sender).cells[s].i, &out);
  }
  return out;
}

}  // namespace

absl::StatusOr<Value> ExchangeOnDevice(Interpreter& interpreter, InstructionId id, int64_t device,
                                       const OperandsOfDevices& operands,
                                       const std::vector<bool>& awake) {
  const hlo::Module& module = interpreter.module();
  const std::vector<int64_t> group =
      GroupOf(module, id, device, static_cast<int64_t>(awake.size()));
  const auto self = std::find(group.begin(), group.end(), device);
  if (self == group.end()) return absl::FailedPreconditionError("a device that is in no group");
  for (int64_t partner : PartnersOf(module, id, device, group)) {
    if (!awake[static_cast<size_t>(partner)])
      return absl::FailedPreconditionError(
          absl::StrCat("device ", device, " would wait for ever for device ", partner));
  }
  const int64_t rank = self - group.begin();
  if (module.instruction(id).opcode == hlo::Opcode::kRaggedAllToAll)
    return RaggedOnDevice(group, rank, operands);
  std::vector<Value> arrays;
  for (size_t k = 0; k < operands.size(); ++k) {
    const size_t from = IsSwapOfOperands(module, id) ? static_cast<size_t>(rank) : k;
    GroupArrays members;
    for (int64_t member : group)
      members.push_back(&(*operands[from])[static_cast<size_t>(member)].array);
    const int leaf = static_cast<int>(HoldsOperands(module, id) ? operands.size() + k : k);
    TESSERA_ASSIGN_OR_RETURN(Array made, CheckedExchange(interpreter, id, leaf, rank, members));
    arrays.push_back(std::move(made));
  }
  return AsResult(module, id, std::move(arrays));
}

}  // namespace tessera::testing::evaluator
