#include "tessera/sharding/partition/reshard/windows/halo_rounds.h"

namespace tessera::sharding::partition {
namespace {

// The region of shard i, split at the boundaries of shards and of the array.
void Cut(int64_t i, int64_t start, int64_t limit, int64_t shard, int64_t size,
         std::vector<HaloPiece>& out) {
  for (int64_t next = start; next < limit;) {
    HaloPiece piece;
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
}

PiecesOfShards CutAll(const Halo& halo, int64_t cuts, int64_t shard, int64_t size) {
  std::vector<HaloPiece> pieces;
  std::vector<size_t> ends;
  pieces.reserve(3 * static_cast<size_t>(cuts));
  ends.reserve(static_cast<size_t>(cuts));
  for (int64_t i = 0; i < cuts; ++i) {
    Cut(i, i * shard - At(halo.left, i), (i + 1) * shard + At(halo.right, i), shard, size, pieces);
    ends.push_back(pieces.size());
  }
  return {std::move(pieces), std::move(ends)};
}

// Long paddings are shortened to the size of a shard if other shards have data at the same
// position.
PiecesOfShards WithShortPadding(const PiecesOfShards& given, int64_t shard) {
  std::vector<std::vector<HaloPiece>> pieces, out(static_cast<size_t>(given.shards()));
  for (int64_t i = 0; i < given.shards(); ++i) {
    pieces.emplace_back(given[i].begin(), given[i].end());
  }
  std::vector<size_t> next(pieces.size(), 0);
  for (bool any = true; any;) {
    bool all_padding = true;
    any = false;
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (next[i] >= pieces[i].size()) continue;
      any = true;
      all_padding &= pieces[i][next[i]].sender < 0;
    }
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (next[i] >= pieces[i].size()) continue;
      HaloPiece& piece = pieces[i][next[i]];
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
  std::vector<HaloPiece> joined;
  std::vector<size_t> ends;
  for (const auto& list : out) {
    joined.insert(joined.end(), list.begin(), list.end());
    ends.push_back(joined.size());
  }
  return {std::move(joined), std::move(ends)};
}

}  // namespace

PiecesOfShards PiecesOfHalo(const Halo& halo, int64_t cuts, int64_t shard, int64_t size) {
  PiecesOfShards pieces = CutAll(halo, cuts, shard, size);
  const auto is_long = [shard](const HaloPiece& piece) {
    return piece.sender < 0 && piece.limit > shard;
  };
  // Few halos have long padding.
  const absl::Span<const HaloPiece> all = pieces.all();
  if (std::any_of(all.begin(), all.end(), is_long)) return WithShortPadding(pieces, shard);
  return pieces;
}

PiecesOfShards BySender(const PiecesOfShards& pieces) {
  std::vector<size_t> ends(static_cast<size_t>(pieces.shards()), 0);
  for (const HaloPiece& piece : pieces.all()) {
    if (piece.IsMoved()) ++At(ends, piece.sender);
  }
  size_t sum = 0;
  for (size_t& end : ends) sum += std::exchange(end, sum);  // first the beginnings
  std::vector<HaloPiece> out(sum);
  for (size_t k = 0, longest = pieces.longest(); k < longest; ++k) {
    for (int64_t i = 0; i < pieces.shards(); ++i) {
      const absl::Span<const HaloPiece> list = pieces[i];
      if (k >= list.size() || !list[k].IsMoved()) continue;
      HaloPiece& sent = out[At(ends, list[k].sender)++];
      sent = list[k];
      sent.place = static_cast<size_t>(&list[k] - pieces.all().data());
    }
  }
  const auto is_before = [](const HaloPiece& a, const HaloPiece& b) { return a.offset < b.offset; };
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto first = out.begin() + static_cast<std::ptrdiff_t>(std::exchange(begin, end));
    const auto last = out.begin() + static_cast<std::ptrdiff_t>(end);
    if (!std::is_sorted(first, last, is_before)) std::stable_sort(first, last, is_before);
  }
  return {std::move(out), std::move(ends)};
}

bool HaloRounds::Next() {
  ++round_;
  pairs.clear();
  pieces.clear();
  start = shard_;
  limit = 0;
  size_t kept = 0;
  for (const int64_t sender : senders_) {
    const absl::Span<const HaloPiece> list = sent_[sender];
    Take(sender, list[At(next_, sender)]);
    if (At(next_, sender) < list.size()) senders_[kept++] = sender;
  }
  senders_.resize(kept);
  return !pairs.empty();
}

void HaloRounds::Take(int64_t sender, const HaloPiece& piece) {
  const bool apart = (start > piece.limit && limit == shard_ && piece.start == 0) ||
                     (limit < piece.start && start == 0 && piece.limit == shard_);
  if (!pairs.empty() && (At(received_, piece.receiver) == round_ || apart)) return;
  At(received_, piece.receiver) = round_;
  pairs.emplace_back(sender, piece.receiver);
  start = std::min(start, piece.start);
  limit = std::max(limit, piece.limit);
  pieces.push_back(&piece);
  ++At(next_, sender);
}

}  // namespace tessera::sharding::partition
