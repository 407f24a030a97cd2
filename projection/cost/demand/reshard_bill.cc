// What a reshard costs: the exact demand, device by device, and two plans (reshard_search.cc,
// reshard_greedy.cc) priced move by move. When the search gives up the greedy plan stands for both.
#include "tessera/projection/cost/demand/reshard_bill.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/cost/demand/reshard_moves.h"
#include "tessera/projection/cost/demand/reshard_state.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;
using State = ReshardState;

std::vector<Move> Price(const AtomTable& atoms, const StatePricer& pricer, State state,
                        const std::vector<ReshardStep>& steps, int64_t* total) {
  std::vector<Move> moves;
  for (const ReshardStep& step : steps) {
    Move move{step.kind, {}, step.dim, step.to, pricer.Bytes(state, step.after)};
    for (int atom : step.atoms) move.axes.push_back(atoms.axis(atom));
    *total += move.bytes;
    moves.push_back(std::move(move));
    state = step.after;
  }
  return moves;
}

absl::Status CheckSizes(const Mesh& mesh, const ZPoint& shape, int64_t element_bytes,
                        const TensorSharding& from, const TensorSharding& to) {
  if (from.rank() != shape.rank() || to.rank() != shape.rank()) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat("shardings of rank ", from.rank(), " and ", to.rank(),
                                  " for a tensor of rank ", shape.rank()));
  }
  TESSERA_ASSIGN_OR_RETURN(int64_t cells, ZRange::FromShape(shape).size());
  // Twenty moves at most, each no more than the whole tensor to every device.
  if ((Checked(cells) * element_bytes * mesh.num_devices() * 64).ok()) return absl::OkStatus();
  return OverflowError("the bytes of a reshard");
}

// Partial results are combined first: onto the dimension that wants the axis next, else everywhere.
absl::Status Reduce(const Mesh& mesh, const AtomTable& atoms, const ZPoint& shape,
                    int64_t element_bytes, const TensorSharding& from, const State& to,
                    State* state, ReshardBill* bill) {
  const DeviceGrid grid(mesh);
  for (int atom : atoms.ListOf(from.unreduced_axes())) {
    int dim = -1;
    for (size_t d = 0; d < to.size() && dim < 0; ++d) {
      const AtomList& now = (*state)[d];
      const bool prefix =
          now.size() < to[d].size() && std::equal(now.begin(), now.end(), to[d].begin());
      if (prefix && to[d][now.size()] == atom) dim = static_cast<int>(d);
    }
    int64_t bytes = element_bytes;
    for (int d = 0; d < shape.rank(); ++d)
      bytes *= CeilDiv(shape[d], atoms.Parts((*state)[static_cast<size_t>(d)]));
    const CollectiveKind kind =
        dim >= 0 ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce;
    TESSERA_ASSIGN_OR_RETURN(CollectiveBill one,
                             PriceCollective(kind, bytes, element_bytes, atoms.parts(atom)));
    Move move{dim >= 0 ? MoveKind::kReduceScatter : MoveKind::kAllReduce,
              {atoms.axis(atom)},
              dim,
              -1,
              one.sent * grid.num_devices()};
    if (dim >= 0) (*state)[static_cast<size_t>(dim)].push_back(static_cast<int8_t>(atom));
    bill->plan_total += move.bytes;
    bill->greedy_total += move.bytes;
    bill->plan.push_back(move);
    bill->greedy.push_back(std::move(move));
  }
  return absl::OkStatus();
}

}  // namespace

const char* MoveKindName(MoveKind kind) {
  constexpr const char* kNames[] = {
      "slice",          "all-gather", "all-to-all", "collective-permute", "collective-permute",
      "reduce-scatter", "all-reduce"};
  return kNames[static_cast<int>(kind)];
}

absl::StatusOr<ReshardBill> PriceReshard(const Mesh& mesh, const ZPoint& shape,
                                         int64_t element_bytes, const TensorSharding& from,
                                         const TensorSharding& to) {
  TESSERA_RETURN_IF_ERROR(CheckSizes(mesh, shape, element_bytes, from, to));
  TESSERA_ASSIGN_OR_RETURN(AtomTable atoms, AtomTable::Create(mesh, from, to));
  const StatePricer pricer(mesh, atoms, shape, element_bytes);
  State start = atoms.StateOf(from);
  const State target = atoms.StateOf(to);
  ReshardBill bill;
  for (int64_t position = 0; position < pricer.num_devices(); ++position) {
    bill.demand.push_back(pricer.BytesAt(position, start, target));
    bill.demand_total += bill.demand.back();
    bill.demand_max = std::max(bill.demand_max, bill.demand.back());
  }
  TESSERA_RETURN_IF_ERROR(Reduce(mesh, atoms, shape, element_bytes, from, target, &start, &bill));
  const std::vector<ReshardStep> greedy = GreedyPlan(atoms, start, target);
  const std::optional<std::vector<ReshardStep>> best = CheapestPlan(atoms, pricer, start, target);
  bill.searched = best.has_value();
  for (const Move& move : Price(atoms, pricer, start, greedy, &bill.greedy_total))
    bill.greedy.push_back(move);
  for (const Move& move : Price(atoms, pricer, start, best.value_or(greedy), &bill.plan_total))
    bill.plan.push_back(move);
  return bill;
}

}  // namespace tessera::projection
