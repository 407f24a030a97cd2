#include "tessera/target/kernels/clusters/cluster_joins.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/kernels/products/registers.h"

namespace tessera::target {
namespace {

// With more inputs of full size a cluster stays alone.
constexpr int kMostInputs = 4;
constexpr double kWidestUpdate = 2;  // bytes of an element

class Joiner {
 public:
  Joiner(const hlo::Module& module, ClusterGraph* graph) : module_(module), graph_(*graph) {}

  void Join() {
    for (Place p = 0; p < graph_.nodes().size(); ++p) {
      const Role role = graph_.node(p).role;
      if (role == Role::kReduction || (role == Role::kUpdate && IsNarrow(p))) RunWithProduct(p);
    }
  }

 private:
  bool IsNarrow(Place p) const {
    const auto operands = module_.operands(graph_.node(p).id);
    return operands.size() > 1 && ElementWidth(module_.shape(operands[1])) <= kWidestUpdate;
  }

  // The values that a cluster reads of others.
  std::vector<Place> InputsOf(ClusterId c) {
    std::vector<Place> inputs;
    for (const Place p : graph_.cluster(c).members) {
      for (const Place operand : graph_.node(p).operands) {
        if (!graph_.IsIn(operand, c)) inputs.push_back(operand);
      }
    }
    absl::c_sort(inputs);
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    return inputs;
  }

  // Of the cluster that writes it, if that has a product.
  std::optional<ClusterId> ProductOf(Place p) {
    if (graph_.node(p).clusters.empty()) return std::nullopt;
    const ClusterId c = graph_.Find(graph_.node(p).clusters[0]);
    return graph_.cluster(c).has_product ? std::optional(c) : std::nullopt;
  }

  void RunWithProduct(Place p) {
    const ClusterId c = graph_.Find(graph_.node(p).clusters[0]);
    if (graph_.cluster(c).has_product || graph_.cluster(c).is_apart) return;
    const std::vector<Place> inputs = InputsOf(c);
    for (const ClusterId product : ProductsOf(inputs, graph_.cluster(c).space)) {
      if (WaitsFor(inputs, product)) continue;
      if (graph_.NeedsByOthers(c, product) || graph_.Needs(product, c)) continue;
      return graph_.Join(c, product);
    }
  }

  // Over as many elements, the last one first; of few inputs.
  std::vector<ClusterId> ProductsOf(const std::vector<Place>& inputs, double space) {
    int full = 0;
    std::vector<ClusterId> products;
    for (const Place input : inputs) {
      if (graph_.node(input).elements != space) continue;
      ++full;
      const std::optional<ClusterId> of = ProductOf(input);
      if (of.has_value() && graph_.cluster(*of).space == space) products.push_back(*of);
    }
    if (full > kMostInputs) return {};
    absl::c_reverse(products);
    return products;
  }

  // For a reduction in that kernel.
  bool WaitsFor(const std::vector<Place>& inputs, ClusterId product) {
    return absl::c_any_of(inputs, [&](Place input) {
      return graph_.node(input).role == Role::kReduction && ProductOf(input) == product;
    });
  }

  const hlo::Module& module_;
  ClusterGraph& graph_;
};

}  // namespace

void RunWithProducts(const hlo::Module& module, ClusterGraph* graph) {
  Joiner(module, graph).Join();
}

}  // namespace tessera::target
