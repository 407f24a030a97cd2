#include "tessera/sharding/partition/reshard/windows/halo_columns.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::sharding::partition {
namespace {

using recipe::PieceColumns;

size_t NumberOf(const PieceColumns::Column& column, int64_t operand) {
  const auto found = absl::c_find_if(
      column.sources, [&](const PieceColumns::Source& one) { return one.operand == operand; });
  return static_cast<size_t>(found - column.sources.begin());
}

class ColumnFinder {
 public:
  ColumnFinder(const PiecesOfShards& pieces, const std::vector<PieceSource>& sources, int64_t shard)
      : pieces_(pieces), sources_(sources), shard_(shard) {
    for (size_t k = 0, longest = pieces.longest(); k < longest; ++k) AddColumn(k);
  }

  const std::vector<PieceColumns::Column>& columns() const { return columns_; }
  int64_t size() const { return begins_.back(); }

  // The source of shard i in column k; the first one where it needs none.
  int64_t ChoiceOf(int64_t i, size_t k) const {
    if (k >= pieces_[i].size()) return 0;
    return static_cast<int64_t>(NumberOf(columns_[k], SourceOf(pieces_[i][k]).operand));
  }

  // Where the region of shard i begins; nullopt where its pieces do not touch.
  std::optional<int64_t> StartOf(int64_t i) const {
    const absl::Span<const HaloPiece> list = pieces_[i];
    if (list.empty()) return 0;
    for (size_t k = 1; k < list.size(); ++k) {
      const int64_t end = PlaceOf(list[k - 1], k - 1) + list[k - 1].limit - list[k - 1].start;
      if (PlaceOf(list[k], k) != end) return std::nullopt;
    }
    return PlaceOf(list[0], 0);
  }

 private:
  // Its sources in the order of the shards that have them.
  void AddColumn(size_t k) {
    PieceColumns::Column column;
    std::vector<int64_t> sizes;       // of the received parts, by source
    int64_t begin = shard_, end = 0;  // of what shards take of themselves
    for (int64_t i = 0; i < pieces_.shards(); ++i) {
      if (k >= pieces_[i].size()) continue;
      const HaloPiece& piece = pieces_[i][k];
      const PieceSource& source = SourceOf(piece);
      if (source.operand == 0) {
        begin = std::min(begin, piece.start);
        end = std::max(end, piece.limit);
      }
      column.size = std::max(column.size, source.operand == 0 ? end - begin : source.size);
      if (NumberOf(column, source.operand) < column.sources.size()) continue;
      column.sources.push_back({source.operand});
      sizes.push_back(source.size);
    }
    for (size_t n = 0; n < sizes.size(); ++n) {
      PieceColumns::Source& source = column.sources[n];
      if (source.operand == 0) {
        source.from = std::max<int64_t>(0, end - column.size);
      } else {
        (k == 0 ? source.low : source.high) = column.size - sizes[n];
      }
    }
    begins_.push_back(begins_.back() + column.size);
    columns_.push_back(std::move(column));
  }

  // In the joined columns.
  int64_t PlaceOf(const HaloPiece& piece, size_t k) const {
    const PieceSource& from = SourceOf(piece);
    const PieceColumns::Source& source = columns_[k].sources[NumberOf(columns_[k], from.operand)];
    const int64_t first = from.operand == 0 ? source.from : from.start - source.low;
    return begins_[k] + piece.start - first;
  }

  const PieceSource& SourceOf(const HaloPiece& piece) const {
    return sources_[static_cast<size_t>(&piece - pieces_.all().data())];
  }

  const PiecesOfShards& pieces_;
  const std::vector<PieceSource>& sources_;
  const int64_t shard_;
  std::vector<PieceColumns::Column> columns_;
  std::vector<int64_t> begins_ = {0};  // of each column, and the end
};

}  // namespace

std::optional<PieceColumns> ColumnsOfHalo(const PiecesOfShards& pieces,
                                          const std::vector<PieceSource>& sources, int64_t shard,
                                          int64_t region, const TableMaker& table) {
  const auto is_padding = [](const HaloPiece& piece) { return piece.sender < 0; };
  if (absl::c_any_of(pieces.all(), is_padding)) return std::nullopt;
  const ColumnFinder finder(pieces, sources, shard);
  std::vector<int64_t> starts;  // by shard
  for (int64_t i = 0; i < pieces.shards(); ++i) {
    const std::optional<int64_t> start = finder.StartOf(i);
    if (!start.has_value() || *start + region > finder.size()) return std::nullopt;
    starts.push_back(*start);
  }
  PieceColumns out;
  out.columns = finder.columns();
  for (size_t k = 0; k < out.columns.size(); ++k) {
    out.columns[k].choice = table([&](int64_t i) { return finder.ChoiceOf(i, k); });
  }
  out.start = table([&](int64_t i) { return At(starts, i); });
  return out;
}

}  // namespace tessera::sharding::partition
