// Long halos in pieces (halo_rounds.h): a permute for each round, and a region that is put together
// from the shard and from what it received. XLA: spmd_partitioner_util, ExchangeHaloCompact.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/reshard/windows/halo_columns.h"
#include "tessera/sharding/partition/reshard/windows/halo_rounds.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

// The place of each piece of a region in the joined operands: the shard, then the received parts.
class Placement {
 public:
  Placement(const PiecesOfShards& pieces, int64_t shard) : pieces_(pieces), have_(shard) {
    places_.reserve(pieces.all().size());
    for (int64_t i = 0; i < pieces.shards(); ++i) {
      int64_t to = 0;
      for (const HaloPiece& piece : pieces[i]) {
        places_.push_back({piece.sender == piece.receiver ? piece.start : -1, to});
        sources_.push_back({});
        to += piece.limit - piece.start;
      }
      ends_.push_back(to);
    }
  }

  void Receive(const HaloRounds& round) {
    ++received_;
    for (const HaloPiece* piece : round.pieces) {
      places_[piece->place].from = have_ + piece->start - round.start;
      sources_[piece->place] = {received_, round.start, round.limit - round.start};
    }
    have_ += round.limit - round.start;
  }

  Recipe RecipeOf(const PartitionedHlo& value, int64_t dim, bool has_fill, int64_t shard,
                  int64_t region) const {
    auto columns = ColumnsOfHalo(pieces_, sources_, shard, region, [&](const auto& of) {
      return TableAlong(*value.scope, value.tiling, dim, of);
    });
    if (!columns.has_value()) return Joined(value, dim, has_fill);
    columns->dim = dim;
    return *std::move(columns);
  }

 private:
  recipe::Pieces Joined(const PartitionedHlo& value, int64_t dim, bool has_fill) const {
    recipe::Pieces out;
    out.dim = dim;
    out.has_fill = has_fill;
    for (size_t k = 0, longest = pieces_.longest(); k < longest; ++k) {
      recipe::Pieces::Piece piece;
      for (int64_t i = 0; i < pieces_.shards(); ++i) {
        const absl::Span<const HaloPiece> list = pieces_[i];
        if (k < list.size()) piece.size = std::max(piece.size, list[k].limit - list[k].start);
      }
      // Padding is after the joined operands; a shard without such a piece writes past its region.
      piece.from = TableAlong(*value.scope, value.tiling, dim, [&](int64_t i) {
        const Place* const place = Of(i, k);
        return place != nullptr && place->from >= 0 ? place->from : have_;
      });
      piece.to = TableAlong(*value.scope, value.tiling, dim, [&](int64_t i) {
        const Place* const place = Of(i, k);
        return place != nullptr ? place->to : At(ends_, i);
      });
      out.padding = std::max(out.padding, piece.size);
      out.pieces.push_back(piece);
    }
    return out;
  }

  struct Place {
    int64_t from = -1;  // -1: padding, or not yet received
    int64_t to = 0;     // in the region
  };

  // HaloPiece k of shard i; null if it has fewer.
  const Place* Of(int64_t i, size_t k) const {
    const absl::Span<const HaloPiece> list = pieces_[i];
    return k < list.size() ? &places_[static_cast<size_t>(&list[k] - pieces_.all().data())]
                           : nullptr;
  }

  const PiecesOfShards& pieces_;
  int64_t have_;                      // elements of the shard and of what was received
  int64_t received_ = 0;              // parts
  std::vector<PieceSource> sources_;  // by piece
  std::vector<Place> places_;         // by piece
  std::vector<int64_t> ends_;         // of the regions
};

int64_t LongestRegion(const Halo& halo, int64_t cuts, int64_t shard) {
  int64_t longest = 0;
  for (int64_t i = 0; i < cuts; ++i) {
    longest = std::max(longest, shard + At(halo.left, i) + At(halo.right, i));
  }
  return longest;
}

}  // namespace

NodeId ExchangeHaloInPieces(const PartitionedHlo& value, const Halo& halo, NodeId fill) {
  Graph& graph = value.scope->graph();
  Shape shape = graph.shape(value.node);
  const int64_t shard = shape.dim(halo.dim);
  const int64_t cuts = value.tiling.dim(halo.dim);
  const PiecesOfShards pieces = PiecesOfHalo(halo, cuts, shard, value.base.dim(halo.dim));
  const PiecesOfShards sent = BySender(pieces);
  DeviceGroupScope& scope = value.scope->PerGroup(
      graph.GroupsOn(value.tiling, AllExcept(value.tiling.num_dims(), {halo.dim})).devices);
  std::vector<NodeId> parts = {value.node};
  std::optional<Placement> placement;  // for the recipe alone
  if (graph.recipes().are_kept()) placement.emplace(pieces, shard);
  for (HaloRounds round(sent, shard); round.Next();) {
    NodeId piece = value.node;
    if (round.limit - round.start != shard) {
      shape.set_dim(halo.dim, round.limit - round.start);
      piece = graph.SliceFrom(shape, value.node, halo.dim, round.start);
    }
    parts.push_back(scope.Permute(piece, round.pairs));
    if (placement.has_value()) placement->Receive(round);
  }
  const int64_t region = LongestRegion(halo, cuts, shard);
  shape.set_dim(halo.dim, region);
  const auto is_padding = [](const HaloPiece& piece) { return piece.sender < 0; };
  if (std::all_of(pieces.all().begin(), pieces.all().end(), is_padding)) {
    return graph.Broadcast(shape, fill < 0 ? graph.Zero(shape) : fill, {});
  }
  const bool has_fill =
      fill >= 0 && std::any_of(pieces.all().begin(), pieces.all().end(), is_padding);
  if (has_fill) parts.push_back(fill);
  return graph.Add(Opcode::kConcatenate, shape, parts, graph.Keep([&] {
    return placement->RecipeOf(value, halo.dim, has_fill, shard, region);
  }));
}

}  // namespace tessera::sharding::partition
