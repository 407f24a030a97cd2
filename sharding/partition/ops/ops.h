// The partitioner of every opcode, by family; the table is in ops.cc.
// XLA: the handlers of SpmdPartitioningVisitor.

#ifndef TESSERA_SHARDING_PARTITION_OPS_OPS_H_
#define TESSERA_SHARDING_PARTITION_OPS_OPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

using Handler = absl::StatusOr<NodeId> (*)(Visit&);

// Of any opcode but those that run other computations (walk/visits.cc, walk/calls.cc).
Handler HandlerOf(hlo::Opcode opcode);

// shapes.cc
absl::StatusOr<NodeId> PartitionBroadcast(Visit& v);
absl::StatusOr<NodeId> PartitionTranspose(Visit& v);
absl::StatusOr<NodeId> PartitionIota(Visit& v);
absl::StatusOr<NodeId> PartitionConstant(Visit& v);
// Of any opcode, with a result that has no elements: a constant.
absl::StatusOr<NodeId> PartitionEmpty(Visit& v);
absl::StatusOr<NodeId> PartitionReverse(Visit& v);
absl::StatusOr<NodeId> PartitionBitcastConvert(Visit& v);
// reshape.cc
absl::StatusOr<NodeId> PartitionReshape(Visit& v);
// slicing.cc
absl::StatusOr<NodeId> PartitionSlice(Visit& v);
absl::StatusOr<NodeId> PartitionPad(Visit& v);
// `value` padded to the shape of the result; whole on every device where its shards cannot be padded.
NodeId PadOrReplicate(Visit& v, const PartitionedHlo& value,
                      const std::vector<hlo::PaddingDimension>& padding, NodeId fill);
absl::StatusOr<NodeId> PartitionDynamicSlice(Visit& v);
absl::StatusOr<NodeId> PartitionDynamicUpdateSlice(Visit& v);
// concatenate.cc
absl::StatusOr<NodeId> PartitionConcatenate(Visit& v);
absl::StatusOr<NodeId> PartitionLinearAlgebra(Visit& v);
// joined_pads.cc
bool NeedsPads(const Visit& v, int64_t dim);
NodeId JoinPads(Visit& v, int64_t dim);
// sort.cc
absl::StatusOr<NodeId> PartitionSort(Visit& v);
// reduce.cc
absl::StatusOr<NodeId> PartitionReduce(Visit& v);
absl::StatusOr<NodeId> PartitionReduceWindow(Visit& v);
// dot.cc
absl::StatusOr<NodeId> PartitionDot(Visit& v);
absl::StatusOr<NodeId> PartitionRaggedDot(Visit& v);
// convolution.cc
absl::StatusOr<NodeId> PartitionConvolution(Visit& v);
// select_and_scatter.cc
absl::StatusOr<NodeId> PartitionSelectAndScatter(Visit& v);
// gather.cc, scatter.cc
absl::StatusOr<NodeId> PartitionGather(Visit& v);
absl::StatusOr<NodeId> PartitionScatter(Visit& v);
// scan.cc
absl::StatusOr<NodeId> PartitionScan(Visit& v);
// random.cc
absl::StatusOr<NodeId> PartitionRng(Visit& v);
// tuples.cc
absl::StatusOr<NodeId> PartitionTuple(Visit& v);
absl::StatusOr<NodeId> PartitionGetTupleElement(Visit& v);
// fft.cc
absl::StatusOr<NodeId> PartitionFft(Visit& v);
// fusion.cc
absl::StatusOr<NodeId> PartitionFusion(Visit& v);
// manual.cc
absl::StatusOr<NodeId> PartitionAllReduce(Visit& v);
absl::StatusOr<NodeId> PartitionCollectivePermute(Visit& v);
absl::StatusOr<NodeId> PartitionPartitionId(Visit& v);
// one_device.cc
absl::StatusOr<NodeId> PartitionOnOneDevice(Visit& v);
// custom_call.cc
absl::StatusOr<NodeId> PartitionCustomCall(Visit& v);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_OPS_H_
