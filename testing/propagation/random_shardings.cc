#include "tessera/testing/propagation/random_shardings.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::sharding::propagation {
namespace {

using factors::DimMapping;
using factors::RuleSpec;
using factors::TensorMapping;

// Whole axes and parts of axes, each to be used once.
std::vector<AxisRef> Pieces(Dice& dice, const Mesh& mesh, int skip) {
  std::vector<AxisRef> pieces;
  for (int a = skip; a < mesh.num_axes(); ++a) {
    const int64_t size = mesh.axis_size(a);
    const int64_t cut = size % 4 == 0 || size == 6 ? 2 : 1;
    if (cut == 1 || !dice.OneIn(3)) {
      pieces.push_back(AxisRef::Full(a));
      continue;
    }
    pieces.push_back(AxisRef::Sub(a, cut, size / cut));  // the minor part first: no merging
    pieces.push_back(AxisRef::Sub(a, 1, cut));
  }
  for (size_t i = pieces.size(); i > 1; --i) {
    std::swap(pieces[i - 1], pieces[static_cast<size_t>(dice.Roll(static_cast<int>(i)))]);
  }
  return pieces;
}

bool WouldMerge(const AxisList& axes, AxisRef next) {
  return !axes.empty() && CanMerge(axes.back(), next);
}

void GivePriority(Dice& dice, DimensionSharding& d) {
  const bool may_have = !d.is_closed || !d.axes.empty();
  if (may_have && dice.OneIn(2)) d.priority = dice.Roll(4);
}

class RuleMaker {
 public:
  explicit RuleMaker(Dice& dice) : dice_(dice) {}

  TensorMapping Map(const Dims& shape) {
    TensorMapping mapping;
    std::vector<int64_t> used;
    for (const int64_t size : shape) {
      DimMapping dim;
      if (size % 2 == 0 && size > 2 && dice_.OneIn(4)) {
        dim.push_back(Factor(2, used));
        dim.push_back(Factor(size / 2, used));
      } else {
        dim.push_back(Factor(size, used));
      }
      mapping.push_back(std::move(dim));
    }
    return mapping;
  }

  // A result made of some of the factors.
  TensorMapping Result(Dims& shape) {
    TensorMapping mapping;
    for (int64_t f = 0; f < static_cast<int64_t>(spec_.sizes.size()) && mapping.size() < 3; ++f) {
      if (dice_.OneIn(3)) continue;
      const bool joins = !mapping.empty() && dice_.OneIn(5);
      if (!joins) {
        mapping.emplace_back();
        shape.push_back(1);
      }
      mapping.back().push_back(f);
      shape.back() *= spec_.sizes[static_cast<size_t>(f)];
    }
    return mapping;
  }

  RuleSpec& spec() { return spec_; }

  void GiveKinds() {
    for (int64_t f = 0; f < static_cast<int64_t>(spec_.sizes.size()); ++f) {
      std::vector<int64_t>* const kinds[] = {&spec_.reduction, &spec_.need_replication,
                                             &spec_.permutation};
      if (dice_.OneIn(5)) kinds[dice_.Roll(3)]->push_back(f);
      if (dice_.OneIn(12)) spec_.blocked_propagation.push_back(f);
    }
  }

 private:
  // A factor of that size that the tensor at hand does not have yet.
  int64_t Factor(int64_t size, std::vector<int64_t>& used) {
    for (int64_t f = 0; f < static_cast<int64_t>(spec_.sizes.size()); ++f) {
      const bool fits = spec_.sizes[static_cast<size_t>(f)] == size &&
                        std::find(used.begin(), used.end(), f) == used.end();
      if (fits && !dice_.OneIn(4)) {
        used.push_back(f);
        return f;
      }
    }
    spec_.sizes.push_back(size);
    used.push_back(static_cast<int64_t>(spec_.sizes.size()) - 1);
    return used.back();
  }

  Dice& dice_;
  RuleSpec spec_;
};

}  // namespace

Mesh RandomMesh(Dice& dice) {
  constexpr int64_t kSizes[] = {2, 2, 2, 3, 4, 4, 6, 8};
  std::vector<MeshAxis> axes;
  const int n = 2 + dice.Roll(3);
  for (int a = 0; a < n; ++a)
    axes.push_back({std::string(1, static_cast<char>('a' + a)), dice.Pick(kSizes)});
  return *Mesh::Create(std::move(axes));
}

Dims RandomShape(Dice& dice) {
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 6, 8, 8, 8, 12, 16, 64};
  Dims shape(static_cast<size_t>(dice.OneIn(10) ? 0 : 1 + dice.Roll(3)));
  for (int64_t& size : shape) size = dice.Pick(kSizes);
  return shape;
}

TensorSharding RandomSharding(Dice& dice, const Mesh& mesh, MeshId mesh_id, int rank,
                              bool priorities, int skip) {
  TensorSharding sharding(mesh_id, rank, /*is_closed=*/false);
  for (const AxisRef piece : Pieces(dice, mesh, skip)) {
    const int where = dice.Roll(6);
    if (where < rank) {
      AxisList& axes = sharding.dim(where).axes;
      if (axes.size() < 2 && !WouldMerge(axes, piece)) axes.push_back(piece);
    } else if (where == 5 && dice.OneIn(3)) {
      sharding.mutable_replicated_axes().push_back(piece);
    } else if (where == 4 && dice.OneIn(8)) {
      sharding.mutable_unreduced_axes().push_back(piece);
    }
  }
  std::sort(sharding.mutable_replicated_axes().begin(), sharding.mutable_replicated_axes().end());
  std::sort(sharding.mutable_unreduced_axes().begin(), sharding.mutable_unreduced_axes().end());
  for (DimensionSharding& d : sharding.mutable_dims()) {
    d.is_closed = dice.OneIn(4);
    if (priorities) GivePriority(dice, d);
  }
  return sharding;
}

factors::OpShardingRule RandomRule(Dice& dice, const std::vector<Dims>& operands,
                                   std::vector<Dims>& results) {
  RuleMaker maker(dice);
  for (const Dims& shape : operands) maker.spec().operands.push_back(maker.Map(shape));
  const int n = dice.OneIn(5) ? 2 : 1;
  for (int r = 0; r < n; ++r) {
    results.emplace_back();
    maker.spec().results.push_back(maker.Result(results.back()));
  }
  maker.GiveKinds();
  return *factors::OpShardingRule::Make(std::move(maker.spec()));
}

}  // namespace tessera::sharding::propagation
