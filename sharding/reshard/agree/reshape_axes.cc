// Reshapes whose axes do not come out even with the factors.
//
// The side with more shards is asked for all its axes, overflow included. These are dealt to the
// factors of the operand, and again to those of the result, as cards to players. Each axis in turn
// is offered to the factors from the first one. A factor takes the greatest common divisor of what
// is left of it and of the axis; the rest of the axis goes on to the next factor.
//
//   [ij] i=2 j=6, axes a=6 b=2        i takes a:(1)2 (gcd(2, 6)); j takes a:(2)3 (gcd(6, 3)), 2
//   left
//                                     b: i is full; j takes b
//
// An axis that no factor takes, with all axes after it, becomes overflow of the last factor. Both
// sides are then turned into shardings and projected again, which drops what cannot be expressed,
// and the common beginnings are the answer.
//
// Tested in explicit_reshards_test.cc.

#include <numeric>

#include "absl/types/span.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using factors::FactorSharding;
using factors::FactorTable;
using factors::OpShardingRule;

constexpr MeshId kAnyMesh = 0;  // the shardings made here are only projected again

// All axes of tensor `t`, by factor, each followed by its overflow.
AxisList AllAxes(const FactorTable& table, int t) {
  AxisList axes;
  for (int f = 0; f < table.rule().num_factors(); ++f) {
    const FactorSharding* cell = table.Find(t, f);
    if (cell == nullptr) continue;
    axes.insert(axes.end(), cell->axes.begin(), cell->axes.end());
    axes.insert(axes.end(), cell->overflow.begin(), cell->overflow.end());
  }
  return axes;
}

// Deals axes to the factors of one tensor.
class Dealer {
 public:
  Dealer(FactorTable& table, int t) : table_(table) {
    const OpShardingRule& rule = table.rule();
    for (int c = rule.first_cell(t); c < rule.first_cell(t + 1); ++c) {
      if (!table.cell(c).exists) continue;
      table.cell(c).axes.clear();
      table.cell(c).overflow.clear();
      players_.push_back({&table.cell(c), rule.size(rule.cell_factor(c))});
    }
  }

  void Deal(absl::Span<const AxisRef> axes) {
    if (players_.empty()) return;
    for (; !axes.empty(); axes.remove_prefix(1)) {
      rest_ = axes.front();
      bool taken_whole = false;
      for (bool any = true; any && !taken_whole;) any = Round(taken_whole);
      if (!taken_whole) return Park(axes.subspan(1));
    }
  }

 private:
  struct Player {
    FactorSharding* cell;
    int64_t capacity;
  };

  // Offers what is left of the axis to each factor once; true if any took some.
  bool Round(bool& taken_whole) {
    const Mesh& mesh = table_.mesh();
    bool any = false;
    for (Player& player : players_) {
      const int64_t size = rest_.size(mesh);
      if (player.capacity <= 1) continue;
      const int64_t part = std::gcd(player.capacity, size);
      if (part == 1 && size != 1) continue;
      any = true;
      player.capacity /= part;
      if (part == size) {
        AddOrMerge(player.cell->axes, rest_, mesh);
        taken_whole = true;
        return true;
      }
      AddOrMerge(player.cell->axes, AxisRef::Sub(rest_.axis(), rest_.pre_size(), part), mesh);
      rest_ = AxisRef::Sub(rest_.axis(), rest_.pre_size() * part, size / part);
    }
    return any;
  }

  void Park(absl::Span<const AxisRef> after) {
    AxisList& overflow = players_.back().cell->overflow;
    overflow.push_back(rest_);
    overflow.insert(overflow.end(), after.begin(), after.end());
  }

  FactorTable& table_;
  std::vector<Player> players_;
  AxisRef rest_;
};

}  // namespace

std::vector<AxisList> ReshapeAxes(const FactorTable& table) {
  const AxisList operand = AllAxes(table, 0), result = AllAxes(table, 1);
  const Mesh& mesh = table.mesh();
  const AxisList& axes = ShardedSize(operand, mesh) >= ShardedSize(result, mesh) ? operand : result;
  FactorTable dealt = table;
  Dealer(dealt, 0).Deal(axes);
  Dealer(dealt, 1).Deal(axes);
  const TensorSharding sides[] = {dealt.ToSharding(0, kAnyMesh), dealt.ToSharding(1, kAnyMesh)};
  FactorTable again;
  again.Project(table.rule(), {&sides[0], &sides[1]}, mesh, factors::MissingSharding::kClosed);
  std::vector<AxisList> common;
  for (int f = 0; f < table.rule().num_factors(); ++f) common.push_back(again.CommonPrefix(f));
  return common;
}

}  // namespace tessera::sharding::reshard
