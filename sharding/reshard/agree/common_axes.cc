// The axes on which all tensors of an op can agree, factor by factor, so that the op can be
// computed: every tensor that has the factor is to be sharded on exactly these.
//
//   // dot A[i,k] B[k,j] -> C[i,j]: A has a on i; B has a on j and b on k; C has a on i
//   FactorAxes common = CommonAxes(table, {64, 64, 64});
//   common[i];   // [a]: A and C want it, more elements than B alone
//   common[k];   // [b]
//   common[j];   // []: a is taken
//
// Three ways, the first that applies:
//
// 1. The tensors agree already, nothing that has to be replicated is sharded, and no axis serves
//    two factors.
// 2. Two tensors that are not scalars, each dimension one factor, nothing to be replicated: the
//    preferred tensor keeps its axes, the other follows. Better: no factor sharded
//    that would make neighbours exchange data; then more elements; then more shards.
// 3. A vote, weighted by elements (greedy_axes.cc); what it gives to factors that have to be
//    replicated is then handed on to the batching ones (replication.cc).
//
// Where such factors do not compete, what they hand on is what their tensors have in common.
//
// Tested in explicit_reshards_test.cc and by the conformance driver.

#include <optional>
#include <tuple>

#include "absl/algorithm/container.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using factors::FactorKind;
using factors::FactorSharding;
using factors::FactorTable;
using factors::FactorUse;
using factors::OpShardingRule;

bool HasKind(const OpShardingRule& rule, FactorKind kind) {
  for (int f = 0; f < rule.num_factors(); ++f) {
    if (rule.kind(f) == kind) return true;
  }
  return false;
}

// The axes of factor `f` if all tensors that have it agree.
std::optional<AxisList> Agreed(const FactorTable& table, int f) {
  std::optional<AxisList> agreed;
  for (const FactorUse& use : table.rule().uses(f)) {
    const FactorSharding& cell = table.cell(use.cell);
    if (!cell.exists) continue;
    if (agreed && *agreed != cell.axes) return std::nullopt;
    agreed = cell.axes;
  }
  return agreed ? agreed : AxisList();
}

std::optional<FactorAxes> IfCompatible(const FactorTable& table) {
  const OpShardingRule& rule = table.rule();
  FactorAxes common(rule.num_factors());
  for (int f = 0; f < rule.num_factors(); ++f) {
    const std::optional<AxisList> agreed = Agreed(table, f);
    if (!agreed) return std::nullopt;
    if (rule.kind(f) == FactorKind::kNeedReplication && !agreed->empty()) return std::nullopt;
    for (int g = 0; g < f; ++g) {
      if (OverlapsAny(common[g], *agreed)) return std::nullopt;
    }
    common[f] = *agreed;
  }
  return common;
}

std::vector<int> NonScalarTensors(const OpShardingRule& rule) {
  std::vector<int> tensors;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    if (rule.rank(t) > 0) tensors.push_back(t);
  }
  return tensors;
}

// Larger is preferred.
std::tuple<bool, int64_t, int64_t> Preference(const FactorTable& table, int t, int64_t elements) {
  const OpShardingRule& rule = table.rule();
  bool no_exchange = true;
  int64_t shards = 1;
  for (int c = rule.first_cell(t); c < rule.first_cell(t + 1); ++c) {
    const FactorSharding& cell = table.cell(c);
    const bool exchanges = rule.kind(rule.cell_factor(c)) == FactorKind::kPermutation;
    no_exchange = no_exchange && !(exchanges && !cell.axes.empty());
    shards *= ShardedSize(cell.axes, table.mesh()) * ShardedSize(cell.overflow, table.mesh());
  }
  return {no_exchange, elements, shards};
}

FactorAxes Follow(const FactorTable& table, int preferred, int other) {
  FactorAxes common(table.rule().num_factors());
  AxisList taken;
  for (int f = 0; f < table.rule().num_factors(); ++f) {
    if (const FactorSharding* cell = table.Find(preferred, f)) {
      common[f] = cell->axes;
      taken.insert(taken.end(), cell->axes.begin(), cell->axes.end());
    }
  }
  for (int f = 0; f < table.rule().num_factors(); ++f) {
    const FactorSharding* cell = table.Find(other, f);
    if (cell == nullptr || table.Find(preferred, f) != nullptr) continue;
    common[f] = cell->axes;
    Truncate(common[f], taken);
  }
  return common;
}

std::optional<FactorAxes> IfTwoTensors(const FactorTable& table,
                                       absl::Span<const int64_t> elements) {
  const OpShardingRule& rule = table.rule();
  const std::vector<int> tensors = NonScalarTensors(rule);
  if (tensors.size() != 2 || HasKind(rule, FactorKind::kNeedReplication) ||
      rule.has_compound_dims()) {
    return std::nullopt;
  }
  const int a = tensors[0], b = tensors[1];
  const bool second = Preference(table, b, elements[b]) > Preference(table, a, elements[a]);
  return second ? Follow(table, b, a) : Follow(table, a, b);
}

// The common axes of tensors with a factor that needs replication are there to be handed on.
void OfferReplicated(const FactorTable& table, FactorAxes& common) {
  for (int f = 0; f < table.rule().num_factors(); ++f) {
    if (table.rule().kind(f) == FactorKind::kNeedReplication) common[f] = table.CommonPrefix(f);
  }
}

}  // namespace

FactorAxes CommonAxes(const FactorTable& table, absl::Span<const int64_t> elements,
                      const reference::Behaviors& behaviors) {
  if (std::optional<FactorAxes> common = IfCompatible(table)) return *std::move(common);
  if (std::optional<FactorAxes> common = IfTwoTensors(table, elements)) return *std::move(common);
  FactorAxes common = GreedyAxes(table, elements, behaviors);
  if (!behaviors.replication_factors_compete) OfferReplicated(table, common);
  HandOnReplicated(table.rule(), table.mesh(), common);
  return common;
}

}  // namespace tessera::sharding::reshard
