// Writes a plan from a graph; see export_plan.h. Internal to the package.
//
// A frame is one computation that is being written: the nodes that values of outside became in it,
// and the axes that the shard_maps around it are manual on. Value::number() is the node of a value
// where the value was made. The families of ops are in files
// of their own: in regions/ plan_loops.cc, plan_branches.cc, plan_calls.cc (and barriers), plan_manual.cc
// (shard_maps), plan_unreduced.cc, plan_feeds.cc, plan_parts.cc (constants and parts of
// instructions), plan_ordinary.cc (all others). plan_nodes.cc makes single nodes, plan_texts.cc their shardings.

#ifndef TESSERA_SHARDING_GRAPH_PLAN_PLAN_BUILDER_H_
#define TESSERA_SHARDING_GRAPH_PLAN_PLAN_BUILDER_H_

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/sharding_access.h"

namespace tessera::sharding::graph {

// What shard_maps around an instruction are manual on.
struct ManualContext {
  MeshId mesh = kNoMesh;
  std::vector<int> axes;  // outermost first

  friend bool operator<(const ManualContext& a, const ManualContext& b) {
    return std::tie(a.mesh, a.axes) < std::tie(b.mesh, b.axes);
  }
};

struct Frame {
  int computation = 0;
  ManualContext manual;
  // Of a region: the nodes of the values of outside that it captures. All other values that a frame
  // reads were made in it, and their nodes are their numbers.
  absl::flat_hash_map<const Value*, NodeId> captured;
};

class PlanBuilder {
 public:
  PlanBuilder(Graph& graph, const PlanOptions& options) : graph_(graph), options_(options) {}

  ExportPlan Build();

 private:
  friend class ConversionBody;

  // --- computations
  int NewComputation(std::string name, hlo::ComputationId source);
  PlanComputation& At(const Frame& frame) {
    return plan_.computations[static_cast<size_t>(frame.computation)];
  }
  PlanNode& NodeAt(const Frame& frame, NodeId id) {
    return At(frame).nodes[static_cast<size_t>(id)];
  }
  // Room for the nodes of a block.
  void Reserve(const Frame& frame, const Block* block);
  int FunctionComputation(Function* function);
  // A copy of a computation that is no region of the graph: a reducer, a fusion body.
  int VerbatimComputation(const Frame& frame, hlo::ComputationId source);
  void AddEntryParameters(Frame& frame, Function* function);
  void AddOps(Frame& frame, Block* block);
  void AddOp(Frame& frame, Op* op);
  // Says where the leaves of the source's parameters went, for blocks whose arguments they are.
  void SetParameterLeaves(PlanComputation& computation, const Block* block);
  // Makes the root from what the block returns; `wanted` are the shardings that results must have.
  void AddRoot(Frame& frame, const Block* block, const std::vector<PlanSharding>& wanted,
               const std::vector<NodeId>& more = {});
  void LayOutResults(Frame& frame, const Block* block, const std::vector<PlanSharding>& wanted,
                     std::vector<NodeId>* results);
  void CloseComputation(Frame& frame);

  // --- nodes
  NodeId Add(Frame& frame, const PlanNode& node);
  // An empty one, to be filled in place; the reference is good until the next one is added.
  PlanNode& AddNode(Frame& frame) { return At(frame).nodes.emplace_back(); }
  NodeId LastNode(const Frame& frame) { return static_cast<NodeId>(At(frame).nodes.size()) - 1; }
  NodeId AddParameter(Frame& frame, const layout::Shape* shape, PlanSharding sharding);
  NodeId AddTuple(Frame& frame, const std::vector<NodeId>& elements, PlanSharding sharding);
  NodeId AddElement(Frame& frame, NodeId tuple, int64_t index, PlanSharding sharding);
  NodeId AddCopy(Frame& frame, NodeId of, PlanSharding sharding, NodeRole role,
                 hlo::InstructionId source);
  // The node itself for one element, else a tuple of all.
  NodeId Pack(Frame& frame, const std::vector<NodeId>& elements,
              const std::vector<PlanSharding>& shardings);
  // Gives the results of `op` their nodes: `node` itself, or get-tuple-elements of it.
  void BindResults(Frame& frame, const Op* op, NodeId node,
                   const std::vector<PlanSharding>& shardings);
  // The value, made in the frame that is being written, is this node there.
  static void Bind(Value* value, NodeId node) { value->set_number(node); }
  NodeId NodeOf(const Frame& frame, const Value* value) const {
    if (!frame.captured.empty()) {
      const auto it = frame.captured.find(value);
      if (it != frame.captured.end()) return it->second;
    }
    return value->number();
  }
  std::vector<NodeId> NodesOf(const Frame& frame, const Op* op) const;

  // --- ops
  void AddOrdinary(Frame& frame, Op* op);
  // A node that has nothing but the operands of the op.
  NodeId AddWithOperands(Frame& frame, const Op* op);
  void FinishTuple(Frame& frame, const Op* op, NodeId id);
  PlanSharding GivenText(hlo::InstructionId source);
  void FinishInfeed(Frame& frame, const Op* op, NodeId id);
  void LayOutFed();
  void AddOutfeed(Frame& frame, Op* op);
  bool TakesTuples(const Op* op) const;
  std::vector<NodeId> PackedOperands(Frame& frame, const Op* op);
  bool ReturnsTuple(const Op* op) const;
  void LayOut(const Frame& frame, PlanNode* node);
  void AddConstant(Frame& frame, Op* op);
  // `text` is what the module says between the brackets of the constant.
  NodeId AddSplat(Frame& frame, PlanNode constant, absl::string_view text);
  void AddPart(Frame& frame, Op* op);
  void AddReshard(Frame& frame, Op* op);
  void AddWhile(Frame& frame, Op* op);
  struct LoopState;
  LoopState StateOf(const Frame& frame, const Op* op);
  int LoopRegion(Frame& frame, Block* block, const LoopState& state);
  static size_t LeavesOf(const hlo::Module& module, hlo::InstructionId id);
  void SetLoopLeaves(PlanComputation& region, const LoopState& state);
  // The one parameter of a region, a tuple of `elements` unless it is only one; gives the elements.
  // `shardings` are those of the parameter, `own` those of the elements as the region sees them.
  std::vector<NodeId> UnpackParameter(Frame& inner, std::vector<layout::Shape> elements,
                                      const std::vector<PlanSharding>& shardings,
                                      const std::vector<PlanSharding>& own);
  void AddConditional(Frame& frame, Op* op);
  // Appends what the branch is handed to `operands`; gives its computation.
  int AddBranch(Frame& frame, const Op* op, size_t branch, const std::vector<PlanSharding>& results,
                std::vector<NodeId>* operands);
  int BranchRegion(Frame& frame, Block* block, const std::vector<Value*>& captured,
                   const std::vector<PlanSharding>& results);
  void AddCall(Frame& frame, Op* op);
  void AddOptBarrier(Frame& frame, Op* op);
  void AddManual(Frame& frame, Op* op);
  int ManualBody(Op* op, const ManualContext& inside);
  // Which parameter of the body in the module an argument is: unused ones are gone.
  int64_t OriginalNumber(const Value* arg);
  NodeId IntoManual(Frame& frame, const Value* operand, const Value* arg,
                    const ManualContext& inside);
  // Of the results of a manual computation, as its body sees them.
  std::vector<PlanSharding> InnerShardings(const Op* op, const ManualContext& inside);
  void OutOfManual(Frame& frame, const Op* op, const std::vector<PlanSharding>& inner);
  void InlineManual(Frame& frame, Op* op);
  void AddConversion(Frame& frame, Op* op);
  // Manual on all axes of the mesh.
  ManualContext AllManual(const Frame& frame, MeshId mesh) const;
  struct Conversion;
  NodeId WriteConversion(Frame& frame, const Conversion& change);
  // The operand of a change, padded if need be; `sharding`: that of the padding.
  NodeId AddPadding(Frame& frame, const Conversion& change, PlanSharding sharding);
  NodeId AddConverted(Frame& frame, const Conversion& change, PlanNode converted);
  int ConversionComputation(const Conversion& change);
  int AddCombiner(const Frame& frame, hlo::Opcode opcode, layout::ElementType type);
  int64_t NextChannel();

  // --- shardings
  PlanSharding Text(const Frame& frame, ShardingId id, int rank) {
    return Text(frame.manual, id, rank);
  }
  PlanSharding Text(const Frame& frame, const Value* value) {
    return Text(frame.manual, value, value->sharding());
  }
  // What `value` shows inside of the shard_maps if it has sharding `id` there.
  PlanSharding Text(const ManualContext& manual, const Value* value, ShardingId id);
  PlanSharding Text(const ManualContext& manual, ShardingId id, int rank) {
    return manual.axes.empty() ? PlainText(id) : ManualText(manual, id, rank);
  }
  PlanSharding PlainText(ShardingId id);  // outside of shard_maps
  PlanSharding ManualText(const ManualContext& manual, ShardingId id, int rank);
  HloSharding ToHlo(const ManualContext& manual, const TensorSharding& s) const;
  // {replicated} with the mesh that says nothing, in named form.
  PlanSharding WithoutAxes();
  // Of all results, missing ones WithoutAxes().
  std::vector<PlanSharding> ControlShardings(const Frame& frame, const Op* op);
  std::vector<PlanSharding> ResultTexts(const Frame& frame, const Op* op);
  PlanSharding OneOrTuple(const std::vector<PlanSharding>& shardings, bool tuple);

  // The shape itself, or one that is laid out row-major.
  const layout::Shape* RowMajor(const layout::Shape* shape);
  // Of these elements; one that is there already if the last with as many is equal.
  const layout::Shape* KeepTuple(std::vector<layout::Shape> elements);
  const layout::Shape* TupleShape(const Frame& frame, const std::vector<NodeId>& elements);
  const layout::Shape* ShapeOf(const Frame& frame, NodeId id) { return NodeAt(frame, id).shape; }

  Graph& graph_;
  const PlanOptions options_;
  ExportPlan plan_;
  absl::flat_hash_map<const Function*, int> functions_;
  // The copies inside of these shard_maps, by computation of the module; -1: not made.
  std::map<ManualContext, std::vector<int>> verbatim_;
  // Of shardings outside of shard_maps, by id; and inside.
  std::vector<PlanSharding> plain_texts_;
  std::map<std::tuple<ManualContext, ShardingId, int>, PlanSharding> texts_;
  // Elements of infeeds, and the shapes that they have in the end.
  struct Fed {
    int computation;
    NodeId element;
    const layout::Shape* shape;
  };
  std::vector<Fed> fed_;
  // By number of elements, the tuple that was kept last. That of a large loop is made six times.
  absl::flat_hash_map<size_t, const layout::Shape*> last_tuples_;
  hlo::SideEffects effects_{graph_.module()};
  int64_t next_channel_ = 0;  // the last one in use; 0: not looked for yet
};

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_PLAN_PLAN_BUILDER_H_
