// The table from opcode to partitioner. Other opcodes are replicated on every device (XLA:
// SpmdPartitioningVisitor::DefaultAction); element-wise ones run shard by shard
// (HandleElementwise).

#include "tessera/sharding/partition/ops/ops.h"

#include <array>

#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

struct Entry {
  Opcode opcode;
  Handler handler;
};

constexpr Entry kEntries[] = {
    {Opcode::kAllReduce, PartitionAllReduce},
    {Opcode::kBitcastConvert, PartitionBitcastConvert},
    {Opcode::kBroadcast, PartitionBroadcast},
    {Opcode::kCholesky, PartitionLinearAlgebra},
    {Opcode::kCollectivePermute, PartitionCollectivePermute},
    {Opcode::kConcatenate, PartitionConcatenate},
    {Opcode::kConstant, PartitionConstant},
    {Opcode::kConvolution, PartitionConvolution},
    {Opcode::kCustomCall, PartitionCustomCall},
    {Opcode::kDot, PartitionDot},
    {Opcode::kDynamicSlice, PartitionDynamicSlice},
    {Opcode::kDynamicUpdateSlice, PartitionDynamicUpdateSlice},
    {Opcode::kFft, PartitionFft},
    {Opcode::kFusion, PartitionFusion},
    {Opcode::kGather, PartitionGather},
    {Opcode::kGetTupleElement, PartitionGetTupleElement},
    {Opcode::kInfeed, PartitionOnOneDevice},
    {Opcode::kIota, PartitionIota},
    {Opcode::kMap, PartitionElementwise},
    {Opcode::kOptBarrier, PartitionElementwise},
    {Opcode::kOutfeed, PartitionOnOneDevice},
    {Opcode::kPad, PartitionPad},
    {Opcode::kPartitionId, PartitionPartitionId},
    {Opcode::kRaggedDot, PartitionRaggedDot},
    {Opcode::kReduce, PartitionReduce},
    {Opcode::kReduceWindow, PartitionReduceWindow},
    {Opcode::kReshape, PartitionReshape},
    {Opcode::kReverse, PartitionReverse},
    {Opcode::kRng, PartitionRng},
    {Opcode::kScan, PartitionScan},
    {Opcode::kScatter, PartitionScatter},
    {Opcode::kSelectAndScatter, PartitionSelectAndScatter},
    {Opcode::kSlice, PartitionSlice},
    {Opcode::kSort, PartitionSort},
    {Opcode::kTranspose, PartitionTranspose},
    {Opcode::kTriangularSolve, PartitionLinearAlgebra},
    {Opcode::kTuple, PartitionTuple},
};

std::array<Handler, hlo::kNumOpcodes> MakeTable() {
  std::array<Handler, hlo::kNumOpcodes> table;
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    table[static_cast<size_t>(i)] =
        rules::IsElementWiseOpcode(opcode) ? PartitionElementwise : Default;
  }
  for (const Entry& entry : kEntries) table[static_cast<size_t>(entry.opcode)] = entry.handler;
  return table;
}

}  // namespace

Handler HandlerOf(hlo::Opcode opcode) {
  static const std::array<Handler, hlo::kNumOpcodes> table = MakeTable();
  return table[static_cast<size_t>(opcode)];
}

}  // namespace tessera::sharding::partition
