// The plan of a long halo in pieces: what each shard sends to which, round by round.
//
//   // 2 shards of 4 elements; each needs 2 of the other
//   const PiecesOfShards pieces = PiecesOfHalo({0, {0, 2}, {2, 0}}, 2, 4, 8);
//   const PiecesOfShards sent = BySender(pieces);
//   for (HaloRounds round(sent, 4); round.Next();) round.pairs;    // {0,1}, {1,0}: one permute
//
// The region of every shard is split at shard boundaries; a piece is padding, a part of the shard
// itself, or a part of another shard. In each round every shard sends its next piece, unless the
// receiver already has one, or the round would pair the end of one shard with the beginning of
// another. XLA: spmd_partitioner_util, ExchangeHaloCompact. Cost: pieces times rounds. Tested by
// partitioner_test.cc and testing/partition/device_run_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_ROUNDS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_ROUNDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {

struct HaloPiece {
  int64_t receiver = 0;
  int64_t start = 0, limit = 0;  // in the shard that has it
  int64_t offset = 0;            // in the region
  int64_t sender = -1;           // -1: padding
  size_t place = 0;              // among all pieces, those of one region after those of another

  bool IsMoved() const { return sender >= 0 && sender != receiver; }
};

// A list for each shard, all in one.
class PiecesOfShards {
 public:
  PiecesOfShards(std::vector<HaloPiece> pieces, std::vector<size_t> ends)
      : pieces_(std::move(pieces)), ends_(std::move(ends)) {}

  int64_t shards() const { return Size(ends_); }
  absl::Span<const HaloPiece> all() const { return pieces_; }
  absl::Span<const HaloPiece> operator[](int64_t shard) const {
    const size_t begin = shard == 0 ? 0 : At(ends_, shard - 1);
    return absl::MakeConstSpan(pieces_).subspan(begin, At(ends_, shard) - begin);
  }
  size_t longest() const {
    size_t out = 0;
    for (int64_t i = 0; i < shards(); ++i) out = std::max(out, (*this)[i].size());
    return out;
  }

 private:
  std::vector<HaloPiece> pieces_;
  std::vector<size_t> ends_;  // of the lists
};

// The regions of `cuts` shards of `shard` elements, of an array of `size`.
PiecesOfShards PiecesOfHalo(const Halo& halo, int64_t cuts, int64_t shard, int64_t size);
// What each shard sends, by position in the receiver's region.
PiecesOfShards BySender(const PiecesOfShards& pieces);

// The rounds of permutes, one after the other.
class HaloRounds {
 public:
  HaloRounds(const PiecesOfShards& sent, int64_t shard)
      : sent_(sent),
        shard_(shard),
        next_(static_cast<size_t>(sent.shards())),
        received_(static_cast<size_t>(sent.shards())) {
    for (int64_t i = 0; i < sent.shards(); ++i) {
      if (!sent[i].empty()) senders_.push_back(i);
    }
  }

  DeviceGroupScope::Pairs pairs;
  int64_t start = 0, limit = 0;
  std::vector<const HaloPiece*> pieces;

  // The next piece of every sender that fits into one permute with the others; false: none is left.
  bool Next();

 private:
  void Take(int64_t sender, const HaloPiece& piece);

  const PiecesOfShards& sent_;
  const int64_t shard_;
  std::vector<int64_t> senders_;  // that have a piece left
  std::vector<size_t> next_;      // by sender
  std::vector<size_t> received_;  // by receiver: the last round
  size_t round_ = 0;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_ROUNDS_H_
