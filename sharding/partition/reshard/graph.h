// The per-device dataflow graph: opcode, shard shape and operands of each instruction. Attributes are
// those of its recipe (recipe.h).
//
//   NodeId gathered = graph.AddCollective(Opcode::kAllGather, shape, {x}, form);
//   graph.operands(gathered);        // x
//
// The partitioner often makes collectives that nothing reads; such nodes cost little. Nodes are
// numbered in the order of creation, operands first. Equal array shapes are stored once. XLA:
// SpmdBuilder.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_GRAPH_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_GRAPH_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/partition/reshard/fingerprint_groups.h"
#include "tessera/sharding/partition/reshard/given_groups.h"
#include "tessera/sharding/partition/reshard/known_devices.h"
#include "tessera/sharding/partition/reshard/known_tilings.h"
#include "tessera/sharding/partition/reshard/pool.h"
#include "tessera/sharding/partition/reshard/recipe_store.h"
#include "tessera/sharding/partition/reshard/reshard_cache.h"
#include "tessera/sharding/partition/reshard/scope_numbers.h"
#include "tessera/sharding/partition/reshard/stable_list.h"
#include "tessera/sharding/partition/shared_list.h"
#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::partition {

using hlo::Opcode;
using layout::Shape;

// What a node that is a collective does.
struct CollectiveForm {
  GivenGroups::Groups groups;             // of all but permutes
  SharedList<KnownDevices::Pair> pairs;   // of permutes: source, target
  SharedList<int64_t> dimensions;         // gathered or split
  std::optional<Opcode> reduction;        // kAdd, kOr, or the root of the user's reducer
  bool reduces_as_written = false;        // with the reducer of the instruction that was visited
  bool rematerializes = false;            // replicates an array that is then sharded otherwise
  hlo::InstructionId given = hlo::kNoId;  // the user's own, copied
  int64_t trips = 0;  // stands in a loop that the partitioner makes, of so many trips; 0: in none
};

// What may still change of a node.
struct NodeMarks {
  uint32_t state = 0;             // what NodeFingerprints calls it without its memory; 0: unasked
  int32_t element = 0;            // of get-tuple-element; 1 for a constant other than 0
  bool unreduced = false;         // its sums stay open: no all-reduce after it
  bool is_v1 = false;             // its sharding was brought into tile form
  bool is_v1_by_operand = false;  // only because that of an operand was
  bool has_reshards = false;      // something is remembered of it
};

// There are as many of them as instructions.
struct Node : NodeMarks {
  Opcode opcode = Opcode::kTuple;
  const Shape* shape = nullptr;           // of Graph::Kept
  uint64_t same_dims = 0;                 // bit d: the data is the same along dimension d
  hlo::PoolRange operands;                // read them with Graph::operands
  hlo::InstructionId cause = hlo::kNoId;  // the instruction that was visited
  hlo::InstructionId named = hlo::kNoId;  // the one whose metadata it carries
  int32_t form = -1;                      // of a collective: index into Graph::forms
  int32_t site = -1;                      // of a loop, branch or call: index into Graph::sites
  int32_t body = 0;                       // the computation that it belongs to
  RecipeId recipe = Recipes::kUnknown;    // what the emitter writes down
};
static_assert(sizeof(Node) <= 64);

// A node that runs other computations.
struct CallSite {
  using Bodies = absl::InlinedVector<int32_t, 2>;
  hlo::InstructionId instruction = hlo::kNoId;
  Bodies bodies;  // of the partitioner's computations
};

// A shape that the graph keeps, and how many it kept before.
struct KeptShape : Shape {
  uint32_t number = 0;
};

class Graph {
 public:
  explicit Graph(const reference::Behaviors& behaviors, bool keeps_recipes = false,
                 const Options& options = {})
      : behaviors_(behaviors), options_(options), recipes_(keeps_recipes) {}
  const reference::Behaviors& behaviors() const { return behaviors_; }
  const Options& options() const { return options_; }

  // Room for the nodes of so many instructions.
  void Reserve(size_t instructions);

  // For opcodes without a function of their own below.
  NodeId Add(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
             RecipeId recipe) {
    return AddSame(opcode, Kept(shape), operands, 0, recipe);
  }
  NodeId Add(Opcode opcode, Shape&& shape, absl::Span<const NodeId> operands, RecipeId recipe) {
    return AddSame(opcode, Kept(std::move(shape)), operands, 0, recipe);
  }
  NodeId AddCollective(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
                       CollectiveForm form);
  // The next two of a shape that is kept.
  NodeId AddParameter(const Shape* kept) {
    return AddSame(Opcode::kParameter, kept, {}, 0, Recipes::kPlain);
  }
  NodeId AddCall(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                 CallSite site);
  // Where the operands of the next node may be written, before AddLike.
  NodeId* RoomForOperands(size_t count) { return operands_.Room(count); }
  // A node like `model`, which is no call, for the instruction that is visited, of the operands that
  // were written there.
  NodeId AddLike(const Node& model, size_t operands);
  // The same like a node of the graph, of as many operands, and with these marks.
  NodeId AddLike(NodeId model, const NodeMarks& marks);
  // Of these elements.
  NodeId AddTuple(absl::Span<const NodeId> elements);
  // The one copy of an array's shape; of a tuple, a copy, or itself.
  const Shape* Kept(const Shape& shape) {
    return shape.is_array() ? KeptArray(shape) : AddShape(shape);
  }
  const Shape* Kept(Shape&& shape) {
    return shape.is_array() ? KeptArray(shape) : AddShape(std::move(shape));
  }
  size_t num_shapes() const { return shapes_.size(); }
  // Of a shape that is kept: 0, 1, 2, ..
  static uint32_t NumberOf(const Shape* kept) {
    return static_cast<const KeptShape*>(kept)->number;
  }

  // --- Nodes of one opcode, with what is known of dimensions of equal data ----------------------
  NodeId Zero(const Shape& like);  // a scalar
  NodeId Zeros(const Shape& shape) { return Add(Opcode::kConstant, shape, {}, Recipes::kZero); }
  // A scalar that is not known to be zero: padding with it needs a mask.
  NodeId Scalar(layout::ElementType type, recipe::Fill::Number value);
  // `mapped`: the dimension of the result of each dimension of the operand.
  NodeId Broadcast(const Shape& shape, NodeId operand, Ints mapped);
  NodeId Elementwise(Opcode opcode, const Shape& shape, absl::Span<const NodeId> operands,
                     RecipeId recipe) {
    return Elementwise(opcode, Kept(shape), operands, recipe);
  }
  NodeId Elementwise(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                     RecipeId recipe);
  // A bit for each dimension along which data may be the same: none of a tuple.
  static uint64_t AllDimsOf(const Shape& shape);
  NodeId Copy(NodeId id) {
    return Elementwise(Opcode::kCopy, node(id).shape, {id}, Recipes::kPlain);
  }
  NodeId Reshape(const Shape& shape, NodeId operand);
  NodeId Transpose(const Shape& shape, NodeId operand, Ints order);
  NodeId Concatenate(const Shape& shape, absl::Span<const NodeId> operands, int64_t dim);
  NodeId Slice(const Shape& shape, NodeId operand, absl::Span<const hlo::SliceDimension> slice);
  // From `start` on along `dim`, from the beginning along the others; no strides.
  NodeId SliceFrom(const Shape& shape, NodeId operand, int64_t dim, int64_t start);
  NodeId SliceFirst(const Shape& shape, NodeId operand) { return SliceFrom(shape, operand, 0, 0); }
  // The recipe is a recipe::DynamicSlice, or kAsWritten with index operands after the first.
  NodeId DynamicSlice(const Shape& shape, absl::Span<const NodeId> operands, RecipeId recipe);
  // `untouched`: bit d, no padding along dimension d.
  NodeId Pad(const Shape& shape, NodeId operand, NodeId value, uint64_t untouched,
             absl::Span<const hlo::PaddingDimension> padding);
  // Padding at the high end.
  NodeId PadHigh(const Shape& shape, NodeId operand, NodeId value, uint64_t untouched);
  NodeId Element(NodeId tuple, int64_t index);

  Recipes& recipes() { return recipes_; }
  const Recipes& recipes() const { return recipes_; }
  template <typename Make>
  RecipeId Keep(const Make& make) {
    return recipes_.Keep(make);
  }

  const Node& node(NodeId id) const { return At(nodes_, id); }
  // Good until a node is added.
  absl::Span<const NodeId> operands(NodeId id) const {
    const hlo::PoolRange range = node(id).operands;
    return absl::MakeConstSpan(operands_.data() + range.begin, range.size);
  }
  const Shape& shape(NodeId id) const { return *node(id).shape; }
  int64_t size() const { return Size(nodes_); }
  const std::vector<CollectiveForm>& forms() const { return forms_; }
  // Says of all collectives since there were `first` that they rematerialize.
  void MarkRematerialization(size_t first) {
    for (size_t k = first; k < forms_.size(); ++k) forms_[k].rematerializes = true;
  }
  const CallSite& site(NodeId id) const { return At(sites_, node(id).site); }

  // Sets the visited instruction.
  void Visit(hlo::InstructionId id) { visited_ = id; }
  hlo::InstructionId visited() const { return visited_; }
  void MarkUnreduced(NodeId id) { Marked(id).unreduced = true; }
  // Whoever reads the node from now on finds a tiling in tile form.
  void MarkV1(NodeId id) {
    Node& node = Marked(id);
    node.is_v1 = true;
    node.is_v1_by_operand = false;
  }
  // The same, but an element-wise reader does not hand the form on to its result.
  void MarkV1ByOperand(NodeId id) {
    Node& node = Marked(id);
    node.is_v1 = node.is_v1_by_operand = true;
  }
  // A scalar constant other than zero: padding with it needs a mask.
  void MarkNonZero(NodeId id) { Marked(id).element = 1; }
  bool IsZero(NodeId id) const {
    return node(id).opcode == Opcode::kConstant && node(id).element == 0;
  }
  bool IsScalarBroadcast(NodeId id) const {
    return node(id).opcode == Opcode::kBroadcast && shape(operands(id)[0]).rank() == 0;
  }
  void SetState(NodeId id, uint32_t state) { At(nodes_, id).state = state; }
  GivenGroups& given_groups() { return given_groups_; }
  KnownDevices& known_devices() { return memory_->known_devices; }
  KnownTilings& known_tilings() { return memory_->known_tilings; }
  // Groups along dimensions (GroupOn), made once.
  const Grouping& GroupsOn(const Tiling& tiling, Ints dims, Ints keep = {});
  // Words of what depends on both.
  std::vector<uint64_t> KeyOf(const Tiling& tiling, const DeviceGroups& groups) {
    std::vector<uint64_t> key = {memory_->reshard_cache.NumberOf(tiling)};
    groups.AppendNumbers(&key);
    return key;
  }
  // The visited instruction has no answer: XLA crashes on it.
  void Fail(std::string why) { fault_ = std::move(why); }
  // The same for an input on which XLA crashes: "convolution: .."; `what` also names an
  // alternative.
  void FailAsItCrashes(absl::string_view what) {
    Fail(absl::StrCat("XLA's partitioner crashes on this ", what));
  }
  const std::string& fault() const { return fault_; }
  // Writes down which nodes are marked from now on; null: nothing.
  void ListMarked(std::vector<NodeId>* list) { marked_ = list; }
  // Marks a node as `model` is marked.
  void MarkLike(NodeId id, const NodeMarks& marks);
  FingerprintGroups& fingerprint_groups() { return memory_->fingerprint_groups; }
  const ReshardCache& reshard_cache() const { return memory_->reshard_cache; }
  ReshardCache& reshard_cache() { return memory_->reshard_cache; }
  void Remember(NodeId id, const ReshardCache::Entry& entry) {
    memory_->reshard_cache.Put(id, entry);
    At(nodes_, id).has_reshards = true;
  }
  ScopeNumbers& scope_numbers() { return memory_->scope_numbers; }
  // Once no node is added any more: what was remembered of reshards.
  void ForgetReshards() {
    memory_.reset();
    recipes_.ForgetKeys();
  }
  // The computation from now on partitioned; gives the one before.
  int32_t EnterBody(int32_t body) { return std::exchange(body_, body); }

  // Looks through get-tuple-elements of tuples.
  NodeId Resolved(NodeId id) const {
    return node(id).opcode == Opcode::kGetTupleElement ? SkipTuples(id) : id;
  }

 private:
  // What is remembered of reshards.
  struct Memory {
    KnownDevices known_devices;
    KnownTilings known_tilings;
    FingerprintGroups fingerprint_groups;
    ReshardCache reshard_cache;
    ScopeNumbers scope_numbers;
  };

  const Shape* KeptArray(const Shape& shape);
  const Shape* AddShape(Shape shape);
  NodeId AddSame(Opcode opcode, const Shape* kept, absl::Span<const NodeId> operands,
                 uint64_t same_dims, RecipeId recipe);
  // Of the operands that were written after those of the others.
  NodeId Append(const Node& model, size_t operands);
  // The node in the room for the next one.
  NodeId Finish(Node& node, size_t operands);
  void NameCollective(NodeId id);
  Node& Marked(NodeId id);
  NodeId SkipTuples(NodeId id) const;

  reference::Behaviors behaviors_;
  Options options_;
  // By a cheap hash; few shapes collide.
  absl::flat_hash_map<uint64_t, absl::InlinedVector<const Shape*, 1>> arrays_;
  StableList<KeptShape> shapes_;
  Pool<Node> nodes_;
  Pool<NodeId> operands_;  // of one node after the other
  GivenGroups given_groups_;
  std::vector<CollectiveForm> forms_;
  Recipes recipes_;
  // Sites stay where they are while others are added.
  std::deque<CallSite> sites_;
  std::optional<Memory> memory_{std::in_place};  // until reshards are forgotten
  std::vector<NodeId>* marked_ = nullptr;
  hlo::InstructionId visited_ = hlo::kNoId;
  int32_t body_ = 0;
  std::string fault_;
};

inline NodeId Graph::Append(const Node& model, size_t operands) {
  Node& node = *nodes_.Room(1);
  node = model;
  return Finish(node, operands);
}

inline NodeId Graph::Finish(Node& node, size_t operands) {
  node.operands = {static_cast<uint32_t>(operands_.size()), static_cast<uint32_t>(operands)};
  node.cause = node.named = visited_;
  node.body = body_;
  operands_.Add(operands);
  nodes_.Add(1);
  return static_cast<NodeId>(nodes_.size() - 1);
}

inline NodeId Graph::AddLike(const Node& model, size_t operands) {
  const bool is_collective = model.form >= 0;
  const NodeId id = Append(model, operands);
  if (is_collective) NameCollective(id);
  return id;
}

inline NodeId Graph::AddLike(NodeId model, const NodeMarks& marks) {
  Node& node = *nodes_.Room(1);
  node = this->node(model);
  static_cast<NodeMarks&>(node) = marks;
  const bool is_collective = node.form >= 0;
  const NodeId id = Finish(node, node.operands.size);
  if (is_collective) NameCollective(id);
  return id;
}

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_GRAPH_H_
