// Long halos in pieces. The region of every shard is split at shard boundaries; a piece is padding,
// a part of the shard itself, or a part of another shard. Permutes run in rounds. In each round
// every shard sends its next piece, unless the receiver already has one, or the round would pair
// the end of one shard with the beginning of another. XLA: spmd_partitioner_util,
// ExchangeHaloCompact. Cost: pieces times rounds.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/halo.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

struct Piece {
  int64_t receiver = 0;
  int64_t start = 0, limit = 0;  // in the shard that has it
  int64_t offset = 0;            // in the region
  int64_t sender = -1;           // -1: padding
};

using PiecesOfShards = std::vector<std::vector<Piece>>;

// The region of shard i, split at the boundaries of shards and of the array.
std::vector<Piece> Cut(int64_t i, int64_t start, int64_t limit, int64_t shard, int64_t size) {
  std::vector<Piece> out;
  for (int64_t next = start; next < limit;) {
    Piece piece;
    piece.receiver = i;
    piece.offset = next - start;
    piece.start = (next % shard + shard) % shard;
    int64_t length = limit - next;
    if (next < 0 || next >= size) {
      if (next < 0) length = std::min(length, -next);
    } else {
      length = std::min(shard - piece.start, length);
      piece.sender = next / shard;
    }
    piece.limit = piece.start + length;
    next += length;
    out.push_back(piece);
  }
  return out;
}

// Long paddings are shortened to the size of a shard if other shards have data at the same
// position.
PiecesOfShards WithShortPadding(PiecesOfShards pieces, int64_t shard) {
  PiecesOfShards out(pieces.size());
  std::vector<size_t> next(pieces.size(), 0);
  while (true) {
    bool all_padding = true, any = false;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (next[i] >= pieces[i].size()) continue;
      any = true;
      all_padding &= pieces[i][next[i]].sender < 0;
    }
    if (!any) return out;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (next[i] >= pieces[i].size()) continue;
      Piece& piece = pieces[i][next[i]];
      out[i].push_back(piece);
      if (!all_padding && piece.sender < 0 && piece.limit > shard) {
        out[i].back().limit = shard;
        piece.start = 0;
        piece.limit -= shard;
      } else {
        ++next[i];
      }
    }
  }
}

// What each shard sends, by position in the receiver's region.
PiecesOfShards BySender(const PiecesOfShards& pieces) {
  PiecesOfShards out(pieces.size());
  std::vector<size_t> next(pieces.size(), 0);
  size_t longest = 0;
  for (const auto& list : pieces) longest = std::max(longest, list.size());
  for (size_t k = 0; k < longest; ++k) {
    for (const auto& list : pieces) {
      if (k >= list.size()) continue;
      const Piece& piece = list[k];
      if (piece.sender >= 0 && piece.sender != piece.receiver)
        At(out, piece.sender).push_back(piece);
    }
  }
  for (auto& list : out) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  }
  return out;
}

struct Round {
  DeviceGroupScope::Pairs pairs;
  int64_t start = 0, limit = 0;
  std::vector<Piece> sent;
};

// The next piece of every sender that fits into one permute with the others.
Round NextRound(const PiecesOfShards& sent, int64_t shard, std::vector<size_t>& next) {
  Round round;
  round.start = shard;
  std::vector<bool> received(sent.size(), false);
  for (int64_t i = 0; i < Size(sent); ++i) {
    if (At(next, i) >= At(sent, i).size()) continue;
    const Piece& piece = At(sent, i)[At(next, i)];
    const bool apart = (round.start > piece.limit && round.limit == shard && piece.start == 0) ||
                       (round.limit < piece.start && round.start == 0 && piece.limit == shard);
    if (!round.pairs.empty() && (received[static_cast<size_t>(piece.receiver)] || apart)) continue;
    received[static_cast<size_t>(piece.receiver)] = true;
    round.pairs.emplace_back(i, piece.receiver);
    round.start = std::min(round.start, piece.start);
    round.limit = std::max(round.limit, piece.limit);
    round.sent.push_back(piece);
    ++At(next, i);
  }
  return round;
}

// The place of each piece of a region in the joined operands: the shard, then the received parts.
class Placement {
 public:
  Placement(const PiecesOfShards& pieces, int64_t shard) : pieces_(pieces), have_(shard) {
    for (const auto& list : pieces) {
      std::vector<Place>& places = places_.emplace_back();
      int64_t to = 0;
      for (const Piece& piece : list) {
        const bool is_own = piece.sender >= 0 && piece.sender == piece.receiver;
        places.push_back({is_own ? piece.start : -1, to});
        to += piece.limit - piece.start;
      }
      ends_.push_back(to);
    }
  }

  void Receive(const Round& round) {
    for (const Piece& piece : round.sent) {
      const std::vector<Piece>& list = At(pieces_, piece.receiver);
      for (size_t k = 0; k < list.size(); ++k) {
        if (list[k].sender != piece.sender || list[k].offset != piece.offset) continue;
        At(places_, piece.receiver)[k].from = have_ + piece.start - round.start;
      }
    }
    have_ += round.limit - round.start;
  }

  recipe::Pieces Recipe(const PartitionedHlo& value, int64_t dim, bool has_fill) const {
    recipe::Pieces out;
    out.dim = dim;
    out.has_fill = has_fill;
    size_t longest = 0;
    for (const auto& list : pieces_) longest = std::max(longest, list.size());
    for (size_t k = 0; k < longest; ++k) {
      recipe::Pieces::Piece piece;
      for (const auto& list : pieces_) {
        if (k < list.size()) piece.size = std::max(piece.size, list[k].limit - list[k].start);
      }
      // Padding is after the joined operands; a shard without such a piece writes past its region.
      piece.from = TableAlong(*value.scope, value.tiling, dim, [&](int64_t i) {
        const bool has_data = k < At(places_, i).size() && At(places_, i)[k].from >= 0;
        return has_data ? At(places_, i)[k].from : have_;
      });
      piece.to = TableAlong(*value.scope, value.tiling, dim, [&](int64_t i) {
        return k < At(places_, i).size() ? At(places_, i)[k].to : At(ends_, i);
      });
      out.padding = std::max(out.padding, piece.size);
      out.pieces.push_back(piece);
    }
    return out;
  }

 private:
  struct Place {
    int64_t from = -1;  // -1: padding, or not yet received
    int64_t to = 0;     // in the region
  };

  const PiecesOfShards& pieces_;
  int64_t have_;                            // elements of the shard and of what was received
  std::vector<std::vector<Place>> places_;  // by shard and piece
  std::vector<int64_t> ends_;               // of the regions
};

}  // namespace

NodeId ExchangeHaloInPieces(const PartitionedHlo& value, const Halo& halo, NodeId fill) {
  Graph& graph = value.scope->graph();
  Shape shape = graph.shape(value.node);
  const int64_t shard = shape.dim(halo.dim);
  const int64_t cuts = value.tiling.dim(halo.dim);
  PiecesOfShards pieces;
  int64_t longest = 0;
  bool all_padding = true;
  for (int64_t i = 0; i < cuts; ++i) {
    const int64_t start = i * shard - At(halo.left, i);
    const int64_t limit = (i + 1) * shard + At(halo.right, i);
    longest = std::max(longest, limit - start);
    pieces.push_back(Cut(i, start, limit, shard, value.base.dim(halo.dim)));
    for (const Piece& piece : pieces.back()) all_padding &= piece.sender < 0;
  }
  pieces = WithShortPadding(std::move(pieces), shard);
  const PiecesOfShards sent = BySender(pieces);
  const Grouping groups = GroupOnAllExcept(value.tiling, {halo.dim});
  DeviceGroupScope& scope = value.scope->PerGroup(groups.devices);
  std::vector<NodeId> parts = {value.node};
  std::optional<Placement> placement;  // for the recipe alone
  if (graph.recipes().are_kept()) placement.emplace(pieces, shard);
  std::vector<size_t> next(sent.size(), 0);
  for (Round round = NextRound(sent, shard, next); !round.pairs.empty();
       round = NextRound(sent, shard, next)) {
    Shape part = shape;
    part.set_dim(halo.dim, round.limit - round.start);
    const NodeId piece = round.limit - round.start == shard
                             ? value.node
                             : graph.SliceFrom(part, value.node, halo.dim, round.start);
    parts.push_back(scope.Permute(piece, round.pairs));
    if (placement.has_value()) placement->Receive(round);
  }
  shape.set_dim(halo.dim, longest);
  if (all_padding) {
    return graph.Broadcast(shape, fill < 0 ? graph.Zero(shape) : fill, {});
  }
  if (fill >= 0) parts.push_back(fill);
  return graph.Add(Opcode::kConcatenate, shape, parts,
                   graph.Keep([&] { return placement->Recipe(value, halo.dim, fill >= 0); }));
}

}  // namespace tessera::sharding::partition
