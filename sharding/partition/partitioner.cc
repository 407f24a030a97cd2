// Computation by computation, operands first. Every instruction gets one node; loops, branches and
// calls partition what they call when they are reached, once for equal shardings of the arguments.
// What of it is the answer, report.cc says.

#include "tessera/sharding/partition/partitioner.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/sharding/partition/bodies.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/ops/manual_code.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/repeats/repeats.h"
#include "tessera/sharding/partition/repeats/shard_by_shard.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/tuple_leaves.h"
#include "tessera/sharding/partition/values.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// An instruction that is visited, and what its operands are.
struct Visited {
  hlo::InstructionId id = hlo::kNoId;
  LeafLists::Id leaves = LeafLists::kEmpty;
  absl::Span<const hlo::InstructionId> operand_ids;
  absl::InlinedVector<Held, 4> operands;
};

class Partitioner {
 public:
  Partitioner(const hlo::Module& module, Input input, LeafLists& lists, TupleLeaves& tuple_leaves,
              const reference::Behaviors& behaviors, Visits visits)
      : module_(module),
        view_(module),
        walk_(module),
        input_(std::move(input)),
        lists_(lists),
        tuple_leaves_(tuple_leaves),
        graph_(behaviors),
        values_(graph_, lists, module.num_instructions()),
        repeats_(graph_, input_.kinds().size()),
        shards_(module, input_, lists, graph_, repeats_.states(), values_),
        visits_(visits),
        bodies_(lists) {
    graph_.Reserve(module.num_instructions());
  }

  absl::StatusOr<Partitioned> Run() {
    const hlo::ComputationId entry = module_.entry_id();
    Wish wish = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
    for (hlo::InstructionId id : module_.entry().parameters) {
      wish.parameters.push_back(input_.leaves(id));
    }
    TESSERA_RETURN_IF_ERROR(MakeBody(wish, hlo::kNoId, -1).status());
    return Report(module_, graph_, LiveCollectives(bodies_.nodes(), graph_), bodies_.Release());
  }

 private:
  // Where one is: a body, and what was wished of it.
  struct Frame {
    int32_t body = 0;
    Scope* scope = nullptr;  // all devices, in the body
    const Wish::Parameters& parameters;
    // That of a loop is whole on every device, whatever it says.
    hlo::InstructionId predicate = hlo::kNoId;
    LeafLists::Id predicate_leaves = LeafLists::kEmpty;
  };

  absl::StatusOr<int32_t> MakeBody(const Wish& wish, hlo::InstructionId caller, int32_t parent) {
    if (const auto known = bodies_.Find(wish)) return *known;
    const int32_t body = bodies_.Add(wish, caller, parent);
    const int32_t outer = graph_.EnterBody(body);
    const hlo::InstructionId visited = graph_.visited();
    scopes_.push_back(std::make_unique<Scope>(graph_, module_.header().num_partitions));
    Frame frame = {body, scopes_.back().get(), wish.parameters};
    if (wish.role == Body::Role::kCondition) {
      SetPredicate(module_.computation(wish.computation).root, frame);
    }
    const std::vector<hlo::InstructionId> order = walk_.Of(wish.computation);
    for (hlo::InstructionId id : order) {
      if (DoesAgain(frame, id) || input_.IsDropped(id)) continue;
      const absl::Status status = VisitOne(frame, id);
      if (!status.ok()) return AtInstruction(status, id);
    }
    FinishBody(frame, wish);
    graph_.EnterBody(outer);
    graph_.Visit(visited);
    return body;
  }

  bool MayRepeat(hlo::InstructionId id) const {
    return visits_ == Visits::kRepeated && input_.kinds()[input_.kind(id)].may_repeat &&
           input_.IsOrdinary(id);
  }

  // The ways without a visit, which almost all of a network goes.
  bool DoesAgain(const Frame& frame, hlo::InstructionId id) {
    if (!MayRepeat(id)) return false;
    const Kinds::Id number = input_.kind(id);
    const Kinds::Kind& kind = input_.kinds()[number];
    graph_.Visit(id);
    if (kind.is_by_shard && id != frame.predicate && shards_.Handles(id, number)) return true;
    const LeafLists::Id leaves = LeavesOf(frame, id);
    const NodeId node =
        repeats_.Again({number, leaves, module_.operands(id), frame.scope}, values_);
    if (node == Repeats::kNone) return false;
    values_.Set(id, {node, leaves, kind.shape, kind.opcode == Opcode::kConstant});
    return true;
  }

  void FinishBody(const Frame& frame, const Wish& wish) {
    graph_.Visit(hlo::kNoId);
    const hlo::InstructionId root = module_.computation(wish.computation).root;
    const Held value = values_.Of(root);
    bodies_.SetRoot(frame.body, ReshardLeaves(PlacedOf(frame, root, value),
                                              lists_[wish.root.value_or(value.leaves)]));
  }

  absl::Status AtInstruction(const absl::Status& status, hlo::InstructionId id) const {
    if (text::ErrorOffset(status) != 0) return status;
    const absl::Status placed =
        text::ErrorAt(module_.instruction(id).source.begin, status.message());
    if (!absl::IsUnimplemented(status)) return placed;
    absl::Status out(absl::StatusCode::kUnimplemented, placed.message());
    placed.ForEachPayload(
        [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
    return out;
  }

  Placed PlacedOf(const Frame& frame, hlo::InstructionId id, const Held& value) const {
    return {value.node, &module_.shape(id), lists_[value.leaves], frame.scope};
  }

  void SetPredicate(hlo::InstructionId id, Frame& frame) {
    Leaves leaves = lists_[input_.leaves(id)];
    for (Tiling& leaf : leaves) leaf = ReplicateData(leaf);
    frame.predicate = id;
    frame.predicate_leaves = lists_.Add(std::move(leaves));
  }

  LeafLists::Id LeavesOf(const Frame& frame, hlo::InstructionId id) const {
    if (input_.kinds()[input_.kind(id)].opcode == Opcode::kParameter) {
      return At(frame.parameters, module_.instruction(id).parameter_number);
    }
    return id == frame.predicate ? frame.predicate_leaves : input_.leaves(id);
  }

  absl::Status VisitOne(const Frame& frame, hlo::InstructionId id) {
    graph_.Visit(input_.cause(id));
    const hlo::Instruction& instruction = module_.instruction(id);
    Visited visited = {id, LeavesOf(frame, id), input_.operands(id), {}};
    for (hlo::InstructionId operand : visited.operand_ids) {
      visited.operands.push_back(values_.Of(operand));
    }
    TESSERA_ASSIGN_OR_RETURN(const NodeId node, Partition(frame, visited));
    values_.Set(id,
                {node, visited.leaves, instruction.shape, instruction.opcode == Opcode::kConstant});
    if (input_.HasSideEffect(id)) bodies_.Keep(frame.body, node);
    return absl::OkStatus();
  }

  absl::StatusOr<NodeId> Partition(const Frame& frame, const Visited& visited) {
    const Opcode opcode = module_.instruction(visited.id).opcode;
    if (opcode == Opcode::kGetTupleElement) {
      return Element(frame, visited);
    }
    if (opcode == Opcode::kTuple && visits_ == Visits::kRepeated) {
      if (const auto node = Tuple(visited)) return *node;
    }
    if (!MayRepeat(visited.id)) return PartitionAfresh(frame, visited);
    repeats_.Watch();
    TESSERA_ASSIGN_OR_RETURN(const NodeId node, PartitionAfresh(frame, visited));
    repeats_.Keep(node);
    return node;
  }

  // The leaves of one element.
  absl::Span<const Tiling> LeavesOfElement(hlo::ShapeId tuple, LeafLists::Id leaves,
                                           int64_t index) {
    const std::vector<int64_t>& begin = tuple_leaves_.Of(tuple);
    const auto first = static_cast<size_t>(At(begin, index));
    const auto count = static_cast<size_t>(At(begin, index + 1)) - first;
    return absl::MakeConstSpan(lists_[leaves]).subspan(first, count);
  }

  // Of elements that lie as they shall; else nothing. Visits of tuples would copy all leaves.
  std::optional<NodeId> Tuple(const Visited& visited) {
    if (lists_.FirstHasManual(visited.leaves)) return std::nullopt;
    const hlo::ShapeId shape = module_.shape_id(visited.id);
    std::vector<NodeId> elements;
    for (const Held& held : visited.operands) {
      const auto leaves = LeavesOfElement(shape, visited.leaves, Size(elements));
      if (!leaves.empty() && leaves != absl::MakeConstSpan(lists_[held.leaves])) {
        return std::nullopt;
      }
      elements.push_back(held.node);
    }
    return graph_.AddTuple(elements);
  }

  // Of the tuple only the leaves of the element are looked at: whole ones would be copied once an
  // element.
  absl::StatusOr<NodeId> Element(const Frame& frame, const Visited& visited) {
    const Held& value = visited.operands[0];
    const int64_t index = hlo::GetTupleIndex(module_, visited.id);
    const auto leaves = LeavesOfElement(value.shape, value.leaves, index);
    if (leaves == absl::MakeConstSpan(lists_[visited.leaves])) {
      return graph_.Element(value.node, index);
    }
    Visit v = VisitOf(frame, visited);
    v.operands.push_back({value.node,
                          &module_.interned_shape(value.shape),
                          {leaves.begin(), leaves.end()},
                          frame.scope});
    if (leaves.empty()) v.operands[0].leaves.emplace_back();
    return PartitionVisit(frame, visited, v);
  }

  absl::StatusOr<NodeId> PartitionAfresh(const Frame& frame, const Visited& visited) {
    Visit v = VisitOf(frame, visited);
    v.operands.reserve(visited.operands.size());
    for (size_t i = 0; i < visited.operands.size(); ++i) {
      v.operands.push_back(PlacedOf(frame, visited.operand_ids[i], visited.operands[i]));
    }
    return PartitionVisit(frame, visited, v);
  }

  Visit VisitOf(const Frame& frame, const Visited& visited) const {
    Visit v;
    v.view = &view_;
    v.id = visited.id;
    v.base = &module_.shape(visited.id);
    v.leaves = lists_[visited.leaves];
    v.scope = frame.scope;
    v.unreduced = input_.IsUnreduced(visited.id);
    return v;
  }

  absl::StatusOr<NodeId> PartitionVisit(const Frame& frame, const Visited& visited, Visit& v) {
    TESSERA_RETURN_IF_ERROR(EnterManualCode(v));
    TESSERA_ASSIGN_OR_RETURN(const NodeId node, Dispatch(frame, visited, v));
    if (!graph_.fault().empty()) return absl::InvalidArgumentError(graph_.fault());
    return node;
  }

  absl::StatusOr<NodeId> Dispatch(const Frame& frame, const Visited& visited, Visit& v) {
    switch (v.opcode()) {
      case Opcode::kParameter:
        return graph_.AddParameter(ShardOf(visited, v));
      case Opcode::kWhile:
        return PartitionWhile(frame, visited, v);
      case Opcode::kConditional:
        return PartitionConditional(frame, visited, v);
      case Opcode::kCall:
        return PartitionCall(frame, visited, v);
      default:
        if (input_.HasSideEffect(v.id) && !SeesManual(v.opcode()) && !v.OnOneDevice() &&
            v.opcode() != Opcode::kRngGetAndUpdateState) {
          return absl::InvalidArgumentError(
              "an operation with a side effect must be on a single device or in manual code");
        }
        return input_.Run(v, HandlerOf(v.opcode()));
    }
  }

  // Of an opcode that sees manual code as it stands. A loop, its condition and its body have the same
  // wide tuple.
  const Shape* ShardOf(const Visited& visited, const Visit& v) {
    const Shape*& known = shards_of_[Pair(module_.shape_id(visited.id), visited.leaves)];
    if (known == nullptr) known = graph_.Kept(v.shard_shape());
    return known;
  }

  // A node for the call; it stays if something inside has a side effect.
  NodeId CallNode(const Frame& frame, const Visited& visited, Visit& v,
                  absl::Span<const NodeId> operands, CallSite::Bodies bodies) {
    bool keep = false;
    for (int32_t body : bodies) keep |= bodies_.HasEffect(body);
    const NodeId node =
        graph_.AddCall(v.opcode(), ShardOf(visited, v), operands, {v.id, std::move(bodies)});
    if (keep) bodies_.Keep(frame.body, node);
    return node;
  }

  absl::StatusOr<NodeId> PartitionWhile(const Frame& frame, const Visited& visited, Visit& v) {
    const auto called = module_.called(v.id);  // body, condition
    TESSERA_ASSIGN_OR_RETURN(
        const int32_t condition,
        MakeBody({Body::Role::kCondition, called[1], {visited.leaves}, std::nullopt}, v.id,
                 frame.body));
    TESSERA_ASSIGN_OR_RETURN(
        const int32_t body,
        MakeBody({Body::Role::kLoop, called[0], {visited.leaves}, visited.leaves}, v.id,
                 frame.body));
    const NodeId operand = ReshardLeaves(v.operands[0], v.leaves);
    return CallNode(frame, visited, v, {operand}, {condition, body});
  }

  // All partitions must take the same branch.
  static NodeId ReplicatedPredicate(const Value& predicate) {
    if (predicate.tiling.IsManual()) return predicate.node;
    if (!predicate.tiling.HasManual()) return Replicate(predicate).node;
    Grouping groups = GroupOnManual(predicate.tiling);
    groups.inner = Tiling::Replicated();
    return Reshard(predicate, Ungroup(groups)).node;
  }

  absl::StatusOr<NodeId> PartitionConditional(const Frame& frame, const Visited& visited,
                                              Visit& v) {
    CallSite::Bodies bodies;
    absl::InlinedVector<NodeId, 4> operands;
    const auto called = module_.called(v.id);
    for (size_t i = 0; i < called.size(); ++i) {
      const Held& argument = visited.operands[i + 1];
      TESSERA_ASSIGN_OR_RETURN(
          const int32_t body,
          MakeBody({Body::Role::kBranch, called[i], {argument.leaves}, visited.leaves}, v.id,
                   frame.body));
      bodies.push_back(body);
      operands.push_back(argument.node);
    }
    operands.push_back(ReplicatedPredicate(v.operand(0)));
    return CallNode(frame, visited, v, operands, std::move(bodies));
  }

  absl::StatusOr<NodeId> PartitionCall(const Frame& frame, const Visited& visited, Visit& v) {
    Wish wish = {Body::Role::kCall, module_.called(v.id)[0], {}, visited.leaves};
    std::vector<NodeId> operands;
    for (const Held& operand : visited.operands) {
      wish.parameters.push_back(operand.leaves);
      operands.push_back(operand.node);
    }
    TESSERA_ASSIGN_OR_RETURN(const int32_t body, MakeBody(wish, v.id, frame.body));
    return CallNode(frame, visited, v, operands, {body});
  }

  const hlo::Module& module_;
  ModuleView view_;
  hlo::PostOrderWalk walk_;
  const Input input_;
  LeafLists& lists_;
  TupleLeaves& tuple_leaves_;
  Graph graph_;
  Values values_;
  Repeats repeats_;
  ShardByShard shards_;
  const Visits visits_;
  Bodies bodies_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  // By shape and leaves.
  absl::flat_hash_map<uint64_t, const Shape*> shards_of_;
};

}  // namespace

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors, Visits visits) {
  LeafLists lists;
  TupleLeaves tuple_leaves(module);
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(module, behaviors, lists, tuple_leaves));
  return Partitioner(module, std::move(input), lists, tuple_leaves, behaviors, visits).Run();
}

}  // namespace tessera::sharding::partition
