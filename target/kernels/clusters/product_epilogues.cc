#include "tessera/target/kernels/clusters/product_epilogues.h"

#include <cstddef>
#include <optional>
#include <set>

#include "absl/algorithm/container.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

constexpr int kMostSteps = 32;

class Walk {
 public:
  Walk(const hlo::Module& module, const ClusterGraph& graph) : module_(module), graph_(graph) {}

  std::optional<Place> EpilogueOf(Place product) {
    elements_ = graph_.node(product).elements;
    open_.clear();
    Open(product);
    std::optional<Place> last;
    for (int steps = 0; steps < kMostSteps && !open_.empty(); ++steps) {
      if (absl::c_all_of(open_, [&](Place p) { return Ends(p); }))
        return ReadByTwo() ? last : std::nullopt;
      const Place p = *open_.begin();  // nothing open leads to it
      if (!IsInside(p)) return std::nullopt;
      if (open_.size() == 1 && IsElementwise(p)) last = p;
      open_.erase(open_.begin());
      Open(p);
    }
    return std::nullopt;
  }

 private:
  void Open(Place p) { open_.insert(graph_.node(p).users.begin(), graph_.node(p).users.end()); }

  bool Ends(Place p) const {
    const Role role = graph_.node(p).role;
    return role == Role::kProduct || role == Role::kReduction;
  }

  bool ReadByTwo() const {
    return absl::c_count_if(open_, [&](Place p) { return graph_.node(p).role == Role::kProduct; }) >
           1;
  }

  bool IsInside(Place p) const {
    const ClusterNode& node = graph_.node(p);
    return node.role == Role::kLight && node.elements == elements_ &&
           !module_.instruction(node.id).is_root;
  }

  bool IsElementwise(Place p) const {
    return projection::IsElementwise(module_.instruction(graph_.node(p).id).opcode);
  }

  const hlo::Module& module_;
  const ClusterGraph& graph_;
  double elements_ = 0;
  std::set<Place> open_;  // read what was seen, and were not seen themselves
};

}  // namespace

absl::flat_hash_set<Place> FindEpilogues(const hlo::Module& module, const ClusterGraph& graph) {
  absl::flat_hash_set<Place> found;
  Walk walk(module, graph);
  for (size_t p = 0; p < graph.num_nodes(); ++p) {
    const Place place = static_cast<Place>(p);
    if (graph.node(place).role != Role::kProduct) continue;
    if (const auto epilogue = walk.EpilogueOf(place)) found.insert(*epilogue);
  }
  return found;
}

}  // namespace tessera::target
