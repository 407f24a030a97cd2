// Fourier transforms. One whose transformed dimensions are whole is done shard by shard. Long lines
// of plain ones that are cut among all devices are done in parts; all else whole on every device.
//
// In parts, on n devices with s elements of a line each: every device fetches n * (p - s) elements
// from the right, p being s rounded up to a multiple of n, one all-to-all deals the elements out,
// each device transforms its own, and a loop of n trips sends the results around.
//
//   fft c64[4,4,64] on 8 devices    // all-to-all c64[4,4,8]; 8 times: permute c64[4,4,8], c64[]
//
// Asked of jaxlib 0.12.0.1; partitioner_test.cc has the cases.

#include <numeric>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/halo.h"

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

// A permute of the loop, each device to the next one.
NodeId SendAround(Visit& v, NodeId node) {
  const int64_t devices = v.scope->devices();
  CollectiveForm form;
  form.trips = devices;
  Scope::Pairs pairs;
  for (int64_t i = 0; i < devices; ++i) pairs.emplace_back(i, (i + 1) % devices);
  form.pairs = v.scope->PairsOnAllDevices(pairs);
  return v.graph().AddCollective(Opcode::kCollectivePermute, v.graph().shape(node), {node},
                                 std::move(form));
}

absl::StatusOr<NodeId> InParts(Visit& v) {
  Graph& graph = v.graph();
  const Value operand = Reshard(v.operand(0), v.tiling());
  const int64_t last = v.base->rank() - 1, devices = v.scope->devices();
  Shape shard = graph.shape(operand.node);
  const int64_t padded = RoundUp(shard.dim(last), devices);
  const int64_t halo = (padded - shard.dim(last)) * devices;
  const auto longer = ExchangeHalo(operand, {last, PerShard(devices, [](int64_t) { return 0; }),
                                             PerShard(devices, [halo](int64_t) { return halo; })});
  if (!longer.has_value()) return Default(v);
  shard.set_dim(last, padded);
  std::vector<int64_t> all(static_cast<size_t>(devices));
  std::iota(all.begin(), all.end(), 0);
  const NodeId dealt = v.scope->AllToAll(graph.Add(Opcode::kDot, shard, {*longer}), {all}, last);
  const NodeId own = graph.Add(Opcode::kFft, v.shard_shape(), {dealt});
  const NodeId angle = graph.Constant(Shape::Array(shard.element_type(), {}, std::nullopt));
  return graph.Add(Opcode::kTuple, v.shard_shape(),
                   {own, SendAround(v, own), SendAround(v, angle)});
}

// The transformed dimensions, the last ones, are not cut in the result.
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
    const Value operand = Reshard(v.operand(0), v.tiling());
    return v.graph().Add(Opcode::kFft, v.shard_shape(), {operand.node});
  }
  return IsInParts(v) ? InParts(v) : Default(v);
}

}  // namespace tessera::sharding::partition
