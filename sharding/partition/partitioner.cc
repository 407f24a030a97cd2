// Computation by computation, operands first. Every instruction gets one node; loops, branches and
// calls partition what they call when they are reached, once for equal shardings of the arguments.
// What of it is the answer, report.cc says.

#include "tessera/sharding/partition/partitioner.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/sharding/partition/ops/manual_code.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/repeats.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/shard_by_shard.h"
#include "tessera/sharding/partition/values.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

// What a call wants of a computation.
struct Wish {
  Body::Role role;
  hlo::ComputationId computation;
  std::vector<LeafLists::Id> parameters;
  std::optional<LeafLists::Id> root;  // nothing: as written, its data replicated
};

// A body, and what was wished of it.
struct Finished {
  Wish wish;
  BodyNodes nodes;
};

class Partitioner {
 public:
  Partitioner(const hlo::Module& module, Input input, LeafLists& lists,
              const reference::Behaviors& behaviors, Visits visits)
      : module_(module),
        view_(module),
        walk_(module),
        input_(std::move(input)),
        lists_(lists),
        graph_(behaviors),
        values_(graph_, lists, module.num_instructions()),
        repeats_(graph_, input_.kinds().size()),
        shards_(module, input_, lists, graph_, repeats_.states(), values_),
        visits_(visits) {
    graph_.Reserve(module.num_instructions());
  }

  absl::StatusOr<Partitioned> Run() {
    const hlo::ComputationId entry = module_.entry_id();
    Wish wish = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
    for (hlo::InstructionId id : module_.entry().parameters) {
      wish.parameters.push_back(input_.leaves(id));
    }
    TESSERA_RETURN_IF_ERROR(MakeBody(std::move(wish), hlo::kNoId, -1).status());
    std::vector<BodyNodes> nodes;
    for (Finished& body : finished_) nodes.push_back(std::move(body.nodes));
    return Report(module_, graph_, LiveCollectives(nodes, graph_), std::move(bodies_));
  }

 private:
  struct Frame {
    int32_t body = 0;
    Scope* scope = nullptr;
  };

  absl::StatusOr<int32_t> MakeBody(Wish wish, hlo::InstructionId caller, int32_t parent) {
    std::vector<int32_t>& known = bodies_of_[wish.computation];
    for (int32_t i : known) {
      const Wish& old = At(finished_, i).wish;
      if (old.role == wish.role && SameParameters(old, wish) && caller != hlo::kNoId) return i;
    }
    const int32_t body = static_cast<int32_t>(bodies_.size());
    known.push_back(body);
    bodies_.push_back({wish.role, wish.computation, caller, parent, 0});
    finished_.emplace_back();
    At(finished_, body).wish = wish;
    const int32_t outer = graph_.EnterBody(body);
    const hlo::InstructionId visited = graph_.visited();
    scopes_.push_back(std::make_unique<Scope>(graph_, module_.header().num_partitions));
    const Frame frame = {body, scopes_.back().get()};
    const std::vector<hlo::InstructionId> order = walk_.Of(wish.computation);
    Visited one;
    one.scope = frame.scope;
    const hlo::InstructionId predicate = PredicateOf(wish);
    for (hlo::InstructionId id : order) {
      if (visits_ == Visits::kRepeated && id != predicate && IsShort(id)) continue;
      if (input_.IsDropped(id)) continue;
      const absl::Status status = VisitOne(frame, wish, id, one);
      if (!status.ok()) return AtInstruction(status, id);
    }
    FinishBody(frame, wish);
    graph_.EnterBody(outer);
    graph_.Visit(visited);
    return body;
  }

  // The two shortest ways, which half of a network and most of the rest go; it lies as it says.
  bool IsShort(hlo::InstructionId id) {
    const Kinds::Id number = input_.kind(id);
    const Kinds::Kind& kind = input_.kinds()[number];
    const Opcode opcode = kind.opcode;
    if (!kind.may_repeat || opcode == Opcode::kParameter || !input_.IsOrdinary(id)) return false;
    graph_.Visit(id);
    if (kind.is_element_wise) return shards_.Handles(id, number);
    const LeafLists::Id leaves = input_.leaves(id);
    const auto node = repeats_.Directly(number, leaves, module_.operands(id), values_);
    if (!node.has_value()) return false;
    values_.Set(id, {*node, leaves, kind.shape, opcode == Opcode::kConstant});
    return true;
  }

  bool SameParameters(const Wish& a, const Wish& b) const {
    return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                      b.parameters.end(),
                      [this](LeafLists::Id x, LeafLists::Id y) { return lists_.Equal(x, y); });
  }

  void FinishBody(const Frame& frame, const Wish& wish) {
    graph_.Visit(hlo::kNoId);
    const hlo::InstructionId root = module_.computation(wish.computation).root;
    const Held value = values_.Of(root);
    At(finished_, frame.body).nodes.root =
        ReshardLeaves(PlacedOf(frame, root, value), lists_[wish.root.value_or(value.leaves)]);
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

  // Where the leaves of each element of a tuple begin, the end of the last one included.
  const std::vector<int64_t>& FirstLeaves(hlo::InstructionId tuple) {
    std::vector<int64_t>& begin = first_leaves_[tuple];
    if (begin.empty()) begin = LeafOffsets(module_.shape(tuple));
    return begin;
  }

  // The leaves of one element of a tuple.
  absl::Span<const Tiling> ElementLeaves(hlo::InstructionId tuple, const Held& value,
                                         int64_t index) {
    const std::vector<int64_t>& begin = FirstLeaves(tuple);
    const auto first = static_cast<size_t>(At(begin, index));
    const auto count = static_cast<size_t>(At(begin, index + 1)) - first;
    return absl::MakeConstSpan(lists_[value.leaves]).subspan(first, count);
  }

  // Of a loop; it lies otherwise than it says.
  hlo::InstructionId PredicateOf(const Wish& wish) const {
    return wish.role == Body::Role::kCondition ? module_.computation(wish.computation).root
                                               : hlo::kNoId;
  }

  // A parameter lies as was wished, the predicate of a loop whole on every device.
  LeafLists::Id LeavesOf(const Wish& wish, hlo::InstructionId id) {
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) {
      return At(wish.parameters, instruction.parameter_number);
    }
    if (id != PredicateOf(wish)) return input_.leaves(id);
    Leaves leaves = lists_[input_.leaves(id)];
    for (Tiling& leaf : leaves) leaf = ReplicateData(leaf);
    return lists_.Add(std::move(leaves));
  }

  // `visited` is put together anew: one for all instructions of a body.
  absl::Status VisitOne(const Frame& frame, const Wish& wish, hlo::InstructionId id,
                        Visited& visited) {
    graph_.Visit(input_.cause(id));
    const hlo::Instruction& instruction = module_.instruction(id);
    visited.id = id;
    visited.leaves = LeavesOf(wish, id);
    visited.kind = input_.kind(id);
    visited.unreduced = input_.IsUnreduced(id);
    visited.operand_ids = input_.operands(id);
    visited.operands.clear();
    for (hlo::InstructionId operand : visited.operand_ids) {
      visited.operands.push_back(values_.Of(operand));
    }
    std::optional<NodeId> node = MayRepeat(visited) ? repeats_.Again(visited) : std::nullopt;
    if (!node.has_value()) {
      TESSERA_ASSIGN_OR_RETURN(node, Partition(frame, visited));
    }
    values_.Set(
        id, {*node, visited.leaves, instruction.shape, instruction.opcode == Opcode::kConstant});
    if (input_.HasSideEffect(id)) At(finished_, frame.body).nodes.kept.push_back(*node);
    return absl::OkStatus();
  }

  bool MayRepeat(const Visited& visited) const {
    return visits_ == Visits::kRepeated && input_.kinds()[visited.kind].may_repeat &&
           input_.IsOrdinary(visited.id);
  }

  absl::StatusOr<NodeId> Partition(const Frame& frame, const Visited& visited) {
    if (module_.instruction(visited.id).opcode == Opcode::kGetTupleElement) {
      return Element(frame, visited);
    }
    if (!MayRepeat(visited)) return PartitionAfresh(frame, visited);
    repeats_.Watch();
    TESSERA_ASSIGN_OR_RETURN(const NodeId node, PartitionAfresh(frame, visited));
    repeats_.Keep(node);
    return node;
  }

  // Of the tuple only the leaves of the element are looked at: whole ones would be copied once an
  // element.
  absl::StatusOr<NodeId> Element(const Frame& frame, const Visited& visited) {
    const hlo::InstructionId tuple = visited.operand_ids[0];
    const Held& value = visited.operands[0];
    const int64_t index = hlo::GetTupleIndex(module_, visited.id);
    const auto leaves = ElementLeaves(tuple, value, index);
    if (leaves == absl::MakeConstSpan(lists_[visited.leaves])) {
      return graph_.Element(value.node, index);
    }
    Visit v = VisitOf(visited);
    v.operands.push_back(
        {value.node, &module_.shape(tuple), {leaves.begin(), leaves.end()}, frame.scope});
    if (leaves.empty()) v.operands[0].leaves.emplace_back();
    return PartitionVisit(frame, visited, v);
  }

  absl::StatusOr<NodeId> PartitionAfresh(const Frame& frame, const Visited& visited) {
    Visit v = VisitOf(visited);
    v.operands.reserve(visited.operands.size());
    for (size_t i = 0; i < visited.operands.size(); ++i) {
      v.operands.push_back(PlacedOf(frame, visited.operand_ids[i], visited.operands[i]));
    }
    return PartitionVisit(frame, visited, v);
  }

  Visit VisitOf(const Visited& visited) const {
    Visit v;
    v.view = &view_;
    v.id = visited.id;
    v.base = &module_.shape(visited.id);
    v.leaves = lists_[visited.leaves];
    v.scope = visited.scope;
    v.unreduced = visited.unreduced;
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
        return graph_.Add(Opcode::kParameter, v.shard_shape(), {});
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

  // A node for the call; it stays if something inside has a side effect.
  NodeId CallNode(const Frame& frame, Visit& v, const std::vector<NodeId>& operands,
                  std::vector<int32_t> bodies) {
    bool keep = false;
    for (int32_t body : bodies) keep |= !At(finished_, body).nodes.kept.empty();
    const NodeId node =
        graph_.AddCall(v.opcode(), v.shard_shape(), operands, {v.id, std::move(bodies)});
    if (keep) At(finished_, frame.body).nodes.kept.push_back(node);
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
    return CallNode(frame, v, {operand}, {condition, body});
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
    std::vector<int32_t> bodies;
    std::vector<NodeId> operands;
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
    return CallNode(frame, v, operands, std::move(bodies));
  }

  absl::StatusOr<NodeId> PartitionCall(const Frame& frame, const Visited& visited, Visit& v) {
    Wish wish = {Body::Role::kCall, module_.called(v.id)[0], {}, visited.leaves};
    std::vector<NodeId> operands;
    for (const Held& operand : visited.operands) {
      wish.parameters.push_back(operand.leaves);
      operands.push_back(operand.node);
    }
    TESSERA_ASSIGN_OR_RETURN(const int32_t body, MakeBody(std::move(wish), v.id, frame.body));
    return CallNode(frame, v, operands, {body});
  }

  const hlo::Module& module_;
  ModuleView view_;
  hlo::PostOrderWalk walk_;
  const Input input_;
  LeafLists& lists_;
  Graph graph_;
  Values values_;
  Repeats repeats_;
  ShardByShard shards_;
  const Visits visits_;
  std::vector<Body> bodies_;
  std::vector<Finished> finished_;
  absl::flat_hash_map<hlo::ComputationId, std::vector<int32_t>> bodies_of_;
  absl::node_hash_map<hlo::InstructionId, std::vector<int64_t>> first_leaves_;
  std::vector<std::unique_ptr<Scope>> scopes_;
};

}  // namespace

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors, Visits visits) {
  LeafLists lists;
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(module, behaviors, lists));
  return Partitioner(module, std::move(input), lists, behaviors, visits).Run();
}

}  // namespace tessera::sharding::partition
