// What the pass leaves behind, in the shape of HLO: computations of instructions, not yet text.
//
//   ExportPlan plan = MakeExportPlan(graph, options);
//   for (const PlanNode& node : plan.computations[plan.entry].nodes) {
//     node.opcode;                          // hlo::Opcode::kCopy
//     node.source;                          // the instruction of the module that it stands for
//     plan.shardings.text(node.sharding);   // "{devices=[2,2]<=[4]}"
//   }
//
// The graph knows values, regions and captures; HLO knows tuples, parameters and called
// computations. The plan is the graph lowered to the form of HLO: loops carry a tuple of what
// changes and what they capture, a shard_map is conversions around a call, an op with several
// results is followed by get-tuple-elements. Both writers read it: `xla` prints it as a new module,
// `keep` looks up what became of each instruction of the module.
//
// Nodes of a computation are in an order in which operands come first. Node and computation ids are
// indices, dense from 0.

#ifndef TESSERA_SHARDING_GRAPH_EXPORT_PLAN_H_
#define TESSERA_SHARDING_GRAPH_EXPORT_PLAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/graph/arena.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/plan/plan_shardings.h"

namespace tessera::sharding::graph {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

// What a node is to the module that was read.
enum class NodeRole : uint8_t {
  kCounterpart,  // stands for `source`
  kPart,         // one of several that stand for `source`; the last of them is its counterpart
  kPacking,      // tuple, get-tuple-element or parameter that the form of HLO needs
  kReshard,      // inserted copy
  kConversion,   // inserted: part of a change of unreduced axes
  kBoundary,     // part of a shard_map's boundary
};

// Of a node that is not like its source.
struct PlanOwn {
  std::vector<std::pair<hlo::AttributeName, std::string>> attributes;
  std::string literal;  // of a constant
};

// A list that the plan keeps. One word: most nodes have one or two operands, and call nothing.
class KeptList {
 public:
  KeptList() = default;
  // `place` has room for the size and the elements.
  KeptList(absl::Span<int32_t> place, absl::Span<const int> elements) : size_(place.data()) {
    *size_ = static_cast<int32_t>(elements.size());
    std::copy(elements.begin(), elements.end(), begin());
  }

  size_t size() const { return size_ == nullptr ? 0 : static_cast<size_t>(*size_); }
  bool empty() const { return size() == 0; }
  int* begin() const { return size_ == nullptr ? nullptr : size_ + 1; }
  int* end() const { return begin() + size(); }
  int& operator[](size_t i) const { return begin()[i]; }

 private:
  int32_t* size_ = nullptr;  // the elements stand behind it
};

// Plain data of 48 bytes; its lists lie in the plan.
struct PlanNode {
  hlo::Opcode opcode = hlo::Opcode::kTuple;
  NodeRole role = NodeRole::kCounterpart;
  // Take over the attributes (but shardings) and the literal of `source`.
  bool like_source = false;
  bool has_effect = false;
  hlo::InstructionId source = hlo::kNoId;
  PlanSharding sharding = kNoPlanSharding;
  int32_t number = 0;                    // of a parameter; index of a get-tuple-element
  const layout::Shape* shape = nullptr;  // lives as long as the graph
  KeptList operands;
  KeptList called;  // computations
  const PlanOwn* own = nullptr;

  absl::Span<const std::pair<hlo::AttributeName, std::string>> attributes() const {
    return own == nullptr ? absl::Span<const std::pair<hlo::AttributeName, std::string>>()
                          : absl::MakeConstSpan(own->attributes);
  }
  absl::string_view literal() const {
    return own == nullptr ? absl::string_view() : absl::string_view(own->literal);
  }
};

// What each leaf of a parameter became: the number of a parameter (of a function or the body of a
// shard_map), or of an element of the one parameter (of a loop's or branch's region); -1 if it is
// gone. Of regions the plan knows only the elements that a loop changes; what became of leaves that
// are captured, FindRegionLeaves() of pipeline/writers finds out.
using LeafMap = std::vector<int>;

struct PlanComputation {
  std::string name;
  // The computation that this one is a copy of; kNoId for one that was added.
  hlo::ComputationId source = hlo::kNoId;
  // Nodes are not listed: all instructions of `source` as they are, each (but parameters) with the
  // sharding `mark` if that is one. Reducers, comparators, fusion bodies.
  bool verbatim = false;
  PlanSharding mark = kNoPlanSharding;
  bool has_effect = false;
  bool is_region = false;  // of a loop or a branch
  bool is_loop_body = false;
  std::vector<PlanNode> nodes;
  std::vector<NodeId> parameters;
  NodeId root = kNoNode;
  // For each parameter of `source`, in its terms.
  std::vector<LeafMap> parameter_leaves;
  // Regions of loops: this many elements of the parameter change, the others are captured.
  int num_carried = 0;
  // Regions, from FindRegionLeaves(): the sharding of a constant in the region that takes the place
  // of a leaf of the parameter.
  std::vector<PlanSharding> moved_leaves;
};

struct ExportPlan {
  // Copies for a node, valid while the plan lives.
  KeptList Keep(absl::Span<const int> list) {
    if (list.empty()) return {};
    return KeptList(lists.NewArray<int32_t>(list.size() + 1), list);
  }
  const PlanOwn* Keep(PlanOwn own) { return &owns.emplace_back(std::move(own)); }

  std::deque<PlanComputation> computations;  // stay where they are while more are made
  int entry = 0;
  PlanShardings shardings;
  bool tuple_args = false;
  int64_t num_partitions = 0;  // as in PlanOptions
  // Of a value without axes in a computation that is no block of the graph, where it is
  // constrained.
  PlanSharding without_axes = kNoPlanSharding;
  // Shardings of the entry's results, one for each leaf; empty if no result has one.
  std::vector<PlanSharding> results;
  // What nodes point to.
  Arena lists;
  std::deque<PlanOwn> owns;
};

struct PlanOptions {
  // Write mesh-and-axis shardings (V3) in place of tile assignments (V2).
  bool named = false;
  // The entry takes one tuple of all its parameters.
  bool tuple_args = false;
  // What the header has to say of it; 0: leave it as it is.
  int64_t num_partitions = 0;
};

// The graph must have passed the export (export.h), and constants must have been sunk into the
// regions that capture them (sink_constants.h). What packing leaves over, plan_simplify.h takes
// out.
ExportPlan MakeExportPlan(Graph& graph, const PlanOptions& options);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_EXPORT_PLAN_H_
