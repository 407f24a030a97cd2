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
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

using Leaves = std::vector<Tiling>;

// What a call wants of a computation.
struct Wish {
  Body::Role role;
  hlo::ComputationId computation;
  std::vector<Leaves> parameters;
  std::optional<Leaves> root;  // nothing: as written, its data replicated
};

// A body, and what was wished of it.
struct Finished {
  Wish wish;
  BodyNodes nodes;
};

bool AllOf(const Leaves& leaves, bool (Tiling::*test)() const) {
  return std::all_of(leaves.begin(), leaves.end(),
                     [test](const Tiling& leaf) { return (leaf.*test)(); });
}

// Handled as it stands, whatever is manual about it.
bool SeesManual(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduce:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRng:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

class Partitioner {
 public:
  Partitioner(const hlo::Module& module, Input input, const reference::Behaviors& behaviors)
      : module_(module),
        view_(module),
        walk_(module),
        input_(std::move(input)),
        graph_(behaviors) {}

  absl::StatusOr<Partitioned> Run() {
    const hlo::ComputationId entry = module_.entry_id();
    Wish wish = {Body::Role::kEntry, entry, {}, input_.leaves(module_.entry().root)};
    for (hlo::InstructionId id : module_.entry().parameters) {
      wish.parameters.push_back(input_.leaves(id));
    }
    TESSERA_RETURN_IF_ERROR(MakeBody(std::move(wish), hlo::kNoId, -1).status());
    std::vector<BodyNodes> nodes;
    for (Finished& body : finished_) nodes.push_back(std::move(body.nodes));
    MarkLive(nodes, graph_);
    return Report(module_, graph_, std::move(bodies_));
  }

 private:
  // The scope and the values of one body.
  struct Frame {
    int32_t body = 0;
    std::unique_ptr<Scope> scope;
    absl::flat_hash_map<hlo::InstructionId, Placed> values;
  };

  absl::StatusOr<int32_t> MakeBody(Wish wish, hlo::InstructionId caller, int32_t parent) {
    std::vector<int32_t>& known = bodies_of_[wish.computation];
    for (int32_t i : known) {
      const Wish& old = At(finished_, i).wish;
      if (old.role == wish.role && old.parameters == wish.parameters && caller != hlo::kNoId) {
        return i;
      }
    }
    const int32_t body = static_cast<int32_t>(bodies_.size());
    known.push_back(body);
    bodies_.push_back({wish.role, wish.computation, caller, parent, 0});
    finished_.emplace_back();
    At(finished_, body).wish = wish;
    const int32_t outer = graph_.EnterBody(body);
    const hlo::InstructionId visited = graph_.visited();
    Frame frame;
    frame.body = body;
    frame.scope = std::make_unique<Scope>(graph_, module_.header().num_partitions);
    const std::vector<hlo::InstructionId> order = walk_.Of(wish.computation);
    for (hlo::InstructionId id : order) {
      if (input_.IsDropped(id)) continue;
      const absl::Status status = VisitOne(frame, wish, id);
      if (!status.ok()) return AtInstruction(status, id);
    }
    FinishBody(frame, wish);
    scopes_.push_back(std::move(frame.scope));
    graph_.EnterBody(outer);
    graph_.Visit(visited);
    return body;
  }

  void FinishBody(Frame& frame, const Wish& wish) {
    graph_.Visit(hlo::kNoId);
    const hlo::InstructionId root = module_.computation(wish.computation).root;
    const Placed& value = ValueOf(frame, root);
    Leaves leaves = wish.root.has_value() ? *wish.root : value.leaves;
    At(finished_, frame.body).nodes.root = ReshardLeaves(value, leaves);
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

  // With its tiling in the form that its readers so far have left it in.
  const Placed& ValueOf(Frame& frame, hlo::InstructionId id) const {
    Placed& value = frame.values.at(id);
    if (graph_.node(value.node).in_tiles) value.leaves.front() = value.leaves.front().InTiles();
    return value;
  }

  // A tuple as the reader of one element sees it: with the leaves of that element only. Whole ones
  // would be copied once an element.
  Placed ElementOf(Frame& frame, hlo::InstructionId tuple, int64_t index) {
    const Placed& whole = ValueOf(frame, tuple);
    const std::vector<int64_t>& begin = FirstLeaves(tuple);
    const auto first = whole.leaves.begin() + At(begin, index);
    const auto last = whole.leaves.begin() + At(begin, index + 1);
    Placed out = {whole.node, whole.base, {first, last}, whole.scope};
    if (out.leaves.empty()) out.leaves.emplace_back();
    return out;
  }

  // Where the leaves of each element of a tuple begin, the end of the last one included.
  const std::vector<int64_t>& FirstLeaves(hlo::InstructionId tuple) {
    std::vector<int64_t>& begin = first_leaves_[tuple];
    if (begin.empty()) begin = LeafOffsets(module_.shape(tuple));
    return begin;
  }

  absl::Status VisitOne(Frame& frame, const Wish& wish, hlo::InstructionId id) {
    graph_.Visit(input_.cause(id));
    Visit v;
    v.view = &view_;
    v.id = id;
    v.base = &module_.shape(id);
    v.leaves = input_.leaves(id);
    v.scope = frame.scope.get();
    v.unreduced = input_.IsUnreduced(id);
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) {
      v.leaves = At(wish.parameters, instruction.parameter_number);
    } else if (wish.role == Body::Role::kCondition &&
               module_.computation(wish.computation).root == id) {
      for (Tiling& leaf : v.leaves) leaf = ReplicateData(leaf);
    }
    v.operands.reserve(input_.operands(id).size());
    const bool is_element = instruction.opcode == Opcode::kGetTupleElement;
    for (hlo::InstructionId operand : input_.operands(id)) {
      v.operands.push_back(is_element ? ElementOf(frame, operand, hlo::GetTupleIndex(module_, id))
                                      : ValueOf(frame, operand));
    }
    const Leaves leaves = v.leaves;
    TESSERA_ASSIGN_OR_RETURN(const NodeId node, InManualCode(frame, v));
    if (!graph_.fault().empty()) return absl::InvalidArgumentError(graph_.fault());
    frame.values[id] = {node, v.base, leaves, frame.scope.get()};
    if (input_.HasSideEffect(id)) At(finished_, frame.body).nodes.kept.push_back(node);
    return absl::OkStatus();
  }

  // Manual code is work on a single device; with a manual subgroup, work inside its groups.
  absl::StatusOr<NodeId> InManualCode(Frame& frame, Visit& v) {
    const std::string target =
        v.opcode() == Opcode::kCustomCall ? hlo::GetCustomCallTarget(module_, v.id) : "";
    const bool enters = target == "SPMDFullToShardShape", leaves = target == "SPMDShardToFullShape";
    if (!SeesManual(v.opcode()) && !enters) {
      if (AllOf(v.leaves, &Tiling::IsManual)) {
        TakeManualAsOneDevice(v);
      } else if (AllOf(v.leaves, &Tiling::HasManual) && !leaves &&
                 v.opcode() != Opcode::kGetTupleElement) {
        TESSERA_RETURN_IF_ERROR(EnterManualGroups(v));
      }
    }
    return Dispatch(frame, v);
  }

  static void TakeManualAsOneDevice(Visit& v) {
    if (v.opcode() == Opcode::kCustomCall || v.opcode() == Opcode::kPartitionId) return;
    const auto take = [](Leaves& leaves) {
      for (Tiling& leaf : leaves) {
        if (leaf.IsManual()) leaf = Tiling::Single(0);
      }
    };
    take(v.leaves);
    for (Placed& operand : v.operands) take(operand.leaves);
  }

  static absl::Status Incompatible() {
    return absl::InvalidArgumentError(
        "incompatible manual shardings: the groups of an operand cannot be aligned with those of "
        "the result");
  }

  static absl::Status EnterManualGroups(Visit& v) {
    const Grouping groups = GroupOnManual(v.leaves.front());
    const auto enter = [&groups](Leaves& leaves) {
      for (Tiling& leaf : leaves) {
        if (!leaf.HasManual()) return false;
        const auto aligned = AlignIfCompatible(GroupOnManual(leaf), groups);
        if (!aligned.has_value()) return false;
        leaf = aligned->inner;
      }
      return true;
    };
    if (!enter(v.leaves)) return Incompatible();
    for (size_t i = 0; i < v.operands.size(); ++i) {
      Placed& operand = v.operands[i];
      const hlo::InstructionId id = v.module().operands(v.id)[i];
      const bool scalar = v.module().instruction(id).opcode == Opcode::kConstant &&
                          operand.base->is_array() && operand.base->rank() == 0;
      if (scalar && !operand.leaves.front().HasManual()) continue;
      if (!enter(operand.leaves)) return Incompatible();
      operand.scope = &operand.scope->Within(groups.devices);
    }
    v.scope = &v.scope->Within(groups.devices);
    return absl::OkStatus();
  }

  absl::StatusOr<NodeId> Dispatch(Frame& frame, Visit& v) {
    switch (v.opcode()) {
      case Opcode::kParameter:
        return graph_.Add(Opcode::kParameter, v.shard_shape(), {});
      case Opcode::kWhile:
        return PartitionWhile(frame, v);
      case Opcode::kConditional:
        return PartitionConditional(frame, v);
      case Opcode::kCall:
        return PartitionCall(frame, v);
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
  NodeId CallNode(Frame& frame, Visit& v, const std::vector<NodeId>& operands,
                  std::vector<int32_t> bodies) {
    bool keep = false;
    for (int32_t body : bodies) keep |= !At(finished_, body).nodes.kept.empty();
    const NodeId node =
        graph_.AddCall(v.opcode(), v.shard_shape(), operands, {v.id, std::move(bodies)});
    if (keep) At(finished_, frame.body).nodes.kept.push_back(node);
    return node;
  }

  absl::StatusOr<NodeId> PartitionWhile(Frame& frame, Visit& v) {
    const auto called = module_.called(v.id);  // body, condition
    TESSERA_ASSIGN_OR_RETURN(
        const int32_t condition,
        MakeBody({Body::Role::kCondition, called[1], {v.leaves}, std::nullopt}, v.id, frame.body));
    TESSERA_ASSIGN_OR_RETURN(
        const int32_t body,
        MakeBody({Body::Role::kLoop, called[0], {v.leaves}, v.leaves}, v.id, frame.body));
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

  absl::StatusOr<NodeId> PartitionConditional(Frame& frame, Visit& v) {
    std::vector<int32_t> bodies;
    std::vector<NodeId> operands;
    const auto called = module_.called(v.id);
    for (size_t i = 0; i < called.size(); ++i) {
      const Placed& argument = v.operands[i + 1];
      TESSERA_ASSIGN_OR_RETURN(
          const int32_t body,
          MakeBody({Body::Role::kBranch, called[i], {argument.leaves}, v.leaves}, v.id,
                   frame.body));
      bodies.push_back(body);
      operands.push_back(argument.node);
    }
    operands.push_back(ReplicatedPredicate(v.operand(0)));
    return CallNode(frame, v, operands, std::move(bodies));
  }

  absl::StatusOr<NodeId> PartitionCall(Frame& frame, Visit& v) {
    Wish wish = {Body::Role::kCall, module_.called(v.id)[0], {}, v.leaves};
    std::vector<NodeId> operands;
    for (const Placed& operand : v.operands) {
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
  Graph graph_;
  std::vector<Body> bodies_;
  std::vector<Finished> finished_;
  absl::flat_hash_map<hlo::ComputationId, std::vector<int32_t>> bodies_of_;
  absl::node_hash_map<hlo::InstructionId, std::vector<int64_t>> first_leaves_;
  std::vector<std::unique_ptr<Scope>> scopes_;
};

}  // namespace

absl::StatusOr<Partitioned> FindCollectives(const hlo::Module& module,
                                            const reference::Behaviors& behaviors) {
  TESSERA_ASSIGN_OR_RETURN(Input input, Input::Read(module, behaviors));
  return Partitioner(module, std::move(input), behaviors).Run();
}

}  // namespace tessera::sharding::partition
