#include "tessera/sharding/graph/import/shard_maps.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/walk.h"
#include "tessera/sharding/manual_check.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using Values = std::vector<Value*>;
using Shardings = std::vector<ShardingId>;

class ShardMapImporter {
 public:
  ShardMapImporter(Graph* graph, Frontend* frontend) : graph_(*graph), frontend_(*frontend) {}

  absl::Status Run();

 private:
  absl::Status Import(Op* call);
  // The custom call that feeds the first operand it can; null if no operand comes from one.
  Op* EnteringCall(const Op& call) const;
  absl::Status FindLeavingCall(const Op& call, Op** leave) const;
  absl::Status FillInfo(Op* manual, const Op* enter, const Op* leave);
  absl::Status Verify(const Op& manual, const std::vector<std::string>& manual_axes) const;
  absl::Status SetBoundary(Op* manual, const Op* enter, const Op* leave);
  Block* TakeBody(Function* callee);
  void DropUnusedShapeCalls();

  Graph& graph_;
  Frontend& frontend_;
  // Bodies that are still to be handed out; the last one is the function's own.
  absl::flat_hash_map<Function*, std::vector<Block*>> bodies_;
};

std::vector<Op*> ManualCalls(Function* f) {
  std::vector<Op*> calls;
  ForEachOp(f->body, [&](Op* op) {
    if (op->kind == OpKind::kCall && IsManualBodyName(op->As<CallInfo>()->callee->name)) {
      calls.push_back(op);
    }
  });
  return calls;
}

absl::Status ShardMapImporter::Run() {
  absl::flat_hash_map<Function*, int> uses;
  const std::vector<Function*> order = CalleesFirst(graph_);
  for (Function* f : order) {
    for (const Op* call : ManualCalls(f)) ++uses[call->As<CallInfo>()->callee];
  }
  for (Function* f : order) {
    const std::vector<Op*> calls = ManualCalls(f);
    for (Op* call : calls) TESSERA_RETURN_IF_ERROR(Import(call));
    // A body is complete now and can be copied.
    for (int i = 1; i < uses[f]; ++i) {
      bodies_[f].push_back(graph_.CloneFunction(f, f->name)->body);
      graph_.functions().pop_back();
    }
    bodies_[f].insert(bodies_[f].begin(), f->body);
  }
  RemoveUnusedFunctions(&graph_);
  DropUnusedShapeCalls();
  return absl::OkStatus();
}

Block* ShardMapImporter::TakeBody(Function* callee) {
  std::vector<Block*>& left = bodies_[callee];
  Block* body = left.front();
  left.erase(left.begin());
  return body;
}

Op* ShardMapImporter::EnteringCall(const Op& call) const {
  for (const Use& use : call.operands) {
    Op* def = use.value()->def();
    if (def != nullptr && MarkOf(graph_.module(), *def) == Mark::kGlobalToLocal) return def;
  }
  return nullptr;
}

absl::Status ShardMapImporter::FindLeavingCall(const Op& call, Op** leave) const {
  *leave = nullptr;
  if (call.num_results() == 0) return absl::OkStatus();
  for (const Value& result : call.results) {
    if (!result.has_uses()) continue;
    *leave = result.first_use()->user();
    break;
  }
  if (*leave != nullptr && MarkOf(graph_.module(), **leave) == Mark::kLocalToGlobal) {
    return absl::OkStatus();
  }
  return frontend_.ErrorAt(call.source,
                           "the results of a shard_map body must go to a custom call "
                           "xla.sdy.LocalToGlobalShape");
}

absl::Status ShardMapImporter::Import(Op* call) {
  if (call->num_results() > 0 && !call->has_uses()) {
    graph_.Erase(call);
    return absl::OkStatus();
  }
  const Op* enter = EnteringCall(*call);
  if (enter == nullptr && call->num_operands() > 0) {
    return frontend_.ErrorAt(call->source,
                             "an operand of a shard_map body must come from a custom call "
                             "xla.sdy.GlobalToLocalShape");
  }
  Op* leave = nullptr;
  TESSERA_RETURN_IF_ERROR(FindLeavingCall(*call, &leave));
  Values operands;
  if (enter != nullptr) {
    for (const Use& use : enter->operands) operands.push_back(use.value());
  }
  std::vector<const layout::Shape*> shapes;
  if (leave != nullptr) {
    for (const Value& result : leave->results) shapes.push_back(&result.shape());
  }
  OpHead head;
  head.kind = OpKind::kManual;
  head.source = call->source;
  Op* manual = graph_.AddOp(head, operands, shapes, InsertPoint::Before(call));
  graph_.AddBlock(manual, TakeBody(call->As<CallInfo>()->callee));
  TESSERA_RETURN_IF_ERROR(SetBoundary(manual, enter, leave));
  if (leave != nullptr) {
    Values results;
    for (Value& result : manual->results) results.push_back(&result);
    graph_.Replace(leave, results);
  }
  graph_.Erase(call);
  return absl::OkStatus();
}

absl::Status ShardMapImporter::SetBoundary(Op* manual, const Op* enter, const Op* leave) {
  Shardings in;
  Shardings out;
  if (enter != nullptr) {
    TESSERA_ASSIGN_OR_RETURN(in, frontend_.ShardingList(enter->source, "xla.sdy.in_shardings"));
  }
  if (leave != nullptr) {
    TESSERA_ASSIGN_OR_RETURN(out, frontend_.ShardingList(leave->source, "xla.sdy.out_shardings"));
  }
  Block* body = manual->blocks[0];
  if (in.size() != manual->operands.size() || in.size() != body->args.size() ||
      out.size() != manual->results.size() || out.size() != body->terminator()->operands.size()) {
    return frontend_.ErrorAt(
        manual->source,
        "a shard_map needs one in-sharding for each operand and one out-sharding "
        "for each result");
  }
  for (size_t i = 0; i < in.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(
        frontend_.Check(in[i], *manual->operand(static_cast<int>(i)), manual->source));
    body->args[i]->set_sharding(in[i]);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(frontend_.Check(out[i], manual->results[i], manual->source));
    manual->results[i].set_sharding(out[i]);
  }
  return FillInfo(manual, enter, leave);
}

// One side of a shard_map, as the checks want it.
struct Side {
  std::vector<TensorSharding> shardings;
  std::vector<ValueType> global_types, local_types;

  void Add(const Graph& graph, ShardingId sharding, const Value& global, const Value& local) {
    shardings.push_back(*graph.Find(sharding));
    global_types.push_back(TypeOf(global));
    local_types.push_back(TypeOf(local));
  }
  ManualBoundary boundary() const { return {shardings, global_types, local_types}; }
};

absl::Status ShardMapImporter::Verify(const Op& manual,
                                      const std::vector<std::string>& manual_axes) const {
  const Block& body = *manual.blocks[0];
  Side in, out;
  for (const Value* arg : body.args) {
    in.Add(graph_, arg->sharding(), *manual.operand(arg->index()), *arg);
  }
  for (int i = 0; i < manual.num_results(); ++i) {
    out.Add(graph_, manual.results[static_cast<size_t>(i)].sharding(),
            manual.results[static_cast<size_t>(i)], *body.terminator()->operand(i));
  }
  const absl::Status status =
      VerifyManualComputation(in.boundary(), out.boundary(), manual_axes, {}, graph_.meshes());
  return status.ok() ? status : frontend_.ErrorAt(manual.source, status.message());
}

// The mesh is the first one of the shardings that has axes.
MeshId CommonMesh(const Graph& graph, const Op& manual) {
  MeshId mesh = kNoMesh;
  const auto look = [&](const Value& value) {
    const TensorSharding* s = graph.Find(&value);
    if (s == nullptr || (mesh != kNoMesh && !graph.meshes().mesh(mesh).is_empty())) return;
    mesh = s->mesh_id();
  };
  for (const Value* arg : manual.blocks[0]->args) look(*arg);
  for (const Value& result : manual.results) look(result);
  return mesh;
}

absl::Status ShardMapImporter::FillInfo(Op* manual, const Op* enter, const Op* leave) {
  ManualInfo* info = graph_.NewPayload<ManualInfo>(manual);
  std::vector<std::string> names;
  if (enter != nullptr) {
    info->global_to_local = enter->source;
    TESSERA_ASSIGN_OR_RETURN(names, frontend_.ManualAxes(enter->source));
  }
  if (leave != nullptr) {
    info->local_to_global = leave->source;
    if (names.empty()) {
      TESSERA_ASSIGN_OR_RETURN(names, frontend_.ManualAxes(leave->source));
    }
  }
  TESSERA_RETURN_IF_ERROR(Verify(*manual, names));
  info->mesh = CommonMesh(graph_, *manual);
  for (const std::string& name : names) {
    const std::optional<int> axis =
        info->mesh == kNoMesh ? std::nullopt : graph_.meshes().mesh(info->mesh).FindAxis(name);
    if (!axis.has_value()) {
      return frontend_.ErrorAt(manual->source, absl::StrCat("unknown manual axis \"", name, "\""));
    }
    info->manual_axes.push_back(*axis);
  }
  return absl::OkStatus();
}

void ShardMapImporter::DropUnusedShapeCalls() {
  std::vector<Op*> unused;
  ForEachOp(graph_, [&](Op* op) {
    const Mark mark = MarkOf(graph_.module(), *op);
    const bool is_shape_call = mark == Mark::kGlobalToLocal || mark == Mark::kLocalToGlobal;
    if (is_shape_call && !op->has_uses()) unused.push_back(op);
  });
  for (auto op = unused.rbegin(); op != unused.rend(); ++op) graph_.Erase(*op);
}

}  // namespace

bool IsManualBodyName(absl::string_view name) {
  return absl::StrContains(name, "xla.sdy.manual_computation_body");
}

absl::Status ImportShardMaps(Graph* graph, Frontend* frontend) {
  if (graph->CountOf(OpKind::kCall) == 0) return absl::OkStatus();
  return ShardMapImporter(graph, frontend).Run();
}

}  // namespace tessera::sharding::graph
