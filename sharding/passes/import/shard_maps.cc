#include "tessera/sharding/passes/import/shard_maps.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/passes/import/canonicalize.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/sharding/passes/import/shard_map_border.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using Values = std::vector<Value*>;

class ShardMapImporter {
 public:
  ShardMapImporter(HloProgram* program, SdyAttributeReader* frontend)
      : program_(*program), frontend_(*frontend) {}

  absl::Status Run();

 private:
  absl::Status Import(Op* call);
  // The custom call that feeds the first operand it can; null if no operand comes from one.
  Op* EnteringCall(const Op& call) const;
  absl::Status FindLeavingCall(const Op& call, Op** leave) const;
  // The kManualComputation op in place of the calls; `enter` and `leave` may be null.
  Op* AddManual(Op* call, const Op* enter, const Op* leave);
  Block* TakeBody(Function* callee);
  void DropUnusedShapeCalls();

  HloProgram& program_;
  SdyAttributeReader& frontend_;
  // Sharding calls that only carry an in-sharding.
  absl::flat_hash_set<Op*> boundary_constraints_;
  // Bodies that are still to be handed out, from the end: the function's own is the first.
  absl::flat_hash_map<Function*, std::vector<Block*>> bodies_;
};

// What the pass has made of it already: it reads shards that a custom call of XLA's partitioner makes, maybe copied.
// Such a call is like any other, as is that of XLA's own name for such a body.
bool IsExported(const HloProgram& program, const Op& call) {
  return absl::c_any_of(call.operands, [&](const Use& use) {
    const Op* def = use.value()->def();
    if (def != nullptr && def->opcode == hlo::Opcode::kCopy) def = def->operand(0)->def();
    return def != nullptr && def->opcode == hlo::Opcode::kCustomCall &&
           hlo::GetCustomCallTarget(program.module(), def->source) == "SPMDFullToShardShape";
  });
}

std::vector<Op*> ManualCalls(const HloProgram& program, Function* f) {
  std::vector<Op*> calls;
  ForEachOp(f->body, [&](Op* op) {
    const bool is_call = op->kind == OpKind::kCall;
    if (is_call && IsManualBodyName(op->As<CallInfo>()->callee->name) &&
        !IsExported(program, *op)) {
      calls.push_back(op);
    }
  });
  return calls;
}

absl::Status ShardMapImporter::Run() {
  absl::flat_hash_map<Function*, int> uses;
  const std::vector<Function*> order = CalleesFirst(program_);
  for (Function* f : order) {
    for (const Op* call : ManualCalls(program_, f)) ++uses[call->As<CallInfo>()->callee];
  }
  for (Function* f : order) {
    const std::vector<Op*> calls = ManualCalls(program_, f);
    for (Op* call : calls) TESSERA_RETURN_IF_ERROR(Import(call));
    // A body is complete now and can be copied.
    std::vector<Block*>& bodies = bodies_[f];
    for (int i = 1; i < uses[f]; ++i) {
      bodies.push_back(program_.CloneFunction(f, f->name)->body);
      program_.functions().pop_back();
    }
    std::reverse(bodies.begin(), bodies.end());
    bodies.push_back(f->body);
  }
  RemoveUnusedFunctions(&program_);
  DropUnusedShapeCalls();
  return absl::OkStatus();
}

Block* ShardMapImporter::TakeBody(Function* callee) {
  std::vector<Block*>& left = bodies_[callee];
  Block* body = left.back();
  left.pop_back();
  return body;
}

Op* ShardMapImporter::EnteringCall(const Op& call) const {
  for (const Use& use : call.operands) {
    Op* def = use.value()->def();
    if (def != nullptr && MarkOf(program_.module(), *def) == Mark::kGlobalToLocal) return def;
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
  if (*leave != nullptr && MarkOf(program_.module(), **leave) == Mark::kLocalToGlobal) {
    return absl::OkStatus();
  }
  return frontend_.ErrorAt(call.source,
                           "the results of a shard_map body must go to a custom call "
                           "xla.sdy.LocalToGlobalShape");
}

Op* ShardMapImporter::AddManual(Op* call, const Op* enter, const Op* leave) {
  Values operands;
  const bool is_named = IsNamedBorder(program_, enter, leave);
  for (size_t i = 0; enter != nullptr && i < enter->operands.size(); ++i) {
    Value* operand = enter->operand(static_cast<int>(i));
    if (is_named && IsBoundaryConstraint(program_, *operand)) {
      boundary_constraints_.insert(operand->def());
      operand = operand->def()->operand(0);
    }
    operands.push_back(operand);
  }
  std::vector<const layout::Shape*> shapes;
  if (leave != nullptr) {
    for (const Value& result : leave->results) shapes.push_back(&result.shape());
  }
  OpHead head;
  head.kind = OpKind::kManualComputation;
  head.source = call->source;
  Op* manual = program_.AddOp(head, operands, shapes, InsertPoint::Before(call));
  program_.AddBlock(manual, TakeBody(call->As<CallInfo>()->callee));
  return manual;
}

absl::Status ShardMapImporter::Import(Op* call) {
  if (call->num_results() > 0 && !call->has_uses()) {
    program_.Erase(call);
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
  Op* manual = AddManual(call, enter, leave);
  TESSERA_RETURN_IF_ERROR(SetShardMapBorder(&program_, &frontend_, manual, enter, leave));
  if (leave != nullptr) {
    Values results;
    for (Value& result : manual->results) results.push_back(&result);
    program_.Replace(leave, results);
  }
  program_.Erase(call);
  return absl::OkStatus();
}

void ShardMapImporter::DropUnusedShapeCalls() {
  std::vector<Op*> unused;
  ForEachOp(program_, [&](Op* op) {
    const Mark mark = MarkOf(program_.module(), *op);
    const bool is_shape_call = mark == Mark::kGlobalToLocal || mark == Mark::kLocalToGlobal;
    if (is_shape_call && !op->has_uses()) unused.push_back(op);
  });
  for (auto op = unused.rbegin(); op != unused.rend(); ++op) program_.Erase(*op);
  for (Op* op : boundary_constraints_) {
    if (!op->has_uses()) program_.Erase(op);
  }
}

}  // namespace

absl::Status ImportShardMaps(HloProgram* program, SdyAttributeReader* frontend) {
  if (program->CountOf(OpKind::kCall) == 0) return absl::OkStatus();
  return ShardMapImporter(program, frontend).Run();
}

}  // namespace tessera::sharding::passes
