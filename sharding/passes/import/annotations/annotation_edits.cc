#include "tessera/sharding/passes/import/annotations/annotation_edits.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/passes/import/annotations/user_annotations.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

using Where = AnnotationEdit::Where;

bool EditConstraints(HloProgram* program, hlo::InstructionId instruction, ShardingId sharding) {
  bool any = false;
  ForEachOp(*program, [&](Op* op) {
    if (op->kind != OpKind::kConstraint || op->source != instruction) return;
    op->result()->set_sharding(sharding);
    any = true;
  });
  return any;
}

bool AddConstraints(HloProgram* program, const AnnotationEdit& edit, ShardingId sharding) {
  bool any = false;
  for (InstructionValues& table : program->leaf_tables()) {
    if (table.block()->source != program->module().instruction(edit.instruction).computation) {
      continue;
    }
    const absl::Span<Value* const> leaves = table.Get(edit.instruction);
    if (static_cast<size_t>(edit.leaf) >= leaves.size()) continue;
    Value* value = leaves[static_cast<size_t>(edit.leaf)];
    if (value != nullptr) value = value->Resolve();
    if (value == nullptr || !value->is_array()) continue;
    AddConstraint(program, value, sharding);
    any = true;
  }
  return any;
}

bool Apply(HloProgram* program, const AnnotationEdit& edit, ShardingId sharding) {
  Function* entry = program->entry();
  const size_t number = static_cast<size_t>(edit.number);
  switch (edit.where) {
    case Where::kParameter:
      if (number >= entry->body->args.size()) return false;
      entry->body->args[number]->set_sharding(sharding);
      return true;
    case Where::kResult:
      if (number >= entry->result_shardings.size()) return false;
      entry->result_shardings[number] = sharding;
      return true;
    case Where::kConstraint:
      return EditConstraints(program, edit.instruction, sharding);
    default:
      return AddConstraints(program, edit, sharding);
  }
}

}  // namespace

absl::Status ApplyAnnotationEdits(HloProgram* program, const std::vector<AnnotationEdit>& edits) {
  for (const AnnotationEdit& edit : edits) {
    if (Apply(program, edit, program->shardings().Intern(edit.sharding))) continue;
    return absl::NotFoundError(absl::StrCat("no annotation to edit at instruction ",
                                            edit.instruction, ", number ", edit.number));
  }
  return absl::OkStatus();
}

}  // namespace tessera::sharding::passes
