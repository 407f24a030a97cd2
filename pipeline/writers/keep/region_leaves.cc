// Depth first from the result of a region, then from its other effects. An instruction and its node
// read the same values, leaf by leaf, so those that make the values belong together as well.
// Packing, copies and marks are skipped on both sides. The text may end at a leaf of the region's
// parameter. There the form ends at the element that the leaf became, or at a constant that moved
// into the region. Of several elements for one leaf (copies of a split constant) the first one
// found counts.
//
// The op of an inner region reads its captures, so inner regions come first.
//
// Cost: linear in the leaves that regions read. Tested by the pairs.

#include "tessera/pipeline/writers/keep/region_leaves.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/keep/form_view.h"
#include "tessera/pipeline/writers/keep/text_view.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloComputation;
using sharding::passes::HloForm;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;
using sharding::passes::kNoNode;
using sharding::passes::LeafMap;
using sharding::passes::NodeId;

// A leaf of a region's parameter was found to be an element, or a constant in the region.
struct Finding {
  size_t leaf = 0;
  int element = -1;
  HloShardingId moved = kNoHloSharding;
};
using Findings = std::vector<Finding>;

class RegionReader {
 public:
  RegionReader(const hlo::Module& module, const HloForm& form, int computation,
               const std::vector<Findings>& inner)
      : module_(module),
        form_(form),
        target_(form.computations[static_cast<size_t>(computation)]),
        view_(form, computation),
        text_view_(module, form, computation),
        inner_(inner) {}

  // In the order in which they were found, each once.
  Findings Run() {
    ReadResults();
    for (NodeId id = 0; id < target_.num_nodes(); ++id) {
      const HloNode node = Node(id);
      const bool counts = node.has_effect() && node.source() != hlo::kNoId;
      if (counts) Add({node.source(), {}}, id);
    }
    while (!todo_.empty()) {
      const Item item = todo_.back();
      todo_.pop_back();
      Visit(item);
    }
    return std::move(found_);
  }

 private:
  // A value of both sides: a node, or element `element` of one that is a tuple; without a node a
  // constant of an inner region.
  struct Item {
    TextValue text;
    NodeId node = kNoNode;
    int element = -1;
    HloShardingId moved = kNoHloSharding;
  };

  HloNode Node(NodeId id) const { return view_.Node(id); }

  void ReadResults() {
    const InstructionId root = module_.computation(target_.source).root;
    std::vector<NodeId> results;
    view_.AddResults(&results);
    const std::vector<layout::LeafPath> paths = layout::LeafPaths(module_.shape(root));
    const bool whole =
        results.size() == 1 && results[0] != kNoNode && Node(results[0]).shape().is_tuple();
    for (size_t i = 0; i < paths.size(); ++i) {
      if (whole) {
        AddElement({root, paths[i]}, results[0], static_cast<int>(i));
      } else if (i < results.size()) {
        Add({root, paths[i]}, results[i]);
      }
    }
  }

  void Add(TextValue text, NodeId node) {
    if (node != kNoNode) todo_.push_back({std::move(text), node});
  }
  // An element of a region's argument or result: a tuple that packs it, the value that has all
  // elements, or the only element.
  void AddElement(TextValue text, NodeId packed, int element) {
    const HloNode node = Node(packed);
    if (node.opcode() == Opcode::kTuple && node.role() == HloRole::kPacking) {
      const size_t i = static_cast<size_t>(element);
      return Add(std::move(text), i < node.operands().size() ? node.operands()[i] : kNoNode);
    }
    todo_.push_back({std::move(text), packed, node.shape().is_tuple() ? element : -1});
  }

  // --- what lies after

  NodeId SourceNode(NodeId id) const {
    while (true) {
      const HloNode node = Node(id);
      if (view_.MayLieBetween(id)) {
        id = view_.SourceOf(id);
      } else if (node.opcode() == Opcode::kReshape &&
                 HaveEqualDims(node.shape(), Node(node.operands()[0]).shape())) {
        id = node.operands()[0];
      } else if (node.opcode() == Opcode::kGetTupleElement &&
                 Node(node.operands()[0]).opcode() == Opcode::kTuple) {
        id = Node(node.operands()[0]).operands()[static_cast<size_t>(node.number())];
      } else {
        return id;
      }
    }
  }

  // --- the walk

  void Visit(const Item& item) {
    const TextValue text = text_view_.SourceOf(item.text);
    const NodeId node = item.node == kNoNode ? kNoNode : SourceNode(item.node);
    if (module_.instruction(text.id).opcode == Opcode::kParameter) return Note(text, node, item);
    if (node == kNoNode) return;
    const auto is_element = [&](NodeId id) {
      return Node(id).opcode() == Opcode::kGetTupleElement;
    };
    NodeId whole = node;
    while (is_element(whole)) whole = Node(whole).operands()[0];
    VisitPair(text, whole);
  }

  void Note(const TextValue& text, NodeId node, const Item& item) {
    Finding finding;
    finding.leaf = text_view_.LeafOf(text);
    if (node == kNoNode) {
      finding.moved = item.moved;
    } else if (node == 0) {
      finding.element = std::max(item.element, 0);
    } else if (Node(node).opcode() == Opcode::kGetTupleElement && Node(node).operands()[0] == 0) {
      finding.element = static_cast<int>(Node(node).number());
    } else {
      finding.moved = Node(node).sharding();
      if (Node(node).opcode() == Opcode::kParameter) return;
    }
    if (noted_.insert({finding.leaf, finding.element}).second) found_.push_back(finding);
  }

  void VisitPair(const TextValue& text, NodeId node) {
    const InstructionId id = text.id;
    const bool border = IsBoundary(CallKindOf(module_, id));
    const size_t number = border && !text.path.empty() ? static_cast<size_t>(text.path[0]) : 0;
    if (!visited_.insert({id, node}).second) return;
    const HloNode made = Node(node);
    if (border) {
      if (made.opcode() != Opcode::kCustomCall) return;
      return Add({module_.operands(id)[number], {}}, made.operands()[0]);
    }
    if (made.source() != id || made.opcode() == Opcode::kConstant) return;
    if (made.opcode() == Opcode::kWhile) return VisitLoop(id, made);
    if (made.opcode() == Opcode::kConditional) return VisitConditional(id, made);
    VisitOperands(id, made);
  }

  void VisitOperands(InstructionId id, const HloNode& made) {
    ReadLeaves(id);
    nodes_.clear();
    view_.AddOperands(made, leaves_.size(), &nodes_);
    size_t leaf = 0;
    for (const NodeId node : nodes_) {
      if (leaf >= leaves_.size()) return;
      if (node == kNoNode || !Node(node).shape().is_tuple()) {
        Add(std::move(leaves_[leaf++]), node == kNoNode ? kNoNode : SourcePart(id, node));
        continue;
      }
      // The tuple itself is handed on, as a barrier may do with the parameter of its region.
      const size_t count = layout::NumLeaves(Node(node).shape());
      for (size_t k = 0; k < count && leaf < leaves_.size(); ++k) {
        AddElement(std::move(leaves_[leaf++]), node, static_cast<int>(k));
      }
    }
  }

  // The leaves of all operands.
  void ReadLeaves(InstructionId id) {
    leaves_.clear();
    for (InstructionId operand : module_.operands(id)) {
      if (!module_.shape(operand).is_tuple()) {
        leaves_.push_back({operand, {}});
        continue;
      }
      for (layout::LeafPath& path : layout::LeafPaths(module_.shape(operand))) {
        leaves_.push_back({operand, std::move(path)});
      }
    }
  }

  // Of an instruction that is several nodes, the last of which is its counterpart.
  NodeId SourcePart(InstructionId id, NodeId node) const {
    while (Node(node).role() == HloRole::kPart && Node(node).source() == id &&
           !Node(node).operands().empty()) {
      node = Node(node).operands()[0];
    }
    return node;
  }

  void VisitLoop(InstructionId id, const HloNode& loop) {
    const NodeId packed = loop.operands()[0];
    const HloComputation& body = form_.computations[static_cast<size_t>(loop.called()[0])];
    const LeafMap& map = body.parameter_leaves[0];
    const InstructionId state = module_.operands(id)[0];
    const std::vector<layout::LeafPath> paths = layout::LeafPaths(module_.shape(state));
    for (size_t leaf = 0; leaf < map.size() && leaf < paths.size(); ++leaf) {
      if (map[leaf] < 0 || map[leaf] >= body.num_carried) continue;
      AddElement({state, paths[leaf]}, packed, map[leaf]);
    }
    AddCaptured(state, packed, loop.called()[0], body.num_carried);
    AddCaptured(state, packed, loop.called()[1], body.num_carried);
  }

  void VisitConditional(InstructionId id, const HloNode& made) {
    const auto operands = module_.operands(id);
    Add({operands[0], {}}, made.operands()[0]);
    for (size_t b = 0; b < made.called().size(); ++b) {
      AddCaptured(operands[b + 1], made.operands()[b + 1], made.called()[b], 0);
    }
  }

  // The region's findings on the leaves that it captures, the first one on top.
  void AddCaptured(InstructionId handed, NodeId packed, int region, int num_carried) {
    const std::vector<layout::LeafPath> paths = layout::LeafPaths(module_.shape(handed));
    const Findings& findings = inner_[static_cast<size_t>(region)];
    for (auto finding = findings.rbegin(); finding != findings.rend(); ++finding) {
      if (finding->leaf >= paths.size()) continue;
      if (finding->element < 0) {
        todo_.push_back({{handed, paths[finding->leaf]}, kNoNode, -1, finding->moved});
      } else if (finding->element >= num_carried) {
        AddElement({handed, paths[finding->leaf]}, packed, finding->element);
      }
    }
  }

  const hlo::Module& module_;
  const HloForm& form_;
  const HloComputation& target_;
  const FormView view_;
  TextView text_view_;
  const std::vector<Findings>& inner_;
  std::vector<Item> todo_;
  // For the current instruction.
  std::vector<TextValue> leaves_;
  std::vector<NodeId> nodes_;
  absl::flat_hash_set<std::pair<InstructionId, NodeId>> visited_;
  absl::flat_hash_set<std::pair<size_t, int>> noted_;
  Findings found_;
};

// The first finding counts; leaves that change are known already.
void Enter(const Findings& findings, HloComputation* region) {
  LeafMap& map = region->parameter_leaves[0];
  for (const Finding& finding : findings) {
    if (finding.leaf >= map.size()) continue;
    if (finding.element >= 0 && map[finding.leaf] < 0) map[finding.leaf] = finding.element;
  }
}

void EnterMoved(const Findings& findings, HloComputation* region) {
  region->moved_leaves.assign(region->parameter_leaves[0].size(), kNoHloSharding);
  for (const Finding& finding : findings) {
    const bool moved = finding.element < 0 && finding.leaf < region->moved_leaves.size();
    if (moved) region->moved_leaves[finding.leaf] = finding.moved;
  }
}

// Hands the findings on leaves to the regions that `node` calls. Both regions of a loop get the
// same.
void EnterRegions(const HloNode& node, const std::vector<Findings>& findings, HloForm* form) {
  const bool is_loop = node.opcode() == Opcode::kWhile;
  if (!is_loop && node.opcode() != Opcode::kConditional) return;
  for (int to : node.called()) {
    HloComputation& region = form->computations[static_cast<size_t>(to)];
    Enter(findings[static_cast<size_t>(is_loop ? node.called()[0] : to)], &region);
    if (is_loop) Enter(findings[static_cast<size_t>(node.called()[1])], &region);
  }
}

}  // namespace

void FindRegionLeaves(const hlo::Module& module, HloForm* form) {
  std::vector<Findings> findings(form->computations.size());
  // Regions come after the computations that they belong to.
  for (size_t i = form->computations.size(); i-- > 0;) {
    HloComputation& region = form->computations[i];
    for (NodeId id = 0; id < region.num_nodes(); ++id)
      EnterRegions(region.node(id), findings, form);
    if (!region.is_region || region.num_nodes() == 0 || !region.moved_leaves.empty()) continue;
    findings[i] = RegionReader(module, *form, static_cast<int>(i), findings).Run();
    EnterMoved(findings[i], &region);
  }
}

}  // namespace tessera::pipeline::writers
