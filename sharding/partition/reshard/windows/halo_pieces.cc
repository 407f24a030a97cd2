// Long halos in pieces (halo_rounds.h): a permute for each round, and a region that is put together
// from the shard and from what it received. XLA: spmd_partitioner_util, ExchangeHaloCompact.

#include <algorithm>
#include <vector>

#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/reshard/windows/halo_columns.h"
#include "tessera/sharding/partition/reshard/windows/halo_rounds.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

int64_t LongestRegion(const Halo& halo, int64_t cuts, int64_t shard) {
  int64_t longest = 0;
  for (int64_t i = 0; i < cuts; ++i) {
    longest = std::max(longest, shard + At(halo.left, i) + At(halo.right, i));
  }
  return longest;
}

}  // namespace

NodeId ExchangeHaloInPieces(const PartitionedHlo& value, const Halo& halo, TableId ordinal,
                            NodeId fill) {
  Graph& graph = value.scope->graph();
  Shape shape = graph.shape(value.node);
  const int64_t shard = shape.dim(halo.dim);
  const int64_t cuts = value.tiling.dim(halo.dim);
  const PiecesOfShards pieces = PiecesOfHalo(halo, cuts, shard, value.base.dim(halo.dim));
  const PiecesOfShards sent = BySender(pieces);
  DeviceGroupScope& scope = value.scope->PerGroup(
      graph.GroupsOn(value.tiling, AllExcept(value.tiling.num_dims(), {halo.dim})).devices);
  std::vector<NodeId> parts = {value.node};
  const bool are_kept = graph.recipes().are_kept();
  std::vector<PieceSource> sources(are_kept ? pieces.all().size() : 0);
  for (HaloRounds round(sent, shard); round.Next();) {
    NodeId piece = value.node;
    const int64_t size = round.limit - round.start;
    if (size != shard) {
      shape.set_dim(halo.dim, size);
      piece = graph.SliceFrom(shape, value.node, halo.dim, round.start);
    }
    if (are_kept) {
      for (const HaloPiece* one : round.pieces) {
        sources[one->place] = {Size(parts), round.start, size};
      }
    }
    parts.push_back(scope.Permute(piece, round.pairs));
  }
  const int64_t region = LongestRegion(halo, cuts, shard);
  shape.set_dim(halo.dim, region);
  const auto is_padding = [](const HaloPiece& piece) { return piece.sender < 0; };
  if (std::all_of(pieces.all().begin(), pieces.all().end(), is_padding)) {
    return graph.Broadcast(shape, fill < 0 ? graph.Zero(shape) : fill, {});
  }
  if (fill >= 0) parts.push_back(fill);
  return graph.Add(Opcode::kConcatenate, shape, parts, graph.Keep([&] {
    const auto table = [&](const auto& of) {
      DeviceNumbers list;
      for (int64_t i = 0; i < cuts; ++i) list.push_back(static_cast<int32_t>(of(i)));
      return ElementAt(graph.recipes(), list, ordinal);
    };
    recipe::PieceColumns columns = ColumnsOfHalo(pieces, sources, shard, region, table);
    columns.dim = halo.dim;
    columns.has_fill = fill >= 0;
    return columns;
  }));
}

}  // namespace tessera::sharding::partition
