// The way to the table walks the axes of a dimension with a cursor, which can stop inside an axis.
// It hands them to the dimension's factors, major to minor:
//
//   dimension [ij], i=4 j=4, axes a=2 b=4        i has 4 to give away
//     i takes a whole                            2 are left of i
//     i takes the major 2 of b: b:(1)2           i is used up; b:(2)2 is left of b
//     j, the last one, takes all that is left:   b:(2)2
//
// A factor takes of an axis the gcd of the remaining sizes of both. The last factor takes
// everything, divisible or not, since its dimension may be padded. The others must come out even;
// if they do not, the rest of the axes overflows (projection.h). The usual dimension has a single
// factor, so its axes are copied as they are.
//
// The way back concatenates the factors of a dimension and stops after the first that is not
// sharded fully: what follows would be a strided view of the tensor.
//
// Linear in the axes. Tested in projection_test.cc, also against the slow engine in
// projection_slow.cc.

#include "tessera/sharding/factors/projection.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::factors {
namespace {

// A place in the axes of a dimension.
class AxisCursor {
 public:
  AxisCursor(absl::Span<const AxisRef> axes, const Mesh& mesh) : axes_(axes), mesh_(mesh) {
    Load();
  }

  bool at_end() const { return axes_.empty(); }

  // A factor can still be divided into `left` parts. Moves what it can take of the current axis to
  // `out`, and divides `left` by that. False if it can take nothing.
  bool TakeInto(int64_t& left, AxisList& out) {
    const int64_t size = rest_.size(mesh_);
    if (size == 1) return TakeAll(out);
    const int64_t part = std::gcd(std::max<int64_t>(left, 0), size);  // users can write i=-3
    if (part == 1) return false;
    left /= part;
    return part < size ? TakeMajor(part, out) : TakeAll(out);
  }

  void TakeRestInto(AxisList& out) {
    while (!at_end()) {
      AddOrMerge(out, rest_, mesh_);
      Next();
    }
  }

 private:
  bool TakeMajor(int64_t part, AxisList& out) {
    const int64_t pre = rest_.pre_size();
    out.push_back(AxisRef::Sub(rest_.axis(), pre, part));
    rest_ = AxisRef::Sub(rest_.axis(), pre * part, rest_.size(mesh_) / part);
    return true;
  }
  bool TakeAll(AxisList& out) {
    out.push_back(rest_);
    Next();
    return true;
  }
  void Next() {
    axes_.remove_prefix(1);
    Load();
  }
  void Load() {
    if (!at_end()) rest_ = axes_.front();
  }

  absl::Span<const AxisRef> axes_;
  const Mesh& mesh_;
  AxisRef rest_;
};

void Clear(FactorSharding& cell) {
  cell.axes.clear();
  cell.overflow.clear();
  cell.exists = cell.is_closed = cell.is_minor_most = false;
}

void Mark(std::vector<bool>* changed, int t) {
  if (changed != nullptr) (*changed)[t] = true;
}

// Cuts `common` down to its common prefix with `axes`.
void KeepCommonPrefix(AxisList& common, absl::Span<const AxisRef> axes) {
  size_t n = 0;
  while (n < common.size() && n < axes.size() && common[n] == axes[n]) ++n;
  std::optional<AxisRef> part;
  if (n < common.size() && n < axes.size()) part = GreatestCommonPrefix(common[n], axes[n]);
  common.resize(n);
  if (part) common.push_back(*part);
}

}  // namespace

void FactorTable::Project(const OpShardingRule& rule,
                          absl::Span<const TensorSharding* const> shardings, const Mesh& mesh,
                          MissingSharding missing) {
  rule_ = &rule;
  mesh_ = &mesh;
  cells_.resize(rule.num_cells());
  rows_.resize(rule.num_tensors());
  for (FactorSharding& cell : cells_) Clear(cell);
  for (int t = 0; t < rule.num_tensors(); ++t) {
    ProjectTensor(t, shardings[t], missing == MissingSharding::kClosed);
  }
}

void FactorTable::ProjectTensor(int t, const TensorSharding* sharding, bool closed_if_missing) {
  TensorRow& row = rows_[t];
  row.replicated.clear();
  row.unreduced.clear();
  row.reduction = Reduction::kSum;
  if (sharding != nullptr) {
    row.replicated = sharding->replicated_axes();
    row.unreduced = sharding->unreduced_axes();
    row.reduction = sharding->reduction();
  }
  for (int d = 0; d < rule_->rank(t); ++d) {
    if (sharding == nullptr) {
      ProjectDim(t, d, {}, closed_if_missing);
    } else {
      ProjectDim(t, d, sharding->dim(d).axes, sharding->dim(d).is_closed);
    }
  }
}

void FactorTable::ProjectDim(int t, int d, absl::Span<const AxisRef> axes, bool closed) {
  const int last = rule_->first_cell(t, d + 1) - 1;
  AxisCursor cursor(axes, *mesh_);
  bool spilled = false;
  for (int c = rule_->first_cell(t, d); c <= last && !spilled; ++c) {
    FactorSharding& cell = cells_[c];
    cell.exists = true;
    cell.is_closed = closed;
    cell.is_minor_most = c == last;
    if (cell.is_minor_most) return cursor.TakeRestInto(cell.axes);
    int64_t left = rule_->size(rule_->cell_factor(c));
    while (!cursor.at_end() && cursor.TakeInto(left, cell.axes)) continue;
    spilled = left > 1 && !cursor.at_end();
    if (!spilled) continue;
    cursor.TakeRestInto(cell.overflow);
    cells_[c + 1].exists = cells_[c + 1].is_closed = true;
    cells_[c + 1].is_minor_most = c + 1 == last;
  }
}

const FactorSharding* FactorTable::Find(int t, int f) const {
  const int c = rule_->cell(t, f);
  return c != kNoCell && cells_[c].exists ? &cells_[c] : nullptr;
}

bool FactorTable::Expand(int f, absl::Span<const AxisRef> axes, std::vector<bool>* changed) {
  bool any = false;
  for (const FactorUse& use : rule_->uses(f)) {
    FactorSharding& cell = cells_[use.cell];
    if (!cell.exists || !IsStrictPrefixOf(absl::Span<const AxisRef>(cell.axes), axes)) continue;
    cell.axes.assign(axes.begin(), axes.end());
    Mark(changed, use.tensor);
    any = true;
  }
  return any;
}

bool FactorTable::Update(int f, absl::Span<const AxisRef> axes, absl::Span<const AxisRef> overflow,
                         std::vector<bool>* changed) {
  const AxisList new_axes(axes.begin(), axes.end());  // copies: they may be those of a cell
  const AxisList new_overflow(overflow.begin(), overflow.end());
  bool any = false;
  for (const FactorUse& use : rule_->uses(f)) {
    FactorSharding& cell = cells_[use.cell];
    if (!cell.exists || (cell.axes == new_axes && cell.overflow == new_overflow)) continue;
    cell.axes = new_axes;
    cell.overflow = new_overflow;
    Mark(changed, use.tensor);
    any = true;
  }
  return any;
}

AxisList FactorTable::CommonPrefix(int f) const {
  AxisList common;
  bool first = true;
  for (const FactorUse& use : rule_->uses(f)) {
    const FactorSharding& cell = cells_[use.cell];
    if (!cell.exists) continue;
    if (first) {
      common = cell.axes;
    } else {
      KeepCommonPrefix(common, cell.axes);
    }
    first = false;
  }
  return common;
}

TensorSharding FactorTable::ToSharding(int t, MeshId mesh_id) const {
  TensorSharding sharding(mesh_id, rule_->rank(t));
  for (int d = 0; d < rule_->rank(t); ++d) sharding.dim(d) = ToDimension(t, d);
  sharding.mutable_replicated_axes() = rows_[t].replicated;
  sharding.mutable_unreduced_axes() = rows_[t].unreduced;
  sharding.set_reduction(rows_[t].reduction);
  return sharding;
}

DimensionSharding FactorTable::ToDimension(int t, int d) const {
  DimensionSharding dim;
  dim.is_closed = false;
  for (int c = rule_->first_cell(t, d); c < rule_->first_cell(t, d + 1); ++c) {
    const FactorSharding& cell = cells_[c];
    dim.is_closed |= cell.is_closed;
    AppendMinor(dim.axes, cell.axes, *mesh_);
    AppendMinor(dim.axes, cell.overflow, *mesh_);
    if (!cell.overflow.empty()) break;
    if (ShardedSize(cell.axes, *mesh_) < rule_->size(rule_->cell_factor(c))) break;
  }
  return dim;
}

}  // namespace tessera::sharding::factors
