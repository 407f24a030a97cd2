// Two planners over the same moves (reshard_state.h).
//
// The search settles states in order of (bytes, moves), as Dijkstra does, so the first time it
// meets the target the plan is a cheapest one. States are few: a mesh has at most some five atoms,
// and a state places each of them once. Past 5,000 settled states it gives up, and the greedy plan
// stands.
//
// The greedy planner takes, until the state is the target, the first of six rules that applies, at
// the lowest dimension: cut what is wanted and free; exchange a minor atom that is the next one
// wanted elsewhere; gather one that nobody wants; relabel when all part counts fit; put the wanted
// atoms in front; gather. It ends: every rule settles an atom for good, or removes one, or is
// followed by one that does.
//
// Example, mesh x=4, y=2: [x],[y] -> [y],[x]. Greedy gathers x, exchanges y, cuts x: 2,560 bytes
// for f32[16,8]. The search finds three exchanges: 960. The demand is 384.
#include "tessera/projection/cost/reshard_bill.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/checked.h"
#include "tessera/projection/cost/collective_bytes.h"
#include "tessera/projection/cost/reshard_state.h"
#include "tessera/projection/error.h"
#include "tessera/projection/range.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::Mesh;
using sharding::TensorSharding;
using State = ReshardState;

constexpr int kMostSettled = 5000;
constexpr int kMostSearchedAtoms = 7;  // the orders of one list alone would be too many beyond

// A move between numbered atoms, and where it leads.
struct Step {
  MoveKind kind;
  AtomList atoms;
  int dim, to;
  State after;
};

bool Contains(const AtomList& list, int atom) {
  return std::find(list.begin(), list.end(), atom) != list.end();
}

bool IsUsed(const State& state, int atom) {
  return std::any_of(state.begin(), state.end(),
                     [&](const AtomList& list) { return Contains(list, atom); });
}

// Takes the `k` minor atoms off a list.
AtomList TakeMinor(AtomList* list, size_t k) {
  AtomList out(list->end() - static_cast<int64_t>(k), list->end());
  list->erase(list->end() - k, list->end());
  return out;
}

Step Gather(const State& state, int dim, size_t k) {
  Step step{MoveKind::kGather, {}, dim, -1, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  return step;
}

Step Slice(const State& state, int dim, int atom) {
  Step step{MoveKind::kSlice, {static_cast<int8_t>(atom)}, dim, -1, state};
  step.after[dim].push_back(static_cast<int8_t>(atom));
  return step;
}

Step Exchange(const State& state, int dim, int to, size_t k, bool reversed) {
  Step step{MoveKind::kExchange, {}, dim, to, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  AtomList moved = step.atoms;
  if (reversed) std::reverse(moved.begin(), moved.end());
  step.after[to].insert(step.after[to].end(), moved.begin(), moved.end());
  return step;
}

Step Reorder(const State& state, int dim, AtomList order) {
  Step step{MoveKind::kReorder, {}, dim, -1, state};
  step.after[dim] = std::move(order);
  return step;
}

bool SamePartCounts(const AtomTable& atoms, const State& a, const State& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (atoms.Parts(a[d]) != atoms.Parts(b[d])) return false;
  }
  return true;
}

// --- the search
// ------------------------------------------------------------------------------------

std::vector<Step> AllMoves(const AtomTable& atoms, const State& state, const State& target) {
  std::vector<Step> moves;
  const int rank = static_cast<int>(state.size());
  for (int d = 0; d < rank; ++d) {
    for (int atom = 0; atom < atoms.size(); ++atom) {
      if (!IsUsed(state, atom)) moves.push_back(Slice(state, d, atom));
    }
    for (size_t k = 1; k <= state[d].size(); ++k) {
      moves.push_back(Gather(state, d, k));
      for (int e = 0; e < rank; ++e) {
        if (e == d) continue;
        moves.push_back(Exchange(state, d, e, k, false));
        if (k > 1) moves.push_back(Exchange(state, d, e, k, true));
      }
    }
    AtomList order = state[d];
    std::sort(order.begin(), order.end());
    do {
      if (order != state[d]) moves.push_back(Reorder(state, d, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  if (SamePartCounts(atoms, state, target))
    moves.push_back({MoveKind::kRelabel, {}, -1, -1, target});
  return moves;
}

struct Settled {
  State state;
  int parent;  // index of the settled state before; -1 at the start
  std::optional<Step> step;
};

std::vector<Step> PathTo(const std::vector<Settled>& settled, int at) {
  std::vector<Step> path;
  for (; settled[at].parent >= 0; at = settled[at].parent) path.push_back(*settled[at].step);
  std::reverse(path.begin(), path.end());
  return path;
}

// None when it took too many states.
std::optional<std::vector<Step>> Search(const AtomTable& atoms, const StatePricer& pricer,
                                        const State& from, const State& to) {
  struct Open {
    int64_t bytes;
    int moves;
    int64_t number;  // first come, first served
    int parent;
    Step step;
    bool operator<(const Open& o) const {
      return std::tie(bytes, moves, number) > std::tie(o.bytes, o.moves, o.number);
    }
  };
  std::priority_queue<Open> open;
  absl::flat_hash_map<State, std::pair<int64_t, int>> best;  // cheapest way known to each state
  std::vector<Settled> settled;
  absl::flat_hash_map<State, bool> done;
  int64_t number = 0;
  open.push({0, 0, number++, -1, {MoveKind::kRelabel, {}, -1, -1, from}});
  while (!open.empty()) {
    const Open at = open.top();
    open.pop();
    if (!done.try_emplace(at.step.after, true).second) continue;
    settled.push_back({at.step.after, at.parent, at.step});
    const int here = static_cast<int>(settled.size()) - 1;
    if (at.step.after == to) return PathTo(settled, here);
    if (settled.size() > kMostSettled) return std::nullopt;
    for (Step& step : AllMoves(atoms, at.step.after, to)) {
      const std::pair<int64_t, int> cost = {at.bytes + pricer.Bytes(at.step.after, step.after),
                                            at.moves + 1};
      const auto [known, is_new] = best.try_emplace(step.after, cost);
      if (!is_new && known->second <= cost) continue;
      known->second = cost;
      open.push({cost.first, cost.second, number++, here, std::move(step)});
    }
  }
  return std::nullopt;
}

// --- greedy
// ----------------------------------------------------------------------------------------

class Greedy {
 public:
  Greedy(const AtomTable& atoms, State from, const State& to)
      : atoms_(atoms), state_(std::move(from)), to_(to) {}

  std::vector<Step> Run() {
    while (state_ != to_) {
      Step step = Next();
      state_ = step.after;
      Append(std::move(step));
    }
    return std::move(steps_);
  }

 private:
  int rank() const { return static_cast<int>(state_.size()); }
  bool IsPrefix(int d) const {
    return state_[d].size() <= to_[d].size() &&
           std::equal(state_[d].begin(), state_[d].end(), to_[d].begin());
  }
  // The atom that dimension d, so far right, wants next; -1 for none.
  int NextWanted(int d) const {
    return IsPrefix(d) && state_[d].size() < to_[d].size() ? to_[d][state_[d].size()] : -1;
  }

  Step Next() const {
    for (auto rule : {&Greedy::SliceWanted, &Greedy::ExchangeWanted, &Greedy::GatherUnwanted}) {
      for (int d = 0; d < rank(); ++d) {
        if (std::optional<Step> step = (this->*rule)(d)) return *step;
      }
    }
    if (SamePartCounts(atoms_, state_, to_)) return {MoveKind::kRelabel, {}, -1, -1, to_};
    for (int d = 0; d < rank(); ++d) {
      if (IsPrefix(d)) continue;
      AtomList order = WantedOrder(d);
      if (order != state_[d]) return Reorder(state_, d, std::move(order));
    }
    int d = 0;
    while (IsPrefix(d)) ++d;
    return Gather(state_, d, 1);
  }

  std::optional<Step> SliceWanted(int d) const {
    const int atom = NextWanted(d);
    return atom >= 0 && !IsUsed(state_, atom) ? std::optional<Step>(Slice(state_, d, atom))
                                              : std::nullopt;
  }

  std::optional<Step> ExchangeWanted(int d) const {
    if (IsPrefix(d)) return std::nullopt;
    for (int e = 0; e < rank(); ++e) {
      if (NextWanted(e) == state_[d].back()) return Exchange(state_, d, e, 1, false);
    }
    return std::nullopt;
  }

  std::optional<Step> GatherUnwanted(int d) const {
    if (IsPrefix(d) || IsUsed(to_, state_[d].back())) return std::nullopt;
    return Gather(state_, d, 1);
  }

  // Atoms that dimension d wants, in the order of the target; then those wanted elsewhere, by
  // descending dimension and position; then those wanted nowhere.
  AtomList WantedOrder(int d) const {
    AtomList order;
    const auto take = [&](int atom) {
      if (Contains(state_[d], atom) && !Contains(order, atom))
        order.push_back(static_cast<int8_t>(atom));
    };
    for (int atom : to_[d]) take(atom);
    for (int e = rank() - 1; e >= 0; --e) {
      for (auto atom = to_[e].rbegin(); atom != to_[e].rend(); ++atom) take(*atom);
    }
    for (int atom : state_[d]) take(atom);
    return order;
  }

  // Consecutive gathers of one dimension, and exchanges between the same two, are one move.
  void Append(Step step) {
    const bool mergeable = step.kind == MoveKind::kGather || step.kind == MoveKind::kExchange;
    if (!steps_.empty() && mergeable && steps_.back().kind == step.kind &&
        steps_.back().dim == step.dim && steps_.back().to == step.to) {
      steps_.back().atoms.insert(steps_.back().atoms.begin(), step.atoms.begin(), step.atoms.end());
      steps_.back().after = std::move(step.after);
      return;
    }
    steps_.push_back(std::move(step));
  }

  const AtomTable& atoms_;
  State state_;
  const State& to_;
  std::vector<Step> steps_;
};

// --- the bill
// --------------------------------------------------------------------------------------

std::vector<Move> Price(const AtomTable& atoms, const StatePricer& pricer, State state,
                        const std::vector<Step>& steps, int64_t* total) {
  std::vector<Move> moves;
  for (const Step& step : steps) {
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
  const std::vector<Step> greedy = Greedy(atoms, start, target).Run();
  std::optional<std::vector<Step>> best;
  if (atoms.size() <= kMostSearchedAtoms) best = Search(atoms, pricer, start, target);
  bill.searched = best.has_value();
  for (const Move& move : Price(atoms, pricer, start, greedy, &bill.greedy_total))
    bill.greedy.push_back(move);
  for (const Move& move : Price(atoms, pricer, start, best.value_or(greedy), &bill.plan_total))
    bill.plan.push_back(move);
  return bill;
}

}  // namespace tessera::projection
