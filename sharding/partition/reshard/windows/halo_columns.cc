#include "tessera/sharding/partition/reshard/windows/halo_columns.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"

namespace tessera::sharding::partition {
namespace {

using recipe::PieceColumns;

int64_t LengthOf(const HaloPiece& piece) { return piece.limit - piece.start; }
bool IsPadding(const HaloPiece& piece) { return piece.sender < 0; }

size_t NumberOf(const PieceColumns::Column& column, int64_t operand) {
  const auto found = absl::c_find_if(
      column.sources, [&](const PieceColumns::Source& one) { return one.operand == operand; });
  return static_cast<size_t>(found - column.sources.begin());
}

// Where in a region what is no padding begins and ends.
int64_t FirstOf(absl::Span<const HaloPiece> list) {
  int64_t first = 0;
  for (auto piece = list.begin(); piece != list.end() && IsPadding(*piece); ++piece) {
    first += LengthOf(*piece);
  }
  return first;
}

int64_t LimitOf(absl::Span<const HaloPiece> list) {
  int64_t end = 0, limit = 0;
  for (const HaloPiece& piece : list) {
    end += LengthOf(piece);
    if (!IsPadding(piece)) limit = end;
  }
  return limit;
}

class ColumnFinder {
 public:
  ColumnFinder(const PiecesOfShards& pieces, const std::vector<PieceSource>& sources, int64_t shard)
      : pieces_(pieces), sources_(sources), shard_(shard) {
    for (size_t k = 0, longest = pieces.longest(); k < longest; ++k) AddColumn(k);
  }

  const std::vector<PieceColumns::Column>& columns() const { return columns_; }
  int64_t size() const { return size_; }

  // The source of shard i in column k; fill where it needs none.
  int64_t ChoiceOf(int64_t i, size_t k) const {
    return static_cast<int64_t>(NumberOf(columns_[k], OperandOf(i, k)));
  }

  // Where the region of shard i begins, in the first column.
  int64_t StartOf(int64_t i) const {
    if (pieces_[i].empty()) return 0;
    const HaloPiece& piece = pieces_[i][0];
    if (IsPadding(piece)) return columns_[0].size - LengthOf(piece);
    const PieceSource& from = SourceOf(piece);
    const PieceColumns::Source& source = columns_[0].sources[NumberOf(columns_[0], from.operand)];
    return piece.start - (from.operand == 0 ? source.from : from.start - source.low);
  }

 private:
  const PieceSource& SourceOf(const HaloPiece& piece) const {
    return sources_[static_cast<size_t>(&piece - pieces_.all().data())];
  }

  int64_t OperandOf(int64_t i, size_t k) const {
    if (k >= pieces_[i].size() || IsPadding(pieces_[i][k])) return PieceColumns::kFill;
    return SourceOf(pieces_[i][k]).operand;
  }

  // Its sources in the order of the shards that have them.
  void AddColumn(size_t k) {
    PieceColumns::Column column;
    int64_t begin = shard_, end = 0;  // of what shards take of themselves
    for (int64_t i = 0; i < pieces_.shards(); ++i) {
      if (k >= pieces_[i].size()) continue;
      const HaloPiece& piece = pieces_[i][k];
      const int64_t operand = OperandOf(i, k);
      if (operand == 0) {
        begin = std::min(begin, piece.start);
        end = std::max(end, piece.limit);
      }
      column.size = std::max(column.size, operand == 0  ? end - begin
                                          : operand > 0 ? SourceOf(piece).size
                                                        : LengthOf(piece));
    }
    for (int64_t i = 0; i < pieces_.shards(); ++i) {
      PieceColumns::Source source{OperandOf(i, k)};
      if (NumberOf(column, source.operand) != column.sources.size()) continue;
      if (source.operand == 0) source.from = std::max<int64_t>(0, end - column.size);
      if (source.operand > 0) {
        (k == 0 ? source.low : source.high) = column.size - SourceOf(pieces_[i][k]).size;
      }
      column.sources.push_back(source);
    }
    size_ += column.size;
    columns_.push_back(std::move(column));
  }

  const PiecesOfShards& pieces_;
  const std::vector<PieceSource>& sources_;
  const int64_t shard_;
  std::vector<PieceColumns::Column> columns_;
  int64_t size_ = 0;
};

}  // namespace

PieceColumns ColumnsOfHalo(const PiecesOfShards& pieces, const std::vector<PieceSource>& sources,
                           int64_t shard, int64_t region, const TableMaker& table) {
  const ColumnFinder finder(pieces, sources, shard);
  PieceColumns out;
  out.columns = finder.columns();
  for (size_t k = 0; k < out.columns.size(); ++k) {
    out.columns[k].choice = table([&](int64_t i) { return finder.ChoiceOf(i, k); });
  }
  out.size = finder.size();
  for (int64_t i = 0; i < pieces.shards(); ++i) {
    out.size = std::max(out.size, finder.StartOf(i) + region);
  }
  out.start = table([&](int64_t i) { return finder.StartOf(i); });
  out.first = table([&](int64_t i) { return FirstOf(pieces[i]); });
  out.limit = table([&](int64_t i) { return LimitOf(pieces[i]); });
  return out;
}

}  // namespace tessera::sharding::partition
