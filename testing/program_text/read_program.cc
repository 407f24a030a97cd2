// A program refers to its module from the first moment, so the names become instructions first,
// then ops. Values are looked up by name among those above: a text is in order of definition, as
// programs are.
//
// Cost: linear. Tested by read_program_test.cc; every program of sharding/passes/testdata and every
// golden module is read back by sharding/passes/pass_test.cc.

#include "tessera/testing/program_text/read_program.h"

#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/passes/queries/purity.h"
#include "tessera/sharding/passes/text/kind_names.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/testing/program_text/assumed_mesh.h"
#include "tessera/testing/program_text/named_instructions.h"
#include "tessera/testing/program_text/named_program.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using absl::Status;
using absl::string_view;

class Reader {
 public:
  Reader(const NamedProgram& named, hlo::Module* module)
      : named_(named), module_(*module), instructions_(module) {}

  absl::StatusOr<std::unique_ptr<HloProgram>> Read() {
    TESSERA_RETURN_IF_ERROR(instructions_.Add(named_));
    program_ = std::make_unique<HloProgram>(&module_);
    purity_ = std::make_unique<InstructionPurity>(module_);
    TESSERA_RETURN_IF_ERROR(AddMeshes());
    for (size_t i = 0; i < named_.functions.size(); ++i) {
      Function* const f =
          program_->AddFunction(named_.functions[i].name, instructions_.computation(i));
      f->is_entry = named_.functions[i].is_entry;
      functions_[f->name] = f;
    }
    for (size_t i = 0; i < named_.functions.size(); ++i) {
      TESSERA_RETURN_IF_ERROR(ReadBlock(named_.functions[i].body, program_->functions()[i]->body));
    }
    return std::move(program_);
  }

 private:
  // --- meshes and shardings

  Status AddMeshes() {
    std::vector<Mesh> meshes = named_.meshes;
    if (meshes.empty()) {
      TESSERA_ASSIGN_OR_RETURN(Mesh assumed, AssumedMesh(named_));
      meshes.push_back(std::move(assumed));
    }
    for (size_t i = 0; i < meshes.size(); ++i) {
      const std::string name = i == 0 ? "mesh" : absl::StrCat("mesh_", i);
      TESSERA_RETURN_IF_ERROR(program_->meshes().Add(name, std::move(meshes[i])).status());
    }
    return absl::OkStatus();
  }

  bool HasAxes(const Mesh& mesh, const ShardingText& sharding) {
    bool has = true;
    ForEachAxis(sharding,
                [&](const AxisText& axis) { has &= mesh.FindAxis(axis.name).has_value(); });
    return has;
  }

  absl::StatusOr<ShardingId> Sharding(const std::optional<ShardingText>& text) {
    if (!text.has_value()) return kNoSharding;
    ShardingText named = *text;
    named.mesh_name = program_->meshes().name(0);
    for (MeshId id = static_cast<MeshId>(program_->meshes().size()); id-- > 0;) {
      if (HasAxes(program_->meshes().mesh(id), named))
        named.mesh_name = program_->meshes().name(id);
    }
    TESSERA_ASSIGN_OR_RETURN(const TensorSharding sharding,
                             ResolveSharding(named, program_->meshes()));
    return program_->shardings().Intern(sharding);
  }

  // --- ops

  Status Define(const NamedValue& named, Value* value) {
    TESSERA_ASSIGN_OR_RETURN(const ShardingId sharding, Sharding(named.sharding));
    value->set_sharding(sharding);
    if (values_.emplace(named.name, value).second) return absl::OkStatus();
    return text::ErrorAt(named.offset, absl::StrCat("%", named.name, " is defined twice"));
  }

  Status ReadBlock(const NamedBlock& named, Block* block) {
    for (const NamedValue& arg : named.args) {
      TESSERA_RETURN_IF_ERROR(
          Define(arg, program_->AddArg(block, program_->KeepShape(ShapeOf(arg)))));
    }
    for (const NamedOp& op : named.ops) TESSERA_RETURN_IF_ERROR(ReadOp(op, block));
    const bool ends = block->last != nullptr && block->last->kind == OpKind::kReturn;
    if (ends) return absl::OkStatus();
    const size_t at = named.ops.empty() ? 0 : named.ops.back().offset;
    return text::ErrorAt(at, "the block does not end with a return");
  }

  Status ReadOp(const NamedOp& named, Block* block) {
    TESSERA_ASSIGN_OR_RETURN(const OpHead head, Head(named));
    std::vector<Value*> operands;
    for (const NamedValue& operand : named.operands) {
      const auto value = values_.find(operand.name);
      if (value == values_.end()) {
        return text::ErrorAt(operand.offset, absl::StrCat("%", operand.name, " is not defined"));
      }
      operands.push_back(value->second);
    }
    std::vector<const layout::Shape*> shapes;
    for (const NamedValue& result : named.results) {
      shapes.push_back(program_->KeepShape(ShapeOf(result)));
    }
    Op* const op = program_->AddOp(head, operands, shapes, InsertPoint::AtEnd(block));
    if (const auto opcode = hlo::OpcodeFromName(named.opcode); opcode.has_value()) {
      op->opcode = *opcode;
    }
    for (int i = 0; i < op->num_results(); ++i) {
      TESSERA_RETURN_IF_ERROR(Define(named.results[static_cast<size_t>(i)], op->result(i)));
    }
    TESSERA_RETURN_IF_ERROR(ReadDetail(named, op));
    TESSERA_RETURN_IF_ERROR(ReadFunctionResults(named, *block));
    for (const NamedBlock& inner : named.blocks) {
      Block* const body = program_->NewBlock(block->function, hlo::kNoId);
      program_->AddBlock(op, body);
      TESSERA_RETURN_IF_ERROR(ReadBlock(inner, body));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<OpHead> Head(const NamedOp& op) {
    OpHead head;
    const std::optional<OpKind> kind = KindOf(op.opcode);
    // An all-reduce of HLO has a name of its own; one that the export made is named after its kind.
    const bool is_hlo =
        !kind.has_value() || (*kind == OpKind::kAllReduce && NamedInstructions::Has(op));
    if (!is_hlo) head.kind = *kind;
    if (is_hlo && !hlo::OpcodeFromName(op.opcode).has_value()) {
      return text::ErrorAt(op.offset, absl::StrCat("no op is named '", op.opcode, "'"));
    }
    if (NamedInstructions::Has(op)) {
      head.source = instructions_.Of(op);
      head.pure = purity_->Of(head.source);
    }
    head.pure |= head.kind == OpKind::kPropagationBarrier;
    return head;
  }

  // --- what program_text.cc says after the operands

  using DetailReader = Status (Reader::*)(const NamedOp& named, Op* op);

  Status ReadDetail(const NamedOp& named, Op* op) {
    static constexpr std::pair<OpKind, DetailReader> kReaders[] = {
        {OpKind::kCall, &Reader::ReadCallee},
        {OpKind::kNamedComputation, &Reader::ReadComputationName},
        {OpKind::kWhile, &Reader::MakeLeaves},
        {OpKind::kManualComputation, &Reader::ReadManualAxes},
        {OpKind::kShardingGroup, &Reader::ReadGroup},
        {OpKind::kPropagationBarrier, &Reader::ReadDirection},
        {OpKind::kAllReduce, &Reader::MakeAxes},
        {OpKind::kReplicatedToUnreduced, &Reader::MakeAxes},
        {OpKind::kShardedToUnreduced, &Reader::MakeAxes}};
    for (const auto& [kind, reader] : kReaders) {
      if (kind == op->kind) return (this->*reader)(named, op);
    }
    if (named.detail.empty()) return absl::OkStatus();
    return text::ErrorAt(named.offset, absl::StrCat("'", named.detail, "' says nothing here"));
  }

  Status ReadCallee(const NamedOp& named, Op* op) {
    const auto callee = functions_.find(named.detail);
    if (callee == functions_.end()) {
      return text::ErrorAt(named.offset, absl::StrCat("no function is named '", named.detail, "'"));
    }
    program_->NewPayload<CallInfo>(op)->callee = callee->second;
    return absl::OkStatus();
  }

  Status ReadComputationName(const NamedOp& named, Op* op) {
    program_->NewPayload<NamedInfo>(op)->name = named.detail;
    return absl::OkStatus();
  }

  Status MakeLeaves(const NamedOp&, Op* op) {
    std::vector<int>& leaves = program_->NewPayload<LoopInfo>(op)->leaves;
    leaves.resize(op->results.size());
    std::iota(leaves.begin(), leaves.end(), 0);
    return absl::OkStatus();
  }

  Status MakeAxes(const NamedOp&, Op* op) {
    program_->NewPayload<AxesInfo>(op);
    return absl::OkStatus();
  }

  Status ReadGroup(const NamedOp& named, Op* op) {
    string_view id = named.detail;
    const bool is_good = absl::ConsumePrefix(&id, "id=") && absl::SimpleAtoi(id, &op->attribute);
    return is_good ? absl::OkStatus()
                   : text::ErrorAt(named.offset, "expected id=NUMBER after the operand");
  }

  Status ReadDirection(const NamedOp& named, Op* op) {
    string_view direction = named.detail;
    absl::ConsumePrefix(&direction, "direction=");
    const auto* const found = absl::c_find(kDirections, direction);
    if (found == std::end(kDirections)) {
      return text::ErrorAt(named.offset, "expected direction=none, forward, backward or both");
    }
    op->attribute = found - kDirections;
    return absl::OkStatus();
  }

  // All on the first mesh that has the first of them.
  Status ReadManualAxes(const NamedOp& named, Op* op) {
    ManualInfo* const manual = program_->NewPayload<ManualInfo>(op);
    string_view detail = named.detail;
    if (!absl::ConsumePrefix(&detail, "axes=")) return absl::OkStatus();
    manual->mesh = 0;
    if (detail.empty()) return absl::OkStatus();
    for (string_view name : absl::StrSplit(detail, ',')) {
      while (manual->manual_axes.empty() && manual->mesh + 1 < program_->meshes().size() &&
             !program_->meshes().mesh(manual->mesh).FindAxis(name).has_value()) {
        ++manual->mesh;
      }
      const auto axis = program_->meshes().mesh(manual->mesh).FindAxis(name);
      if (!axis.has_value()) {
        return text::ErrorAt(named.offset, absl::StrCat("no axis is named '", name, "'"));
      }
      manual->manual_axes.push_back(*axis);
    }
    return absl::OkStatus();
  }

  Status ReadFunctionResults(const NamedOp& named, const Block& block) {
    if (block.parent != nullptr || named.opcode != "return") return absl::OkStatus();
    if (named.function_results.size() != named.operands.size()) {
      return text::ErrorAt(named.offset, "expected '->' and a sharding or 'none' for each result");
    }
    for (const auto& text : named.function_results) {
      TESSERA_ASSIGN_OR_RETURN(const ShardingId sharding, Sharding(text));
      block.function->result_shardings.push_back(sharding);
    }
    return absl::OkStatus();
  }

  const NamedProgram& named_;
  hlo::Module& module_;
  std::unique_ptr<HloProgram> program_;
  std::unique_ptr<InstructionPurity> purity_;
  NamedInstructions instructions_;
  absl::flat_hash_map<std::string, Function*> functions_;
  absl::flat_hash_map<std::string, Value*> values_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HloProgram>> ReadProgram(string_view text, hlo::Module* module) {
  const auto source = text::Source::FromString("<program>", text);
  absl::StatusOr<NamedProgram> named = ParseNamedProgram(text);
  if (!named.ok()) return text::Located(named.status(), *source);
  absl::StatusOr<std::unique_ptr<HloProgram>> program = Reader(*named, module).Read();
  if (!program.ok()) return text::Located(program.status(), *source);
  return program;
}

}  // namespace tessera::sharding::passes
