#include "tessera/sharding/graph/graph_text.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/graph/run/hlo_view.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding::graph {
namespace {

// Kinds that have a name of their own; the others print their opcode.
constexpr struct {
  OpKind kind;
  const char* name;
} kKindNames[] = {
    {OpKind::kConstant, "constant"},
    {OpKind::kReturn, "return"},
    {OpKind::kTuple, "tuple"},
    {OpKind::kGetElement, "element"},
    {OpKind::kWhile, "while"},
    {OpKind::kCase, "case"},
    {OpKind::kPredConditional, "if"},
    {OpKind::kNamedComputation, "named"},
    {OpKind::kManualComputation, "manual"},
    {OpKind::kCall, "call"},
    {OpKind::kOptBarrier, "opt-barrier"},
    {OpKind::kConstraint, "constraint"},
    {OpKind::kShardingGroup, "group"},
    {OpKind::kPropagationBarrier, "barrier"},
    {OpKind::kDataFlowEdge, "edge"},
    {OpKind::kReshard, "reshard"},
    {OpKind::kAllReduce, "all-reduce"},
    {OpKind::kReplicatedToUnreduced, "replicated-to-unreduced"},
    {OpKind::kShardedToUnreduced, "sharded-to-unreduced"},
};

absl::string_view KindName(OpKind kind) {
  for (const auto& row : kKindNames) {
    if (row.kind == kind) return row.name;
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  std::string Print() {
    for (const Function* f : graph_.functions()) {
      absl::StrAppend(&out_, f->is_entry ? "entry " : "", f->name);
      PrintBlock(*f->body, 0);
    }
    return out_;
  }

 private:
  std::string Sharding(ShardingId id) const {
    const TensorSharding* s = graph_.Find(id);
    if (s == nullptr) return "";
    const Mesh& mesh = graph_.meshes().mesh(s->mesh_id());
    std::string text = absl::StrCat(" ", PrintDims(*s, mesh));
    if (!s->replicated_axes().empty()) {
      absl::StrAppend(&text, " replicated=", PrintAxes(s->replicated_axes(), mesh));
    }
    if (!s->unreduced_axes().empty()) {
      absl::StrAppend(&text, " unreduced=", PrintAxes(s->unreduced_axes(), mesh));
    }
    return text;
  }

  // What an op of its kind says beside its operands.
  std::string Detail(const Op& op) const {
    static constexpr const char* kDirections[] = {"none", "forward", "backward", "both"};
    switch (op.kind) {
      case OpKind::kCall:
        return absl::StrCat(", ", op.As<CallInfo>()->callee->name);
      case OpKind::kNamedComputation:
        return absl::StrCat(", ", op.As<NamedInfo>()->name);
      case OpKind::kManualComputation:
        return ManualAxes(*op.As<ManualInfo>());
      case OpKind::kShardingGroup:
        return absl::StrCat(", id=", op.attribute);
      case OpKind::kPropagationBarrier:
        return absl::StrCat(", direction=", kDirections[op.attribute]);
      default:
        return "";
    }
  }

  std::string ManualAxes(const ManualInfo& manual) const {
    if (manual.mesh == kNoMesh) return "";
    const Mesh& mesh = graph_.meshes().mesh(manual.mesh);
    return absl::StrCat(", axes=", absl::StrJoin(manual.manual_axes, ",", [&](auto* out, int axis) {
                          absl::StrAppend(out, mesh.axes()[static_cast<size_t>(axis)].name);
                        }));
  }

  std::string Base(const Op& op) const {
    const bool named = op.source != hlo::kNoId && op.kind != OpKind::kDataFlowEdge;
    return std::string(named ? graph_.module().instruction(op.source).name : KindName(op.kind));
  }

  const std::string& Name(const Value* value) {
    const auto [it, is_new] = names_.try_emplace(value);
    if (!is_new) return it->second;
    std::string base;
    if (const Op* op = value->def(); op != nullptr) {
      base = Base(*op);
      if (op->num_results() > 1) absl::StrAppend(&base, "#", value->index());
    } else {
      base = absl::StrCat("arg", value->index());
    }
    int& uses = used_[base];
    return it->second = absl::StrCat("%", base, std::string(static_cast<size_t>(uses++), '\''));
  }

  void PrintBlock(const Block& block, int indent) {
    absl::StrAppend(&out_, "(");
    for (size_t i = 0; i < block.args.size(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ", Name(block.args[i]),
                      Sharding(block.args[i]->sharding()));
    }
    absl::StrAppend(&out_, ") {\n");
    for (const Op* op = block.first; op != nullptr; op = op->next) PrintOp(*op, indent + 2);
    absl::StrAppend(&out_, std::string(static_cast<size_t>(indent), ' '), "}\n");
  }

  void PrintOp(const Op& op, int indent) {
    const std::string margin(static_cast<size_t>(indent), ' ');
    absl::StrAppend(&out_, margin);
    for (int i = 0; i < op.num_results(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ", Name(op.result(i)),
                      Sharding(op.result(i)->sharding()));
    }
    const absl::string_view kind =
        op.kind == OpKind::kHlo ? hlo::OpcodeName(OpcodeOf(op)) : KindName(op.kind);
    absl::StrAppend(&out_, op.results.empty() ? "" : " = ", kind, "(");
    for (int i = 0; i < op.num_operands(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ", Name(op.operand(i)));
    }
    absl::StrAppend(&out_, Detail(op), ")");
    if (op.kind == OpKind::kReturn && op.block->parent == nullptr) {
      for (ShardingId id : op.block->function->result_shardings) {
        const std::string text = Sharding(id);
        absl::StrAppend(&out_, " ->", text.empty() ? " none" : text);
      }
    }
    absl::StrAppend(&out_, "\n");
    for (const Block* block : op.blocks) {
      absl::StrAppend(&out_, margin, "block ", block->region);
      PrintBlock(*block, indent);
    }
  }

  const Graph& graph_;
  std::string out_;
  absl::flat_hash_map<const Value*, std::string> names_;
  absl::flat_hash_map<std::string, int> used_;
};

}  // namespace

std::string GraphToString(const Graph& graph) { return Printer(graph).Print(); }

}  // namespace tessera::sharding::graph
