// multi_output_fusion: users before what they use. Kernels that read the same array become one, and
// then a kernel joins the best of its users, whose result it stays beside.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/graph/slices.h"
#include "tessera/target/priority_fusion/graph/ways.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

constexpr size_t kMaxOperandsAndOutputs = 96;

class Fuser {
 public:
  explicit Fuser(FusionGraph& graph) : graph_(graph), heroes_(graph.size()) {}

  void Run() {
    std::vector<uint32_t> order = graph_.PostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const FusionGraph::Node& node = graph_.node(*it);
      if (node.is_gone || graph_.Is(*it, Opcode::kConstant)) continue;
      const bool is_one_array = graph_.Result(*it).elements != 1 && !graph_.IsMultiOutput(*it);
      if (is_one_array && !IsProduct(*it)) FuseUsersOf(*it);
      JoinUser(*it);
    }
  }

 private:
  // XLA leaves the users of a product alone, which is a kernel of Triton: a fusion before others are made.
  bool IsProduct(uint32_t kernel) const {
    return graph_.node(kernel).is_product || graph_.Is(kernel, Opcode::kFusion);
  }

  // What decides how the kernel is made: that of the first result which has one.
  const Hero& HeroOf(uint32_t kernel) {
    std::optional<Hero>& hero = heroes_[kernel];
    if (hero.has_value()) return *hero;
    hero.emplace();
    for (const Expression& output : graph_.node(kernel).outputs) {
      hero = target::HeroOf(output, graph_.facts());
      if (hero->tiled != nullptr || hero->joins_equal_arrays || hero->joins_other_arrays) break;
    }
    return *hero;
  }

  const OpFacts* TiledOf(uint32_t kernel) { return HeroOf(kernel).tiled; }

  bool JoinsEqualArrays(uint32_t kernel) { return HeroOf(kernel).joins_equal_arrays; }

  bool JoinsOtherArrays(uint32_t kernel) { return HeroOf(kernel).joins_other_arrays; }

  void FuseOutputs(uint32_t kept, uint32_t gone) {
    graph_.FuseOutputs(kept, gone);
    heroes_[kept].reset();
  }

  const OpFacts* ReduceOf(uint32_t kernel) {
    const OpFacts* const tiled = TiledOf(kernel);
    return tiled != nullptr && tiled->is_tiled_reduce ? tiled : nullptr;
  }

  // Reductions and transposes by tiles, loops and element-wise instructions.
  bool CanHaveOutputs(uint32_t kernel) const {
    const OpFacts& result = graph_.Result(kernel);
    if (graph_.node(kernel).is_triton || graph_.node(kernel).is_product) return false;
    if (graph_.node(kernel).is_fusion) return result.opcode != Opcode::kScatter;
    if (result.opcode == Opcode::kReduce) return result.is_tiled_reduce;
    if (result.opcode == Opcode::kTranspose) return result.is_tiled_transpose;
    return result.is_elementwise && result.opcode != Opcode::kCopy;
  }

  bool Updates(uint32_t kernel) const {
    return graph_.Result(kernel).opcode == Opcode::kDynamicUpdateSlice;
  }

  // Anywhere, by tiles or not.
  bool Transposes(uint32_t kernel) const {
    const auto moves = [&](const FusedOp& op) {
      const Opcode opcode = graph_.facts()[op.op].opcode;
      return opcode == Opcode::kTranspose || opcode == Opcode::kCopy;
    };
    return absl::c_any_of(graph_.node(kernel).outputs,
                          [&](const Expression& output) { return absl::c_any_of(output, moves); });
  }

  double ElementsOf(const OpFacts& loop) const {
    return loop.is_tiled_reduce ? loop.looped_elements : loop.elements;
  }

  bool SameLoop(uint32_t a, uint32_t b) {
    const OpFacts *const of_a = TiledOf(a), *const of_b = TiledOf(b);
    if (of_a != nullptr && of_b != nullptr) {
      if (of_a->is_tiled_reduce != of_b->is_tiled_reduce || of_a->runs != of_b->runs) return false;
    }
    const OpFacts& loop_a = of_a != nullptr ? *of_a : graph_.Result(a);
    const OpFacts& loop_b = of_b != nullptr ? *of_b : graph_.Result(b);
    if (ElementsOf(loop_a) != ElementsOf(loop_b)) return false;
    if (loop_a.is_tiled_transpose == loop_b.is_tiled_transpose) return true;
    return !Transposes(loop_a.is_tiled_transpose ? b : a);
  }

  bool Fits(uint32_t a, uint32_t b) const {
    const FusionGraph::Node &one = graph_.node(a), &other = graph_.node(b);
    const size_t outputs = one.outputs.size() + other.outputs.size();
    if (one.operands.size() + other.operands.size() + outputs <= kMaxOperandsAndOutputs)
      return true;
    return graph_.CountOperands(a, b) + outputs <= kMaxOperandsAndOutputs;
  }

  // Those with several results first, then fusions.
  int Rank(uint32_t kernel) const {
    return graph_.IsMultiOutput(kernel) ? 2 : graph_.node(kernel).is_fusion ? 1 : 0;
  }

  bool CanFuseSiblings(uint32_t a, uint32_t b, uint32_t parent, Ways* ways) {
    if (!graph_.node(a).is_fusion || Updates(a)) return false;
    if (graph_.node(b).is_fusion && Updates(b)) return false;
    if (JoinsEqualArrays(a) != JoinsEqualArrays(b)) return false;
    if (JoinsOtherArrays(a) || JoinsOtherArrays(b)) return false;
    return SameLoop(a, b) && Fits(a, b) && !ReadDifferentSlices(graph_, a, b, parent) &&
           !ways->Lead(a, b) && !ways->Lead(b, a);
  }

  void FuseUsersOf(uint32_t parent) {
    std::vector<uint32_t> users;
    for (const uint32_t user : graph_.node(parent).users) {
      if (!graph_.node(user).users.empty() && CanHaveOutputs(user)) users.push_back(user);
    }
    std::stable_sort(users.begin(), users.end(),
                     [&](uint32_t a, uint32_t b) { return Rank(a) > Rank(b); });
    if (users.size() < 2) return;
    Ways ways(graph_, users);
    for (size_t a = 0; a < users.size(); ++a) {
      for (size_t b = a + 1; b < users.size();) {
        if (!CanFuseSiblings(users[a], users[b], parent, &ways)) {
          ++b;
          continue;
        }
        FuseOutputs(users[a], users[b]);
        ways.Join(users[a], users[b]);
        users.erase(users.begin() + static_cast<ptrdiff_t>(b));
      }
    }
  }

  bool CanJoin(uint32_t kernel) {
    const FusionGraph::Node& node = graph_.node(kernel);
    if (node.is_gone || node.users.empty() || graph_.IsMultiOutput(kernel)) return false;
    if (node.is_triton || node.is_product) return false;
    if (node.users.size() == 1 && !graph_.IsMultiOutput(node.users[0])) return false;
    const OpFacts& result = graph_.Result(kernel);
    if (Updates(kernel) || result.opcode == Opcode::kScatter) return false;
    if (!node.is_fusion) {
      return result.is_fusible && result.opcode != Opcode::kTranspose &&
             result.opcode != Opcode::kCopy;
    }
    return !JoinsEqualArrays(kernel) && ReduceOf(kernel) == nullptr && !Transposes(kernel);
  }

  bool NeedsAnotherWay(uint32_t producer, uint32_t consumer) const {
    return absl::c_any_of(graph_.node(consumer).operands, [&](uint32_t operand) {
      return operand != producer && graph_.Reaches(producer, operand);
    });
  }

  bool IsSlower(uint32_t producer, uint32_t consumer) {
    if (graph_.IsMultiOutput(consumer)) return false;
    const KernelCost& from = graph_.CostOf(producer);
    const KernelCost& to = graph_.CostOf(consumer);
    return TicksFused(producer, from, to) + from.write_ticks >
           kKernelLaunchTicks + from.ticks + to.ticks;
  }

  void JoinUser(uint32_t producer) {
    if (!CanJoin(producer)) return;
    std::vector<uint32_t> candidates;
    for (const uint32_t user : graph_.node(producer).users) {
      if (CanHaveOutputs(user) && SameLoop(user, producer) && Fits(producer, user) &&
          !NeedsAnotherWay(producer, user) && !IsSlower(producer, user)) {
        candidates.push_back(user);
      }
    }
    if (candidates.empty()) return;
    const uint32_t best =
        *std::max_element(candidates.begin(), candidates.end(),
                          [&](uint32_t a, uint32_t b) { return Rank(a) < Rank(b); });
    FuseOutputs(best, producer);
  }

  FusionGraph& graph_;
  std::vector<std::optional<Hero>> heroes_;  // by kernel
};

}  // namespace

void FuseMultiOutput(FusionGraph& graph) { Fuser(graph).Run(); }

}  // namespace tessera::target
