// Idea of fragments. The boundaries of all regions, dimension by dimension, cut the operand into a
// grid. In a cell of the grid the same shards read everything or nothing, so its first cell decides.
// Cells with the same readers are put together. A window of 3 over 12 cells, in two parts, has the
// boundaries 0, 5, 7, 12: [0, 5) is read by part 0, [5, 7) by both, [7, 12) by part 1.
//
// Cost: cells of the grid times shards; more than `limit` cells are kTooLarge. Tested by
// shards_test.cc against sets of points.
#include "tessera/projection/partition/shards.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/split.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr int64_t kMaxShards = 4096;

absl::StatusOr<std::vector<int64_t>> PartsOf(const Signature& s, absl::Span<const Cut> cuts) {
  std::vector<int64_t> parts(static_cast<size_t>(s.index.rank()), 1);
  Checked total = 1;
  for (const Cut& cut : cuts) {
    TESSERA_ASSIGN_OR_RETURN(int axis, NormalizeDim(cut.axis, s.index.rank()));
    const Axis& a = s.axes[static_cast<size_t>(axis)];
    if (a.kind != AxisKind::kParallel && a.kind != AxisKind::kReduction) {
      return MakeError(
          ErrorCode::kNotSupported,
          absl::StrCat("axis ", a.name, " cannot be cut: it is ", AxisKindName(a.kind)));
    }
    if (cut.parts < 1)
      return MakeError(ErrorCode::kBadChunk, absl::StrCat(cut.parts, " parts of axis ", a.name));
    parts[static_cast<size_t>(axis)] = cut.parts;
    total *= cut.parts;
  }
  if (total.ok() && total.value() <= kMaxShards) return parts;
  return MakeError(ErrorCode::kTooLarge, absl::StrCat("more than ", kMaxShards, " shards"));
}

Sharing SharingOf(const ShardPlan& plan, size_t operand) {
  bool total = true, none = true;
  const ZSet* before = nullptr;
  for (const Shard& shard : plan.shards) {
    if (shard.index.empty()) continue;
    const ZSet& cells = shard.needs[operand].cells;
    if (before != nullptr) {
      const absl::StatusOr<ZSet> both = before->Intersect(cells);
      total &= *before == cells;
      none &= both.ok() && both->empty();
    }
    before = &cells;
  }
  if (total) return Sharing::kTotal;
  return none ? Sharing::kNone : Sharing::kPartial;
}

int64_t Distinct(const ShardPlan& plan, size_t operand) {
  std::vector<const ZSet*> seen;
  for (const Shard& shard : plan.shards) {
    const ZSet& cells = shard.needs[operand].cells;
    const bool known =
        std::any_of(seen.begin(), seen.end(), [&](const ZSet* other) { return *other == cells; });
    if (!cells.empty() && !known) seen.push_back(&cells);
  }
  return static_cast<int64_t>(seen.size());
}

// The boundaries of all needs in dimension d.
std::vector<int64_t> CutsOf(const std::vector<ZRange>& boxes, int d) {
  std::vector<int64_t> cuts;
  for (const ZRange& box : boxes) {
    cuts.push_back(box.start()[d]);
    cuts.push_back(box.end()[d]);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

class Grid {
 public:
  Grid(const std::vector<ZRange>& boxes, int rank) {
    for (int d = 0; d < rank; ++d) {
      cuts_.push_back(CutsOf(boxes, d));
      sizes_.push_back(static_cast<int64_t>(cuts_.back().size()) - 1);
    }
  }
  ZRange cells() const { return ZRange::FromShape(sizes_); }
  ZRange Cell(const ZPoint& at) const {
    ZPoint start, end;
    for (size_t d = 0; d < cuts_.size(); ++d) {
      start.push_back(cuts_[d][static_cast<size_t>(at[d])]);
      end.push_back(cuts_[d][static_cast<size_t>(at[d]) + 1]);
    }
    return *ZRange::Create(start, end);
  }

 private:
  std::vector<std::vector<int64_t>> cuts_;  // by dimension
  ZPoint sizes_;
};

// The shards that read this element of the operand.
std::vector<int> ReadersOf(const ShardPlan& plan, int operand, const ZPoint& element) {
  std::vector<int> readers;
  for (size_t i = 0; i < plan.shards.size(); ++i) {
    const ZSet& cells = plan.shards[i].needs[static_cast<size_t>(operand)].cells;
    if (cells.Contains(element)) readers.push_back(static_cast<int>(i));
  }
  return readers;
}

}  // namespace

absl::StatusOr<ShardPlan> CutOperation(const Signature& s, absl::Span<const Cut> cuts) {
  ShardPlan plan;
  TESSERA_ASSIGN_OR_RETURN(plan.parts, PartsOf(s, cuts));
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> blocks, SplitGrid(s.index, plan.parts));
  for (const ZRange& block : blocks) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<Need> needs, Project(s, block));
    plan.shards.push_back({block, std::move(needs)});
  }
  for (size_t k = 0; k < s.operands.size(); ++k) {
    plan.distinct_images.push_back(Distinct(plan, k));
    plan.sharing.push_back(SharingOf(plan, k));
  }
  return plan;
}

absl::StatusOr<std::vector<Fragment>> FragmentsOf(const ShardPlan& plan, int operand,
                                                  int64_t limit) {
  std::vector<ZRange> boxes;
  int rank = 0;
  for (const Shard& shard : plan.shards) {
    const ZSet& cells = shard.needs[static_cast<size_t>(operand)].cells;
    rank = cells.rank();
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> slabs, cells.Slabs(limit));
    boxes.insert(boxes.end(), slabs.begin(), slabs.end());
  }
  if (boxes.empty()) return std::vector<Fragment>();
  const Grid grid(boxes, rank);
  const absl::StatusOr<int64_t> cells = grid.cells().size();
  if (!cells.ok() || *cells > limit)
    return MakeError(ErrorCode::kTooLarge, absl::StrCat("more than ", limit, " fragments"));
  std::map<std::vector<int>, std::vector<ZRange>> by_readers;
  ForEachCell(grid.cells(), [&](const ZPoint& at) {
    ZRange cell = grid.Cell(at);
    std::vector<int> readers = ReadersOf(plan, operand, cell.start());
    if (!readers.empty()) by_readers[std::move(readers)].push_back(std::move(cell));
    return true;
  });
  std::vector<Fragment> out;
  for (const auto& [readers, parts] : by_readers) {
    TESSERA_ASSIGN_OR_RETURN(ZSet set, ZSet::OfBoxes(rank, parts, limit));
    out.push_back({readers, std::move(set)});
  }
  return out;
}

}  // namespace tessera::projection
