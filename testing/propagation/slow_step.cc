#include "tessera/testing/propagation/slow_step.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "tessera/sharding/factors/projection.h"

namespace tessera::sharding::propagation {
namespace {

using factors::FactorSharding;
using factors::FactorTable;
using Axes = std::vector<AxisRef>;

bool StrictPrefix(const Axes& a, const Axes& b) {
  if (a.empty()) return !b.empty();
  if (a.size() > b.size() || a == b) return false;
  if (!std::equal(a.begin(), a.end() - 1, b.begin())) return false;
  return IsPrefixOf(a.back(), b[a.size() - 1]);
}

int64_t Product(const Axes& axes, const Mesh& mesh) {
  int64_t product = 1;
  for (const AxisRef a : axes) product *= a.size(mesh);
  return product;
}

// Two lists become one; false: they disagree somewhere, from now on it only gets shorter.
std::pair<Axes, bool> Merge(const Axes& old_axes, const Axes& new_axes, bool grow) {
  Axes result;
  size_t i = 0;
  for (; i < old_axes.size() && i < new_axes.size(); ++i) {
    const AxisRef o = old_axes[i], n = new_axes[i];
    if (o == n) {
      result.push_back(o);
    } else if (IsPrefixOf(n, o) && i + 1 == new_axes.size()) {
      result.push_back(o);
    } else if (IsPrefixOf(n, o)) {
      result.push_back(n);
      return {result, false};
    } else if (IsPrefixOf(o, n) && grow && i + 1 == old_axes.size()) {
      result.push_back(n);
    } else if (IsPrefixOf(o, n)) {
      result.push_back(o);
      return {result, false};
    } else {
      return {result, false};
    }
  }
  result.insert(result.end(), old_axes.begin() + std::min(i, old_axes.size()), old_axes.end());
  if (grow)
    result.insert(result.end(), new_axes.begin() + std::min(i, new_axes.size()), new_axes.end());
  return {result, grow};
}

class Step {
 public:
  Step(const SlowMode& mode, const factors::OpShardingRule& rule, const Slots& before,
       const Mesh& mesh)
      : mode_(mode), rule_(rule), mesh_(mesh), updated_(rule.num_tensors()) {
    std::vector<const TensorSharding*> shardings;
    for (const auto& slot : before) shardings.push_back(slot ? &*slot : nullptr);
    table_.Project(rule, shardings, mesh);
  }

  void Basic() {
    for (int f = 0; f < rule_.num_factors(); ++f) {
      Axes axes = Shorten(Wanted(f), [&](AxisRef x, int64_t before) {
        std::optional<AxisRef> left = x;
        for (int t = 0; t < rule_.num_tensors() && left; ++t) {
          left = Across(t, f, *left);
          if (left && Cell(t, f) != nullptr) left = Within(t, f, *left, before);
        }
        return left;
      });
      for (int t = 0; t < rule_.num_tensors(); ++t) {
        if (Cell(t, f) != nullptr && StrictPrefix(AxesOf(t, f), axes)) Assign(t, f, axes);
      }
    }
  }

  void Aggressive() {
    std::vector<Axes> wanted;
    for (int f = 0; f < rule_.num_factors(); ++f) wanted.push_back(Wanted(f));
    const std::vector<int> order = Order(wanted);
    for (int t = rule_.num_operands(); t < rule_.num_tensors(); ++t) UpdateTensor(t, order, wanted);
    for (int t = 0; t < rule_.num_operands(); ++t) UpdateTensor(t, order, wanted);
  }

  Slots After(const Slots& before, MeshId mesh_id) const {
    Slots after = before;
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      if (!updated_[t]) continue;
      const TensorSharding now = table_.ToSharding(t, mesh_id);
      bool has_axes = false;
      now.ForEachAxis([&](AxisRef) { has_axes = true; });
      if (before[t] || has_axes) after[t] = now;
    }
    return after;
  }

 private:
  FactorSharding* Cell(int t, int f) {
    const int cell = rule_.cell(t, f);
    return cell != factors::kNoCell && table_.cell(cell).exists ? &table_.cell(cell) : nullptr;
  }
  Axes AxesOf(int t, int f) {
    const FactorSharding* cell = Cell(t, f);
    return Axes(cell->axes.begin(), cell->axes.end());
  }
  void Assign(int t, int f, const Axes& axes) {
    Cell(t, f)->axes.assign(axes.begin(), axes.end());
    updated_[t] = true;
  }

  Axes Wanted(int f) {
    const Direction direction = rule_.blocked(f) ? Direction::kNone : mode_.directions[f];
    if (direction == Direction::kNone) return {};
    std::vector<int> first, second;
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      const bool leads = (t < rule_.num_operands()) == (direction != Direction::kBackward);
      (leads ? first : second).push_back(t);
    }
    Axes axes;
    bool grow = true;
    const auto fold = [&](const std::vector<int>& tensors) {
      for (const int t : tensors) {
        if (Cell(t, f) != nullptr) std::tie(axes, grow) = Merge(axes, AxesOf(t, f), grow);
      }
    };
    fold(first);
    if (direction != Direction::kBoth) grow = false;
    fold(second);
    return axes;
  }

  template <typename Fit>
  Axes Shorten(const Axes& axes, Fit fit) {
    Axes kept;
    int64_t before = 1;
    for (const AxisRef axis : axes) {
      const std::optional<AxisRef> x = fit(axis, before);
      if (!x || (mode_.conservative && x->is_sub())) break;
      kept.push_back(*x);
      if (*x != axis) break;
      before *= x->size(mesh_);
    }
    return kept;
  }

  static std::optional<AxisRef> CutAll(std::optional<AxisRef> x, const AxisList& others) {
    for (const AxisRef other : others) {
      if (x) x = PrefixWithoutOverlap(*x, other);
    }
    return x;
  }

  std::optional<AxisRef> Across(int t, int f, AxisRef axis) {
    std::optional<AxisRef> x = axis;
    for (int g = 0; g < rule_.num_factors(); ++g) {
      if (g == f || Cell(t, g) == nullptr) continue;
      x = CutAll(CutAll(x, Cell(t, g)->overflow), Cell(t, g)->axes);
    }
    return x;
  }

  std::optional<AxisRef> Within(int t, int f, AxisRef axis, int64_t before) {
    const std::optional<AxisRef> x =
        CutAll(CutAll(axis, table_.row(t).replicated), table_.row(t).unreduced);
    if (!x) return x;
    const FactorSharding& cell = *Cell(t, f);
    for (const AxisRef own : cell.axes) {
      if (Contains(own, *x)) return x;
    }
    if (!cell.is_closed && cell.overflow.empty()) {
      if (cell.is_minor_most) return x;
      if (rule_.size(f) % before == 0) {
        const int64_t part = std::gcd(rule_.size(f) / before, x->size(mesh_));
        if (part == x->size(mesh_)) return x;
        if (part != 1) return AxisRef::Sub(x->axis(), x->pre_size(), part);
      }
    }
    if (!cell.axes.empty() && IsPrefixOf(cell.axes.back(), *x)) return cell.axes.back();
    return std::nullopt;
  }

  std::vector<int> Order(const std::vector<Axes>& wanted) {
    std::vector<std::tuple<int64_t, int64_t, int, int>> keys;
    for (int f = 0; f < rule_.num_factors(); ++f) {
      int64_t size = -1;
      int source = -1;
      for (int t = 0; t < rule_.num_tensors() && !wanted[f].empty(); ++t) {
        if (Cell(t, f) == nullptr) continue;
        if (AxesOf(t, f) != wanted[f] && !StrictPrefix(wanted[f], AxesOf(t, f))) continue;
        if (SizeOf(t) > size) std::tie(size, source) = std::make_tuple(SizeOf(t), t);
      }
      keys.emplace_back(-size, mode_.element_wise ? -Product(wanted[f], mesh_) : 0, source, f);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<int> order;
    for (const auto& key : keys) order.push_back(std::get<3>(key));
    return order;
  }

  int64_t SizeOf(int t) {
    int64_t size = 1;
    for (int f = 0; f < rule_.num_factors(); ++f) {
      if (Cell(t, f) != nullptr) size *= rule_.size(f);
    }
    return size;
  }

  void UpdateTensor(int t, const std::vector<int>& order, const std::vector<Axes>& wanted) {
    for (const int f : order) {
      if (Cell(t, f) == nullptr) continue;
      Axes x =
          Shorten(wanted[f], [&](AxisRef a, int64_t before) { return Within(t, f, a, before); });
      if (!StrictPrefix(AxesOf(t, f), x)) continue;
      x = Shorten(x, [&](AxisRef a, int64_t) { return Across(t, f, a); });
      for (int r = rule_.num_operands(); r < rule_.num_tensors(); ++r) {
        const bool caps = mode_.element_wise && t < rule_.num_operands() && Cell(r, f) != nullptr;
        if (caps && StrictPrefix(AxesOf(r, f), x)) x = AxesOf(r, f);
      }
      if (StrictPrefix(AxesOf(t, f), x)) Assign(t, f, x);
    }
  }

  const SlowMode& mode_;
  const factors::OpShardingRule& rule_;
  const Mesh& mesh_;
  FactorTable table_;
  std::vector<bool> updated_;
};

}  // namespace

Slots SlowStep(const SlowMode& mode, const factors::OpShardingRule& rule, const Slots& before,
               MeshId mesh_id, const Mesh& mesh) {
  Step step(mode, rule, before, mesh);
  if (mode.aggressive) {
    step.Aggressive();
  } else {
    step.Basic();
  }
  return step.After(before, mesh_id);
}

}  // namespace tessera::sharding::propagation
