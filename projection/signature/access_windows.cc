// Maps that come from windows: the taps of a kernel that are used, the positions whose windows meet
// a block, and whether a block reads any padding.
#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/map/reads.h"
#include "tessera/projection/signature/access.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

class LiveTaps : public AccessMap {
 public:
  LiveTaps(ZProjection p, std::vector<TapRule> taps) : p_(std::move(p)), taps_(std::move(taps)) {}

  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    TESSERA_ASSIGN_OR_RETURN(ZSet cells, p_.Image(block, limit));
    if (cells.empty() || cells.product() == nullptr) return cells;
    AxisSets axes = *cells.product();
    for (const TapRule& rule : taps_) {
      TESSERA_ASSIGN_OR_RETURN(AxisSet live, Live(rule, block));
      TESSERA_ASSIGN_OR_RETURN(axes[rule.row], axes[rule.row].Intersect(live, limit));
    }
    return ZSet::OfAxes(std::move(axes));
  }

  std::string ToString() const override { return absl::StrCat("live taps of ", p_.ToString()); }
  const ZProjection* projection() const override { return &p_; }

 private:
  static absl::StatusOr<AxisSet> Live(const TapRule& rule, const ZRange& block) {
    std::vector<Interval> taps;
    for (int64_t k = 0; k < rule.size; ++k) {
      TESSERA_ASSIGN_OR_RETURN(
          int64_t hits,
          CountTaps(rule.stride, k * rule.window_dilation - rule.pad_low, 1, 1, rule.base_dilation,
                    rule.input_extent, block.start()[rule.axis], block.end()[rule.axis]));
      int64_t cell = rule.reversal ? rule.size - 1 - k : k;
      if (hits > 0) taps.push_back({cell, cell + 1});
    }
    return AxisSet::OfIntervals(std::move(taps));
  }

  ZProjection p_;
  std::vector<TapRule> taps_;
};

class Touching : public AccessMap {
 public:
  Touching(ZProjection window, ZRange positions, bool windows)
      : window_(std::move(window)), positions_(std::move(positions)), windows_(windows) {}

  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    TESSERA_ASSIGN_OR_RETURN(ZSet touching,
                             InverseImage(window_, block, positions_, InverseKind::kTouch, limit));
    if (!windows_) return touching;
    ZSet cells(window_.tensor_rank());
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, touching.Slabs(limit));
    for (const ZRange& box : boxes) {
      TESSERA_ASSIGN_OR_RETURN(ZSet image, window_.Image(box, limit));
      TESSERA_ASSIGN_OR_RETURN(cells, cells.Union(image, limit));
    }
    return cells;
  }

  std::string ToString() const override {
    return absl::StrCat(windows_ ? "windows that meet the block, of "
                                 : "positions whose windows meet the block, of ",
                        window_.ToString());
  }

 private:
  ZProjection window_;
  ZRange positions_;
  bool windows_;
};

class Padding : public AccessMap {
 public:
  explicit Padding(ZProjection p) : p_(std::move(p)) {}

  absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit) const override {
    if (block.empty()) return ZSet(0);
    TESSERA_ASSIGN_OR_RETURN(int64_t indices, block.size());
    TESSERA_ASSIGN_OR_RETURN(ReadCount count, CountReads(p_, block, limit));
    return count.reads < indices ? ZSet::OfAxes({}) : ZSet(0);
  }
  std::string ToString() const override {
    return absl::StrCat("where there is no cell of ", p_.ToString());
  }

 private:
  ZProjection p_;
};

}  // namespace

Access LiveTapsAccess(ZProjection p, std::vector<TapRule> taps) {
  return std::make_shared<LiveTaps>(std::move(p), std::move(taps));
}

Access InverseWindowAccess(ZProjection window, ZRange positions) {
  return std::make_shared<Touching>(std::move(window), std::move(positions), false);
}

Access TouchedWindowsAccess(ZProjection window, ZRange positions) {
  return std::make_shared<Touching>(std::move(window), std::move(positions), true);
}

Access PaddingAccess(ZProjection p) { return std::make_shared<Padding>(std::move(p)); }

}  // namespace tessera::projection
