#include "tessera/target/schedule/homes.h"

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/schedule/written_over.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

// Steps back, and nodes looked at for a dependence, before one gives up.
constexpr int kLongWay = 4096, kLongSearch = 256;

constexpr int64_t kTiled = 2;  // dimensions, the last ones

bool Updates(const Node& node) {
  return node.opcode == Opcode::kDynamicUpdateSlice ||
         (node.opcode == Opcode::kScatter && node.results.size() == 1);
}

class HomeFinder {
 public:
  HomeFinder(const Dataflow& flow, const KeptValues& kept)
      : flow_(flow), kept_(kept), readers_(flow), over_(flow, kept), place_(flow.nodes.size()) {
    homes_.is_free.resize(flow.values.size());
    for (ValueId v = 0; v < flow.values.size(); ++v) homes_.of.push_back(v);
    for (const ValueId v : flow.arguments) homes_.is_free[v] = true;
    FindSummed();
    for (const Scope& scope : flow.scopes) {
      for (size_t k = 0; k < scope.nodes.size(); ++k) place_[scope.nodes[k]] = static_cast<int>(k);
    }
  }

  Homes Run(absl::Span<const std::pair<int, int>> aliases) {
    std::vector<bool> is_aliased(flow_.scopes[0].roots.size());
    for (const auto& [result, argument] : aliases) {
      is_aliased[static_cast<size_t>(result)] = true;
      Place(flow_.scopes[0].roots[static_cast<size_t>(result)],
            flow_.arguments[static_cast<size_t>(argument)]);
    }
    for (size_t k = 0; k < is_aliased.size(); ++k) {
      if (!is_aliased[k]) Place(flow_.scopes[0].roots[k], kNone);
    }
    for (const Scope& scope : flow_.scopes) {
      for (const NodeId n : scope.nodes) {
        const Node& node = flow_.nodes[n];
        for (size_t leaf = 0; WorksInPlace(node) && leaf < node.results.size(); ++leaf) {
          ShareWithOperand(node, leaf);
        }
      }
    }
    return std::move(homes_);
  }

 private:
  // Of a result: in the argument, or, without one, in memory that is there for the whole program.
  void Place(ValueId result, ValueId argument) {
    way_.clear();
    steps_ = 0;
    const bool arrives = FollowBack(result, argument);
    // Loops on the way may read the argument still: only the last value is put there.
    if (!arrives && argument != kNone && way_.size() > 1) way_.erase(way_.begin(), way_.end() - 1);
    for (const ValueId v : way_) homes_.is_free[v] = true;
    if (!arrives && !way_.empty()) homes_.rooms.push_back({argument, way_});
  }

  // Whether the way from `v` ends at `goal`: an argument, or a parameter of a loop.
  bool FollowBack(ValueId v, ValueId goal) {
    while (v != goal) {
      const Node* node = flow_.NodeOf(v);
      if (node == nullptr || node->opcode == Opcode::kParameter || ++steps_ > kLongWay)
        return false;
      const uint32_t leaf = flow_.values[v].leaf;
      if (KindOf(node->opcode) == OpKind::kView && !kept_.is_kept[v]) {
        v = flow_.ViewedBy(v);
        continue;
      }
      way_.push_back(v);
      if (node->opcode == Opcode::kWhile) {
        const Scope& body = flow_.scopes[node->bodies[0]];
        if (IsWrittenOver(body, leaf) && ArrivesThrough(body, leaf, node->operands[leaf], goal))
          return true;
        if (is_summed_[body.parameters[leaf]] || is_summed_[body.roots[leaf]]) {
          way_.clear();  // the loop has a copy in the layout of the sum
          return false;
        }
        if (!FollowBack(body.roots[leaf], body.parameters[leaf])) return false;
        way_.push_back(body.parameters[leaf]);
        v = node->operands[leaf];
      } else if (WorksInPlace(*node)) {
        v = node->operands[leaf];
      } else {
        return false;
      }
    }
    return true;
  }

  // In the memory of an operand for each result: the first ones.
  bool WorksInPlace(const Node& node) const {
    return Updates(node) || (IsOfGpu() && node.opcode == Opcode::kAllReduce);
  }
  bool IsOfGpu() const { return !kept_.kernels.empty(); }

  // The new element over the old one. A product may want both in another layout.
  bool IsWrittenOver(const Scope& body, uint32_t leaf) const {
    const ValueId old = body.parameters[leaf], made = body.roots[leaf];
    return !is_multiplied_[old] && !is_multiplied_[made] && over_.Is(made, old);
  }

  bool ArrivesThrough(const Scope& body, uint32_t leaf, ValueId before, ValueId goal) {
    const size_t here = way_.size();
    way_.push_back(body.roots[leaf]);
    way_.push_back(body.parameters[leaf]);
    if (FollowBack(before, goal)) return true;
    way_.resize(here);
    return false;
  }

  // Of a TPU: what products and sums read, maybe through what they compute anew.
  void FindSummed() {
    is_summed_.resize(flow_.values.size());
    is_multiplied_.resize(flow_.values.size());
    if (IsOfGpu()) return;
    for (const Node& node : flow_.nodes) {
      if (!IsProduct(node.opcode) && !IsReduction(node.opcode)) continue;
      for (size_t k = 0; k < node.operands.size(); ++k) {
        const ValueId operand = node.operands[k];
        const bool is_laid_out = WantsOtherTiles(node, k);
        for (const ValueId v : kept_.sources[operand]) {
          if (IsProduct(node.opcode)) is_multiplied_[v] = true;
          if (!IsUpdatedPart(v) || !IsAsLarge(v, operand) || is_laid_out) MarkSummed(v);
        }
      }
    }
  }

  // In a loop in a loop, the outer one carries the whole array in the layout in which the inner one reads its parts.
  // That is another one for a sum, and for a dot with a batch dimension in the last two, those of tiles.
  bool WantsOtherTiles(const Node& node, size_t operand) const {
    if (!IsInLoopInLoop(node.scope) || node.instruction == hlo::kNoId) return false;
    if (node.opcode != Opcode::kDot) return IsReduction(node.opcode);
    const hlo::DotDimensions dims = hlo::GetDotDimensions(*flow_.module, node.instruction);
    const layout::Shape& shape = *flow_.values[node.operands[operand]].shape;
    return absl::c_any_of(operand == 0 ? dims.lhs_batch : dims.rhs_batch,
                          [&](int64_t d) { return IsTiled(shape, d); });
  }

  // One of the last two dimensions, but for those of size 1, which move for nothing.
  static bool IsTiled(const layout::Shape& shape, int64_t d) {
    int64_t after = 0;
    for (int64_t k = d + 1; k < shape.rank(); ++k) after += shape.dim(k) > 1 ? 1 : 0;
    return shape.dim(d) > 1 && after < kTiled;
  }

  bool IsInLoopInLoop(ScopeId scope) const {
    const ScopeId around = flow_.scopes[scope].parent;
    return around != kNone && around != 0 &&
           flow_.nodes[flow_.scopes[scope].owner].opcode == Opcode::kWhile &&
           flow_.nodes[flow_.scopes[around].owner].opcode == Opcode::kWhile;
  }

  // With what it is a part or an update of.
  void MarkSummed(ValueId v) {
    while (!is_summed_[v]) {
      is_summed_[v] = true;
      const Node* node = flow_.NodeOf(v);
      if (node == nullptr || !(Updates(*node) || node->opcode == Opcode::kDynamicSlice)) return;
      const auto& sources = kept_.sources[node->operands[0]];
      if (sources.size() != 1) return;
      v = sources[0];
    }
  }

  // A part of a larger array, with an update: where it is read whole, that part alone is copied.
  bool IsUpdatedPart(ValueId v) const {
    const Node* node = flow_.NodeOf(v);
    if (node == nullptr || !Updates(*node)) return false;
    const auto& sources = kept_.sources[node->operands[0]];
    if (sources.size() != 1) return false;
    if (!IsAsLarge(sources[0], v)) return true;
    const Node* old = flow_.NodeOf(sources[0]);
    return old != nullptr && old->opcode == Opcode::kDynamicSlice;
  }

  bool IsAsLarge(ValueId a, ValueId b) const {
    return flow_.values[a].shape->NumElements() == flow_.values[b].shape->NumElements();
  }

  void ShareWithOperand(const Node& node, size_t leaf) {
    const auto& sources = kept_.sources[node.operands[leaf]];
    const ValueId result = node.results[leaf];
    if (sources.size() != 1 || homes_.is_free[result]) return;
    const ValueId old = sources[0];
    if (flow_.values[old].scope != node.scope) return;
    if (!IsAsLarge(old, result)) return;
    const Node* maker = flow_.NodeOf(old);
    if (maker != nullptr && maker->opcode == Opcode::kParameter) return;
    if (IsNeededAfter(old, node, result)) return;
    homes_.of[result] = homes_.of[old];
  }

  // By a root, or by a node that depends on the update.
  bool IsNeededAfter(ValueId old, const Node& update, ValueId result) {
    const auto readers = readers_.Of(old);
    return absl::c_any_of(readers, [&](const Reader& r) {
      if (r.node == kNone) return true;
      const NodeId n = NodeIn(flow_, update.scope, r.node);
      const NodeId self = flow_.values[result].node;
      return n != self && place_[n] > place_[self] && DependsOn(n, self);
    });
  }

  // True too where the search is too long.
  bool DependsOn(NodeId node, NodeId on) const {
    std::vector<NodeId> work = {node};
    for (int seen = 0; !work.empty(); ++seen) {
      if (seen > kLongSearch) return true;
      const NodeId n = work.back();
      work.pop_back();
      if (n == on) return true;
      for (const ValueId v : flow_.nodes[n].operands) {
        const NodeId m = flow_.values[v].node;
        if (m != kNone && flow_.nodes[m].scope == flow_.nodes[on].scope && place_[m] >= place_[on])
          work.push_back(m);
      }
    }
    return false;
  }

  const Dataflow& flow_;
  const KeptValues& kept_;
  Readers readers_;
  const WrittenOver over_;
  std::vector<int> place_;           // by NodeId: in its scope
  std::vector<bool> is_summed_;      // by ValueId
  std::vector<bool> is_multiplied_;  // likewise, by products
  std::vector<ValueId> way_;
  int steps_ = 0;
  Homes homes_;
};

}  // namespace

Homes FindHomes(const Dataflow& flow, const KeptValues& kept,
                absl::Span<const std::pair<int, int>> aliases) {
  return HomeFinder(flow, kept).Run(aliases);
}

}  // namespace tessera::target
