#include "tessera/sharding/passes/import/annotations/user_annotations.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/text/error_list.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

// The mesh with the most devices; kNoMesh if all are empty or of one device.
MeshId LargestMesh(const MeshTable& meshes) {
  MeshId largest = kNoMesh;
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.mesh(id).num_axes() == 0) continue;
    const bool larger =
        largest == kNoMesh || meshes.mesh(id).num_devices() > meshes.mesh(largest).num_devices();
    if (larger) largest = id;
  }
  return largest;
}

bool IsEntryParameter(const Value& value) {
  const Block* owner = value.owner();
  return owner != nullptr && owner->parent == nullptr && owner->function->is_entry;
}

// A constraint of the program, which is still a call.
bool IsConstraint(const HloProgram& program, const Value& value) {
  const Op* const op = value.def();
  return op != nullptr && MarkOf(program.module(), *op) == Mark::kSharding;
}

absl::Status Apply(HloProgram* program, MeshId mesh, Value* value,
                   const UserAnnotation& annotation) {
  TESSERA_ASSIGN_OR_RETURN(
      const TensorSharding sharding,
      annotation.spec.Resolve(mesh, program->meshes().mesh(mesh), value->rank()));
  const ShardingId id = program->shardings().Intern(sharding);
  if (IsEntryParameter(*value) || IsConstraint(*program, *value)) {
    value->set_sharding(id);
  } else {
    AddConstraint(program, value, id);
  }
  return absl::OkStatus();
}

// The current values of the instruction's arrays.
std::vector<Value*> ArraysOf(const std::vector<InstructionValues*>& tables, hlo::InstructionId id) {
  std::vector<Value*> arrays;
  for (InstructionValues* table : tables) {
    for (Value* leaf : table->Get(id)) {
      Value* value = leaf->Resolve();
      if (value != nullptr && value->is_array()) arrays.push_back(value);
    }
  }
  return arrays;
}

}  // namespace

void AddConstraint(HloProgram* program, Value* value, ShardingId sharding) {
  OpHead head;
  head.kind = OpKind::kConstraint;
  head.part = OpPart::kInserted;
  Op* constraint = program->AddOp(head, {value}, {&value->shape()}, InsertPoint::After(value));
  constraint->result()->set_sharding(sharding);
  value->ReplaceOtherUsesWith(constraint->result());
}

absl::Status ApplyUserAnnotations(HloProgram* program,
                                  const std::vector<UserAnnotation>& annotations) {
  if (annotations.empty()) return absl::OkStatus();
  const MeshId mesh = LargestMesh(program->meshes());
  if (mesh == kNoMesh) {
    return absl::InvalidArgumentError("an annotation needs a mesh, and the module has none");
  }
  const SdyAttributeReader frontend(program);
  absl::Status found;
  absl::flat_hash_set<std::string> said;
  std::vector<std::vector<InstructionValues*>> tables(program->module().num_computations());
  for (InstructionValues& table : program->leaf_tables())
    tables[table.block()->source].push_back(&table);
  for (const UserAnnotation& annotation : annotations) {
    const hlo::Instruction& instruction = program->module().instruction(annotation.instruction);
    for (Value* value : ArraysOf(tables[instruction.computation], annotation.instruction)) {
      const absl::Status applied = Apply(program, mesh, value, annotation);
      // One pattern makes the same mistake at each instruction.
      if (applied.ok() || !said.insert(std::string(applied.message())).second) continue;
      text::Collect(frontend.ErrorAt(annotation.instruction, applied.message()), &found);
    }
  }
  return found;
}

}  // namespace tessera::sharding::passes
