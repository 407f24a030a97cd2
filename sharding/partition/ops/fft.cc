// Fourier transforms. If the transformed dimensions are unsharded, each shard is transformed alone.
// Long lines sharded over all devices are transformed in parts; every other transform is
// replicated.
//
// In parts, on n devices with s elements of a line each: every device fetches n * (p - s) elements
// from the right (p is s rounded up to a multiple of n). One all-to-all distributes the elements,
// each device transforms its own, and a loop of n trips sends the results around.
//
//   fft c64[4,4,64] on 8 devices    // all-to-all c64[4,4,8]; 8 times: permute c64[4,4,8], c64[]
//
// XLA: SpmdPartitioningVisitor::HandleFft (fft_handler.cc). Behaviour asked of jaxlib 0.12.0.1; the
// cases are in partitioner_test.cc.

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"

namespace tessera::sharding::partition {
namespace {

bool IsInParts(const Visit& v) {
  const int64_t last = v.base->rank() - 1, devices = v.scope->devices();
  if (last < 2 || v.tiling().dim(last) != devices || devices == 1) return false;
  if (v.module().FindAttribute(v.id, hlo::AttributeName::kFftType) != "FFT") return false;
  const auto length = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kFftLength);
  if (!length.has_value() || length->empty()) return false;
  const int64_t size = v.operands[0].base->dim(last);
  return length->back() == size && size % devices == 0;
}

// A permute of the loop, from each tile to the next one.
NodeId SendAround(Visit& v, NodeId node) {
  const std::vector<int64_t> devices = v.tiling().AsV1().grid().Devices();
  CollectiveForm form;
  form.trips = Size(devices);
  DeviceGroupScope::Pairs pairs;
  for (size_t i = 0; i < devices.size(); ++i) {
    pairs.emplace_back(devices[i], devices[(i + 1) % devices.size()]);
  }
  form.pairs = v.scope->PairsOnAllDevices(pairs);
  return v.graph().AddCollective(Opcode::kCollectivePermute, v.graph().shape(node), {node},
                                 std::move(form));
}

// fft_length of a part of the lines.
RecipeId LengthOfPart(const Visit& v, int64_t size) {
  return v.graph().Keep([&] {
    hlo::IntList length = *hlo::GetInts(v.module(), v.id, hlo::AttributeName::kFftLength);
    length.back() = size;
    return recipe::AsWritten{{{hlo::AttributeName::kFftLength, hlo::PrintInts(length)}}};
  });
}

absl::StatusOr<NodeId> InParts(Visit& v) {
  Graph& graph = v.graph();
  const PartitionedHlo operand = Reshard(v.operand(0), v.tiling());
  const int64_t last = v.base->rank() - 1, devices = v.scope->devices();
  Shape shard = graph.shape(operand.node);
  const int64_t size = shard.dim(last), padded = RoundUp(size, devices);
  const int64_t halo = (padded - size) * devices;
  const auto longer = ExchangeHalo(operand, {last, PerShard(devices, [](int64_t) { return 0; }),
                                             PerShard(devices, [halo](int64_t) { return halo; })});
  if (!longer.has_value()) return Default(v);
  shard.set_dim(last, padded);
  // Only the last shard has padding; each device transforms a part of it.
  const int64_t after = padded - size;
  const TableId start =
      Times(graph.recipes(), OrdinalsAlong(*v.scope, operand.tiling, last), after);
  const NodeId taken =
      graph.DynamicSlice(shard, {*longer}, StartsAlong(graph, last, shard.rank(), start));
  const RecipeId deal = graph.Keep([devices] { return recipe::Dealt{devices}; });
  const NodeId dealt = v.scope->AllToAll(graph.Add(Opcode::kDot, shard, {taken}, deal), last);
  const NodeId own = graph.Add(Opcode::kFft, v.shard_shape(),
                               {graph.SliceFirst(v.shard_shape(), dealt)}, LengthOfPart(v, size));
  const NodeId angle = graph.Scalar(shard.element_type(), recipe::Fill::Number::kZero);
  return graph.Add(Opcode::kTuple, v.shard_shape(), {own, SendAround(v, own), SendAround(v, angle)},
                   graph.Keep([] { return recipe::SumAround(); }));
}

// The transformed dimensions, the last ones, are unsharded in the result.
bool IsAlongWholeDims(const Visit& v) {
  const auto length = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kFftLength);
  if (!v.tiling().IsTiled() || !length.has_value()) return false;
  for (int64_t i = v.base->rank() - Size(*length); i < v.base->rank(); ++i) {
    if (v.tiling().dim(i) > 1) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<NodeId> PartitionFft(Visit& v) {
  if (v.graph().behaviors().ffts_stay_cut && IsAlongWholeDims(v)) {
    const PartitionedHlo operand = Reshard(v.operand(0), v.tiling());
    return v.graph().Add(Opcode::kFft, v.shard_shape(), {operand.node}, Recipes::kAsWritten);
  }
  return IsInParts(v) ? InParts(v) : Default(v);
}

}  // namespace tessera::sharding::partition
