// The planners work on numbered atoms. AtomPlan combines partial results first, onto the dimension
// whose next axis this is, else on every device; then it writes the planner's steps in axes.
// Tested by reshard_cost_test.cc and the family projection_comm.

#include "tessera/testing/reshard_plans/atom_plans.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/testing/reshard_plans/atoms.h"
#include "tessera/testing/reshard_plans/moves.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::reshard_plans {

using sharding::MeshTable;

namespace {

struct Query {
  absl::Span<const int64_t> shape;
  const TensorSharding& from;
  const TensorSharding& to;
  const MeshTable& meshes;
  const Mesh& mesh() const { return meshes.mesh(from.mesh_id()); }
};

// A search adds up no more than some twenty moves, each at most the whole tensor to every device.
absl::Status CheckSize(const Query& q) {
  int64_t room = int64_t{1} << 56;
  room /= q.mesh().num_devices();
  for (int64_t size : q.shape) {
    if (size == 0) return absl::OkStatus();
    room /= size;
  }
  if (room > 0) return absl::OkStatus();
  return absl::OutOfRangeError("the elements that a reshard moves do not fit 64 bits");
}

// The plan of a planner on atoms, written in axes.
class AtomPlan {
 public:
  static absl::StatusOr<AtomPlan> Create(const Query& q) {
    if (!(q.mesh() == q.meshes.mesh(q.to.mesh_id()))) {
      return absl::InvalidArgumentError("the two meshes order their devices differently");
    }
    if (!q.to.unreduced_axes().empty()) {
      return absl::InvalidArgumentError("the target has unreduced axes");
    }
    TESSERA_RETURN_IF_ERROR(CheckSize(q));
    TESSERA_ASSIGN_OR_RETURN(AtomTable atoms, AtomTable::Create(q.mesh(), q.from, q.to));
    AtomPlan plan(q, std::move(atoms));
    plan.Reduce();
    return plan;
  }

  CollectivePlan Greedy() && {
    Append(GreedyPlan(atoms_, state_, target_));
    return std::move(plan_);
  }

  CollectivePlan Cheapest() && {
    const StatePricer pricer(query_.mesh(), atoms_, query_.shape);
    const auto found = CheapestPlan(atoms_, pricer, state_, target_);
    if (!found.has_value()) return std::move(*this).Greedy();
    Append(*found);
    return std::move(plan_);
  }

 private:
  AtomPlan(const Query& query, AtomTable atoms)
      : query_(query),
        atoms_(std::move(atoms)),
        state_(atoms_.StateOf(query.from)),
        target_(atoms_.StateOf(query.to)),
        partial_(atoms_.ListOf(query.from.unreduced_axes())) {}

  Collective& Emit(CollectiveKind kind, const AtomState& after) {
    Collective step;
    step.kind = kind;
    const auto rank = static_cast<int>(after.size());
    step.sharding = TensorSharding(query_.from.mesh_id(), rank);
    for (int d = 0; d < rank; ++d) step.sharding.dim(d).axes = atoms_.AxesOf(after[d]);
    step.sharding.mutable_unreduced_axes() = atoms_.AxesOf(partial_);
    plan_.steps.push_back(std::move(step));
    return plan_.steps.back();
  }

  // The dimension whose next atom on the way to the target this is.
  std::optional<int> NextWantedAt(int atom) const {
    for (size_t d = 0; d < target_.size(); ++d) {
      const AtomList &now = state_[d], &wanted = target_[d];
      if (now.size() < wanted.size() && std::equal(now.begin(), now.end(), wanted.begin()) &&
          wanted[now.size()] == atom) {
        return static_cast<int>(d);
      }
    }
    return std::nullopt;
  }

  void Reduce() {
    while (!partial_.empty()) {
      const int8_t atom = partial_.front();
      partial_.erase(partial_.begin());
      const std::optional<int> dim = NextWantedAt(atom);
      if (dim) state_[static_cast<size_t>(*dim)].push_back(atom);
      Collective& step =
          Emit(dim ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce, state_);
      step.axes = {atoms_.axis(atom)};
      step.target = dim.value_or(0);
    }
  }

  void Append(const std::vector<AtomStep>& steps) {
    for (const AtomStep& move : steps) {
      Collective& step = Emit(move.kind, move.after);
      if (move.kind == CollectiveKind::kAllToAll) {
        const AtomList& arrived = move.after[static_cast<size_t>(move.to)];
        step.axes = atoms_.AxesOf(AtomList(arrived.end() - move.atoms.size(), arrived.end()));
        step.source = move.dim;
        step.target = move.to;
      } else if (move.kind != CollectiveKind::kCollectivePermute) {
        step.axes_per_dim.resize(move.after.size());
        step.axes_per_dim[static_cast<size_t>(move.dim)] = atoms_.AxesOf(move.atoms);
      }
    }
  }

  const Query query_;
  AtomTable atoms_;
  AtomState state_, target_;
  AtomList partial_;  // along which the value is still a sum to be made
  CollectivePlan plan_;
};

}  // namespace

absl::StatusOr<CollectivePlan> PlanGreedily(absl::Span<const int64_t> shape,
                                            const TensorSharding& from, const TensorSharding& to,
                                            const MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(AtomPlan plan, AtomPlan::Create(Query{shape, from, to, meshes}));
  return std::move(plan).Greedy();
}

absl::StatusOr<CollectivePlan> PlanCheaply(absl::Span<const int64_t> shape,
                                           const TensorSharding& from, const TensorSharding& to,
                                           const MeshTable& meshes) {
  TESSERA_ASSIGN_OR_RETURN(AtomPlan plan, AtomPlan::Create(Query{shape, from, to, meshes}));
  return std::move(plan).Cheapest();
}

}  // namespace tessera::testing::reshard_plans
