#include "tessera/target/kernels/clusters/clusters.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/apart_scores.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/kernels/clusters/cluster_graph.h"
#include "tessera/target/kernels/clusters/cluster_joins.h"
#include "tessera/target/kernels/clusters/product_epilogues.h"
#include "tessera/target/kernels/clusters/repeats.h"
#include "tessera/target/kernels/clusters/score_gradients.h"
#include "tessera/target/kernels/few_rows.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/row_updates.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr size_t kMostRepeats = 6;  // clusters in which most arithmetic is repeated
constexpr size_t kMostApart = 4;    // clusters that another one is compared with

class Finder {
 public:
  Finder(const hlo::Module& module, const std::vector<InstructionId>& order, const Chip& chip)
      : module_(module),
        is_tpu_(chip.platform == Platform::kTpu),
        joins_long_rows_(chip.joins_long_rows),
        writes_score_gradients_(chip.writes_score_gradients),
        graph_(module, order) {}

  std::vector<Cluster> Find() {
    if (is_tpu_) LeavePadsToScatters();
    epilogues_ = FindEpilogues(module_, graph_);
    for (Place p = static_cast<Place>(graph_.nodes().size()); p-- > 0;) Assign(p);
    RunWithProducts(module_, &graph_);
    return Collect();
  }

 private:
  using Clusters = absl::InlinedVector<ClusterId, 4>;

  Opcode opcode(Place p) const { return module_.instruction(graph_.node(p).id).opcode; }

  // A reduce-scatter pads what it sums.
  void LeavePadsToScatters() {
    for (ClusterNode& node : graph_.nodes()) {
      const bool is_pad = module_.instruction(node.id).opcode == Opcode::kPad;
      if (is_pad && node.users.size() == 1 && opcode(node.users[0]) == Opcode::kReduceScatter)
        node.role = Role::kFree;
    }
  }

  void Assign(Place p) {
    switch (graph_.node(p).role) {
      case Role::kLight:
        return AssignLight(p);
      case Role::kProduct:
        return AssignProduct(p);
      case Role::kReduction:
        return AssignReduction(p);
      case Role::kUpdate:
        return Write(p, ElementsOfOperand(p, 1));
      default:
        return;
    }
  }

  double ElementsOfOperand(Place p, size_t k) const {
    const auto operands = module_.operands(graph_.node(p).id);
    return k < operands.size() ? Elements(module_.shape(operands[k])) : 0;
  }

  // What rows add up to beside each element is taken in by its one reader.
  void AssignReduction(Place p) {
    Clusters clusters;
    const bool joins = IsRowWindow(module_, graph_.node(p).id) && ClustersOfUsers(p, &clusters) &&
                       clusters.size() == 1 && !graph_.cluster(clusters[0]).has_product &&
                       graph_.cluster(clusters[0]).space == graph_.node(p).elements;
    if (!joins) return Write(p, ElementsOfOperand(p, 0));
    graph_.Put(p, clusters[0]);
    graph_.cluster(clusters[0]).is_apart |=
        AreScoresApart(module_, graph_.node(p).id, joins_long_rows_);
  }

  void Write(Place p, double space) {
    graph_.nodes()[p].is_written = true;
    if (!PutBesideSlice(p)) graph_.New(p, space);
  }

  // Slices of one size of one array are results of one kernel, where they are written by themselves. Those with gaps
  // in tiles are kernels of their own.
  bool PutBesideSlice(Place p) {
    if (!is_tpu_ || opcode(p) != Opcode::kSlice) return false;
    const InstructionId id = graph_.node(p).id;
    if (MovesToMemory(module_, id)) return false;
    const InstructionId array = module_.operands(id)[0];
    for (const Place user : graph_.node(graph_.node(p).operands[0]).users) {
      const InstructionId other = graph_.node(user).id;
      const bool is_alike = user != p && opcode(user) == Opcode::kSlice &&
                            !MovesToMemory(module_, other) &&
                            module_.shape(other).dims() == module_.shape(id).dims();
      if (!is_alike || graph_.ClustersOf(user).size() != 1) continue;
      const ClusterId c = graph_.ClustersOf(user)[0];
      const bool has_only_slices = absl::c_all_of(graph_.cluster(c).members, [&](Place member) {
        return opcode(member) == Opcode::kSlice &&
               module_.operands(graph_.node(member).id)[0] == array;
      });
      if (!has_only_slices) continue;
      graph_.Put(p, c);
      return true;
    }
    return false;
  }

  // A product reads bytes from memory: what rounds to them runs before it.
  bool IsQuantized(Place p) const {
    return opcode(p) == Opcode::kConvert && ElementWidth(module_.shape(graph_.node(p).id)) <= 1;
  }

  // A slice at a computed place takes in what moves data, and that again. What computes is written before it.
  bool MaySlice(Place p, Place user) const {
    if (!IsSliced(user) || opcode(p) == Opcode::kConcatenate) return true;
    return opcode(p) == Opcode::kConvert ? !Narrows(module_, graph_.node(p).id)
                                         : IsCheap(opcode(p));
  }

  bool IsSliced(Place p) const {
    return opcode(p) == Opcode::kDynamicSlice || graph_.node(p).is_sliced;
  }

  // Of what a loop updates row by row.
  bool IsSliceOfRows(Place p) const {
    if (!is_tpu_ || opcode(p) != Opcode::kDynamicSlice) return false;
    const InstructionId id = graph_.node(p).id;
    return module_.instruction(id).computation != module_.entry_id() &&
           (RowsLaidAnew(module_, module_.operands(id)[0]) > 0 || IsWrittenSlice(module_, id));
  }

  bool IsInMemoryFor(Place p, Place user) const {
    const bool shared = graph_.node(p).users.size() > 1;
    return is_tpu_ && MovesFromMemory(module_, graph_.node(user).id, opcode(p), shared);
  }

  bool IsRepeatedSlice(Place p, Place user) const {
    return is_tpu_ && opcode(user) == Opcode::kBroadcast && IsOfSlice(module_, graph_.node(p).id);
  }

  // Whether `p` may run in the kernel of its user.
  bool MayRunIn(Place p, Place user) const {
    const ClusterNode& node = graph_.node(user);
    if (IsSliceOfRows(p)) return false;
    switch (node.role) {
      case Role::kLight:
        return MaySlice(p, user) && !IsInMemoryFor(p, user) && !IsRepeatedSlice(p, user);
      case Role::kReduction:
        return true;
      case Role::kProduct:
        return !IsQuantized(p);
      case Role::kUpdate: {
        const auto operands = module_.operands(node.id);
        return operands.size() > 1 && operands[1] == graph_.node(p).id;
      }
      default:
        return false;
    }
  }

  // The clusters of users in which `p` may run; false if another reader has it, too.
  bool ClustersOfUsers(Place p, Clusters* clusters) {
    const ClusterNode& node = graph_.node(p);
    bool all = !module_.instruction(node.id).is_root;
    for (const Place user : node.users) {
      if (!MayRunIn(p, user)) {
        all = false;
        continue;
      }
      graph_.nodes()[p].is_sliced |= IsSliced(user);
      for (const ClusterId c : graph_.ClustersOf(user)) {
        if (!absl::c_linear_search(*clusters, c)) clusters->push_back(c);
      }
    }
    return all;
  }

  void AssignLight(Place p) {
    const InstructionId id = graph_.node(p).id;
    const double elements = graph_.node(p).elements;
    Clusters clusters;
    if (is_tpu_ && (MovesToMemory(module_, id) || IsRepeatedInFewRows(p)))
      return Write(p, elements);
    if (epilogues_.contains(p)) return Write(p, elements);
    if (!ClustersOfUsers(p, &clusters)) return WriteForOthers(p, clusters);
    if (clusters.empty()) return;  // nobody reads it
    if (IsSharedByAlike(p)) BecomeFewer(p, &clusters);
    if (IsWrittenForProducts(p, clusters)) return Write(p, elements);
    const bool is_cheap = IsCheap(opcode(p)) || opcode(p) == Opcode::kDynamicSlice;
    if (clusters.size() == 1 || is_cheap) return Put(p, clusters);
    BecomeFewer(p, &clusters);
    const bool is_few = clusters.size() <= kMostRepeats || IsOfFewerBytes(module_, id);
    const bool repeats = is_few && (IsRepeated(module_, id) || IsJoinedInProducts(p, clusters));
    if (clusters.size() > 1 && TakesTwo(module_, id) && IsWrittenBeside(p, clusters))
      return WriteWithReader(p, clusters);
    if (clusters.size() == 1 || repeats) return Put(p, clusters);
    if (IsAfterRowWindow(module_, id)) return WriteWithReader(p, clusters);
    if (is_tpu_ && IsRounded(p)) return WriteRounded(p);
    Write(p, elements);
  }

  bool IsRepeatedInFewRows(Place p) const {
    const auto& users = graph_.node(p).users;
    return !users.empty() && absl::c_all_of(users, [&](Place user) {
      return target::IsRepeatedInFewRows(module_, graph_.node(p).id, graph_.node(user).id);
    });
  }

  bool IsWrittenForProducts(Place p, const Clusters& clusters) {
    return writes_score_gradients_ && clusters.size() > 1 &&
           IsGradientOfScores(module_, graph_.node(p).id) &&
           absl::c_all_of(clusters, [&](ClusterId c) { return graph_.cluster(c).has_product; });
  }

  // A product puts its operand together from parts: they are padded, and the largest is taken. A convolution does not.
  bool IsJoinedInProducts(Place p, const Clusters& clusters) {
    return is_tpu_ && opcode(p) == Opcode::kConcatenate &&
           absl::c_all_of(clusters, [&](ClusterId c) { return graph_.cluster(c).has_product; }) &&
           absl::c_none_of(graph_.node(p).users,
                           [&](Place user) { return opcode(user) == Opcode::kConvolution; });
  }

  // All that reads it is one convert to fewer bytes.
  bool IsRounded(Place p) const {
    const auto& users = graph_.node(p).users;
    if (users.size() != 1) return false;
    return opcode(users[0]) == Opcode::kConvert && Narrows(module_, graph_.node(users[0]).id) &&
           !graph_.node(users[0]).is_written;
  }

  // The convert leaves those that it was repeated in, and is written with what it rounds.
  void WriteRounded(Place p) {
    const Place convert = graph_.node(p).users[0];
    graph_.Leave(convert);
    Write(convert, graph_.node(convert).elements);
    graph_.Put(p, graph_.ClustersOf(convert)[0]);
  }

  void Put(Place p, const Clusters& clusters) {
    for (const ClusterId c : clusters) graph_.Put(p, c);
  }

  // Products read it, and a kernel of its size does that may write it.
  bool IsWrittenBeside(Place p, const Clusters& clusters) {
    const double elements = graph_.node(p).elements;
    const auto has_product = [&](ClusterId c) { return graph_.cluster(c).has_product; };
    return absl::c_any_of(clusters, has_product) && absl::c_any_of(clusters, [&](ClusterId c) {
             return !has_product(c) && graph_.cluster(c).space == elements;
           });
  }

  // For what does not run it. Others still compute what they would read in more bytes.
  void WriteForOthers(Place p, const Clusters& readers) {
    WriteWithReader(p, readers);
    if (!Widens(module_, graph_.node(p).id)) return;
    graph_.nodes()[p].writer = graph_.node(p).clusters[0];
    for (const ClusterId c : readers) {
      if (!graph_.IsIn(p, c)) graph_.Put(p, c);
    }
  }

  // A second result of a cluster that reads it, if there is one of its size.
  void WriteWithReader(Place p, const Clusters& readers) {
    graph_.nodes()[p].is_written = true;
    for (const ClusterId c : readers) {
      const ClusterState& state = graph_.cluster(c);
      if (state.has_product || state.space != graph_.node(p).elements) continue;
      graph_.Put(p, c);
      if (!graph_.NeedsByOthers(c, c)) return;
      graph_.cluster(c).members.pop_back();
      graph_.nodes()[p].clusters.clear();
    }
    if (!PutBesideSlice(p)) graph_.New(p, graph_.node(p).elements);
  }

  // An array that is repeated, such as a mask: kernels that read it become one.
  bool IsSharedByAlike(Place p) const {
    return is_tpu_ && opcode(p) == Opcode::kBroadcast && ElementsOfOperand(p, 0) > 1;
  }

  // Those without a product become one, if they run over the same elements: all of them, or reductions that do not
  // need each other.
  void BecomeFewer(Place p, Clusters* clusters) {
    const auto middle = absl::c_stable_partition(
        *clusters, [&](ClusterId c) { return !graph_.cluster(c).has_product; });
    const auto alike = absl::MakeSpan(*clusters).first(middle - clusters->begin());
    const double elements = graph_.node(p).elements;
    if (alike.size() < 2) return;
    if (absl::c_any_of(alike, [&](ClusterId c) { return graph_.cluster(c).space != elements; }))
      return;
    const bool are_apart = AreApart(alike);  // walks, where the above only looks
    size_t kept = 0;
    for (const ClusterId c : alike) {
      const auto before = alike.first(std::min(kept, kMostApart));
      const auto to = absl::c_find_if(before, [&](ClusterId k) {
        return are_apart || (AreReductions(c, k) && AreApart(c, k));
      });
      if (to != before.end()) {
        graph_.Join(c, *to);
      } else {
        alike[kept++] = c;
      }
    }
    clusters->erase(clusters->begin() + static_cast<int64_t>(kept), middle);
  }

  bool AreReductions(ClusterId a, ClusterId b) {
    return graph_.cluster(a).has_reduction && graph_.cluster(b).has_reduction;
  }

  // Neither needs what the other one writes.
  bool AreApart(ClusterId a, ClusterId b) { return !graph_.Needs(a, b) && !graph_.Needs(b, a); }

  bool AreApart(absl::Span<const ClusterId> clusters) {
    for (size_t a = 0; a < clusters.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        if (!AreApart(clusters[a], clusters[b])) return false;
      }
    }
    return true;
  }

  void AssignProduct(Place p) {
    const double elements = graph_.node(p).elements;
    Clusters clusters;
    bool joins = ClustersOfUsers(p, &clusters) && clusters.size() == 1 &&
                 !graph_.cluster(clusters[0]).has_product &&
                 !graph_.cluster(clusters[0]).is_apart &&
                 graph_.cluster(clusters[0]).space == elements;
    for (const Place user : graph_.node(p).users) {
      joins =
          joins && graph_.node(user).role == Role::kLight && graph_.node(user).elements == elements;
    }
    if (joins) return Put(p, clusters);
    Write(p, elements);
  }

  std::vector<Cluster> Collect() {
    std::vector<std::pair<Place, Cluster>> found;
    for (ClusterId c = 0; c < graph_.num_clusters(); ++c) {
      if (graph_.Find(c) != c) continue;
      std::vector<Place>& members = graph_.cluster(c).members;
      absl::c_sort(members);
      members.erase(std::unique(members.begin(), members.end()), members.end());
      if (members.empty()) continue;
      Cluster cluster;
      for (const Place p : members) {
        cluster.members.push_back(graph_.node(p).id);
        if (IsOutput(p, c)) cluster.outputs.push_back(graph_.node(p).id);
      }
      found.emplace_back(members.back(), std::move(cluster));
    }
    absl::c_stable_sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Cluster> clusters;
    for (auto& [last, cluster] : found) clusters.push_back(std::move(cluster));
    return clusters;
  }

  // A node outside of the cluster reads it.
  bool IsOutput(Place p, ClusterId c) {
    const ClusterNode& node = graph_.node(p);
    if (!node.is_written) return false;
    if (node.writer != kNoCluster && graph_.Find(node.writer) != c) return false;
    return module_.instruction(node.id).is_root || node.users.empty() ||
           absl::c_any_of(node.users, [&](Place user) { return !graph_.IsOnlyIn(user, c); });
  }

  const hlo::Module& module_;
  const bool is_tpu_, joins_long_rows_, writes_score_gradients_;
  ClusterGraph graph_;
  absl::flat_hash_set<Place> epilogues_;
};

}  // namespace

std::vector<Cluster> FindClusters(const hlo::Module& module,
                                  const std::vector<InstructionId>& order, const Chip& chip) {
  return Finder(module, order, chip).Find();
}

}  // namespace tessera::target
