#include "tessera/sharding/passes/text/program_text.h"

#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/passes/propagate/hlo_view.h"
#include "tessera/sharding/passes/text/kind_names.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding::passes {
namespace {

constexpr size_t kAnyLength = std::numeric_limits<size_t>::max();
constexpr size_t kShortLiteral = 64;

class Printer {
 public:
  // `whole`: with meshes, shapes and attributes. Longer literals are left out.
  Printer(const HloProgram& program, bool whole, size_t longest_literal = kAnyLength)
      : program_(program), whole_(whole), longest_literal_(longest_literal) {}

  std::string Print() {
    for (MeshId id = 0; whole_ && id < program_.meshes().size(); ++id) {
      absl::StrAppend(&out_, "mesh ", PrintMesh(program_.meshes().mesh(id)), "\n");
    }
    for (const Function* f : program_.functions()) {
      absl::StrAppend(&out_, f->is_entry ? "entry " : "", f->name);
      PrintBlock(*f->body, 0);
    }
    return out_;
  }

 private:
  std::string Sharding(ShardingId id) const {
    const TensorSharding* s = program_.Find(id);
    if (s == nullptr) return "";
    const Mesh& mesh = program_.meshes().mesh(s->mesh_id());
    std::string text = absl::StrCat(" ", PrintDims(*s, mesh));
    if (!s->replicated_axes().empty()) {
      absl::StrAppend(&text, " replicated=", PrintAxes(s->replicated_axes(), mesh));
    }
    if (!s->unreduced_axes().empty()) {
      absl::StrAppend(&text, " unreduced=", PrintAxes(s->unreduced_axes(), mesh));
    }
    return text;
  }

  // The text of an op after its operands, by kind.
  std::string Detail(const Op& op) const {
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
    const Mesh& mesh = program_.meshes().mesh(manual.mesh);
    return absl::StrCat(", axes=", absl::StrJoin(manual.manual_axes, ",", [&](auto* out, int axis) {
                          absl::StrAppend(out, mesh.axes()[static_cast<size_t>(axis)].name);
                        }));
  }

  std::string Base(const Op& op) const {
    const bool named = op.source != hlo::kNoId && op.kind != OpKind::kDataFlowEdge;
    return std::string(named ? program_.module().instruction(op.source).name : NameOf(op.kind));
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
    const int copy = uses++;
    return it->second =
               absl::StrCat("%", base, copy == 0 ? "" : "'", copy < 2 ? "" : absl::StrCat(copy));
  }

  // The definition of a value: its name, shape and sharding.
  void PrintNew(const Value* value) {
    absl::StrAppend(&out_, Name(value));
    if (whole_) {
      absl::StrAppend(&out_, " ", layout::ShapeToString(value->shape(), layout::kNoLayout));
    }
    absl::StrAppend(&out_, Sharding(value->sharding()));
  }

  void PrintBlock(const Block& block, int indent) {
    absl::StrAppend(&out_, "(");
    for (size_t i = 0; i < block.args.size(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ");
      PrintNew(block.args[i]);
    }
    absl::StrAppend(&out_, ") {\n");
    for (const Op* op = block.first; op != nullptr; op = op->next) PrintOp(*op, indent + 2);
    absl::StrAppend(&out_, std::string(static_cast<size_t>(indent), ' '), "}\n");
  }

  // Those of the instruction's own opcode, and the value of a constant.
  void PrintAttributes(const Op& op) {
    const bool is_hlo = op.kind == OpKind::kHlo || op.kind == OpKind::kConstant;
    if (!is_hlo || op.source == hlo::kNoId || op.part != OpPart::kWhole) return;
    const hlo::Module& module = program_.module();
    std::vector<std::string> items;
    for (const hlo::Attribute& a : module.attributes(op.source)) {
      if (hlo::IsCommonAttribute(a.name())) continue;
      items.push_back(absl::StrCat(hlo::AttributeText(a.name()), "=", a.value()));
    }
    const absl::string_view literal = module.LiteralText(op.source);
    if (!literal.empty()) {
      items.push_back(
          absl::StrCat("literal=", literal.size() <= longest_literal_ ? literal : "{...}"));
    }
    if (!items.empty()) absl::StrAppend(&out_, " {", absl::StrJoin(items, ", "), "}");
  }

  void PrintOp(const Op& op, int indent) {
    const std::string margin(static_cast<size_t>(indent), ' ');
    absl::StrAppend(&out_, margin);
    for (int i = 0; i < op.num_results(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ");
      PrintNew(op.result(i));
    }
    const absl::string_view kind =
        op.kind == OpKind::kHlo ? hlo::OpcodeName(OpcodeOf(op)) : NameOf(op.kind);
    absl::StrAppend(&out_, op.results.empty() ? "" : " = ", kind, "(");
    for (int i = 0; i < op.num_operands(); ++i) {
      absl::StrAppend(&out_, i == 0 ? "" : ", ", Name(op.operand(i)));
    }
    absl::StrAppend(&out_, Detail(op), ")");
    if (whole_) PrintAttributes(op);
    if (op.kind == OpKind::kReturn && op.block->parent == nullptr) {
      for (ShardingId id : op.block->function->result_shardings) {
        const std::string text = Sharding(id);
        absl::StrAppend(&out_, " ->", text.empty() ? " none" : text);
      }
    }
    absl::StrAppend(&out_, "\n");
    for (const Block* block : op.blocks()) {
      absl::StrAppend(&out_, margin, "block ", block->region);
      PrintBlock(*block, indent);
    }
  }

  const HloProgram& program_;
  const bool whole_;
  const size_t longest_literal_;
  std::string out_;
  absl::flat_hash_map<const Value*, std::string> names_;
  absl::flat_hash_map<std::string, int> used_;
};

}  // namespace

std::string ProgramOutline(const HloProgram& program) { return Printer(program, false).Print(); }

std::string ProgramToString(const HloProgram& program) { return Printer(program, true).Print(); }

std::string ProgramDump(const HloProgram& program) {
  return Printer(program, true, kShortLiteral).Print();
}

}  // namespace tessera::sharding::passes
