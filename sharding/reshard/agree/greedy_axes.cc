// A vote of the tensors of an op on how to shard its factors.
//
// Candidates are pairs (factor, axes): every leading part, in whole axes, of a tensor's axes on the
// factor. A tensor votes for a candidate with its element count if it has at least these axes on
// the factor.
//
//   factor i: A (64 elements) has [a, b], B (32) has [a]     (i, [a]) 96 votes, (i, [a, b]) 64
//   factor j: B (32) has [b]                                 (j, [b]) 32
//
// The best candidate wins: most votes; then the kind of its factor (pass-through, reduction,
// permutation, replication); then how much it adds; then the later factor and the longer list.
// Candidates that clash with the winner are cut before the clash. Longer candidates for the same
// factor stay, and the next one is chosen: i gets [a], then [a, b], and (j, [b]) is gone.
//
// A factor must wait while the factor right before it in some dimension has room left: sharding it
// would mean strided blocks.
//
// One peculiarity is kept. After each choice, a candidate of another factor that was not truncated
// counts all its parts as added. Its factor may have axes by then.
//
// Older behaviours:
//
//   replication_factors_compete off   factors that need replication have no candidates
//   reductions_yield off              reduction counts as much as pass-through
//   tie_by_local_size                 before "how much it adds": what is left of the largest tensor
//                                     with the factor when what is chosen so far is applied
//   first_tie_by_source_size          for the first choice only of tensors that vote for it
//
// Cost: quadratic in the number of candidates, which are at most tensors x axes. Tested in
// explicit_reshards_test.cc.

#include <algorithm>
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

struct Candidate {
  int factor = 0;
  AxisList axes;
  int64_t votes = 0;
  int64_t adds = 1;  // parts that it adds to what its factor has
};

int Rank(FactorKind kind, bool reductions_yield) {
  switch (kind) {
    case FactorKind::kPassThrough:
      return 3;
    case FactorKind::kReduction:
      return reductions_yield ? 2 : 3;
    case FactorKind::kPermutation:
      return 1;
    default:
      return 0;
  }
}

bool Begins(const AxisList& axes, const AxisList& part) {
  return axes == part || IsStrictPrefixOf(absl::MakeConstSpan(part), absl::MakeConstSpan(axes));
}

class Election {
 public:
  Election(const FactorTable& table, absl::Span<const int64_t> elements,
           const reference::Behaviors& behaviors)
      : table_(table),
        rule_(table.rule()),
        elements_(elements),
        behaviors_(behaviors),
        less_(table.mesh()),
        chosen_(rule_.num_factors()),
        waits_for_(rule_.num_factors()),
        full_(rule_.num_factors()) {
    FindDependencies();
    FindCandidates();
  }

  std::vector<AxisList> Run() {
    while (const std::optional<Candidate> best = Best()) {
      chosen_[best->factor] = best->axes;
      if (Parts(best->axes) == rule_.size(best->factor)) full_[best->factor] = true;
      Adjust(*best);
    }
    return std::move(chosen_);
  }

 private:
  int64_t Parts(const AxisList& axes) const { return ShardedSize(axes, table_.mesh()); }

  void FindDependencies() {
    for (int t = 0; t < rule_.num_tensors(); ++t) {
      for (int d = 0; d < rule_.rank(t); ++d) {
        const absl::Span<const int32_t> dim = rule_.factors(t, d);
        for (size_t k = 1; k < dim.size(); ++k) waits_for_[dim[k]].push_back(dim[k - 1]);
      }
    }
  }

  void FindCandidates() {
    for (int f = 0; f < rule_.num_factors(); ++f) {
      const bool replicates = rule_.kind(f) == FactorKind::kNeedReplication;
      if (replicates && !behaviors_.replication_factors_compete) continue;
      for (const FactorUse& use : rule_.uses(f)) {
        const FactorSharding& cell = table_.cell(use.cell);
        for (size_t n = 1; n <= cell.axes.size(); ++n) {
          AddCandidate(f, AxisList(cell.axes.begin(), cell.axes.begin() + n));
        }
      }
    }
  }

  void AddCandidate(int f, const AxisList& axes) {
    const bool known = absl::c_any_of(
        candidates_, [&](const Candidate& c) { return c.factor == f && c.axes == axes; });
    if (known) return;
    Candidate candidate{f, axes, 0, Parts(axes)};
    for (const FactorUse& use : rule_.uses(f)) {
      if (VotesFor(use, axes)) candidate.votes += elements_[use.tensor];
    }
    candidates_.push_back(std::move(candidate));
  }

  bool VotesFor(const FactorUse& use, const AxisList& axes) const {
    const FactorSharding& cell = table_.cell(use.cell);
    return cell.exists && Begins(cell.axes, axes);
  }

  // With the axes chosen so far.
  int64_t LocalElements(int tensor) const {
    int64_t parts = 1;
    for (int c = rule_.first_cell(tensor); c < rule_.first_cell(tensor + 1); ++c) {
      parts *= Parts(chosen_[rule_.cell_factor(c)]);
    }
    return elements_[tensor] / parts;
  }

  // 0 where it decides nothing.
  int64_t LocalSize(const Candidate& c) const {
    if (!behaviors_.tie_by_local_size) return 0;
    const bool is_first =
        absl::c_all_of(chosen_, [](const AxisList& axes) { return axes.empty(); });
    int64_t largest = 0;
    for (const FactorUse& use : rule_.uses(c.factor)) {
      if (behaviors_.first_tie_by_source_size && is_first && !VotesFor(use, c.axes)) continue;
      largest = std::max(largest, LocalElements(use.tensor));
    }
    return largest;
  }

  bool IsAdmissible(const Candidate& c) const {
    return absl::c_all_of(waits_for_[c.factor], [&](int before) { return bool{full_[before]}; });
  }

  bool IsWorse(const Candidate& a, const Candidate& b) const {
    const auto key = [&](const Candidate& c) {
      return std::make_tuple(c.votes, Rank(rule_.kind(c.factor), behaviors_.reductions_yield),
                             LocalSize(c), c.adds, c.factor);
    };
    if (key(a) != key(b)) return key(a) < key(b);
    return less_(absl::MakeConstSpan(a.axes), absl::MakeConstSpan(b.axes));
  }

  std::optional<Candidate> Best() const {
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates_) {
      if (IsAdmissible(c) && (best == nullptr || IsWorse(*best, c))) best = &c;
    }
    return best == nullptr ? std::nullopt : std::optional<Candidate>(*best);
  }

  // Keeps the candidates that remain after `winner` was chosen.
  void Adjust(const Candidate& winner) {
    std::vector<Candidate> left;
    for (Candidate& c : candidates_) {
      if (c.factor == winner.factor ? Continues(winner, c) : MakesWay(winner, c)) {
        left.push_back(std::move(c));
      }
    }
    candidates_ = std::move(left);
  }

  bool Continues(const Candidate& winner, Candidate& c) const {
    if (c.axes == winner.axes || !Begins(c.axes, winner.axes)) return false;
    c.adds = Parts(c.axes) / Parts(winner.axes);
    return true;
  }

  bool MakesWay(const Candidate& winner, Candidate& c) const {
    const AxisList& has = chosen_[c.factor];
    const bool cut = Truncate(c.axes, winner.axes);
    if (cut && c.axes == has) return false;
    c.adds = cut ? Parts(c.axes) / Parts(has) : Parts(c.axes);
    return true;
  }

  const FactorTable& table_;
  const OpShardingRule& rule_;
  const absl::Span<const int64_t> elements_;
  const reference::Behaviors& behaviors_;
  const AxisNameLess less_;
  std::vector<AxisList> chosen_;
  std::vector<std::vector<int>> waits_for_;  // factors right before this one in some dimension
  std::vector<bool> full_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<AxisList> GreedyAxes(const FactorTable& table, absl::Span<const int64_t> elements,
                                 const reference::Behaviors& behaviors) {
  return Election(table, elements, behaviors).Run();
}

}  // namespace tessera::sharding::reshard
