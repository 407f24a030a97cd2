#include "tessera/pipeline/verbs/search/suggest/imported_annotations.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::pipeline {
namespace {

using sharding::MeshId;
using sharding::MeshTable;
using sharding::TensorSharding;

// After it nobody sees axes of size 1.
constexpr absl::string_view kLastPass = "sdy-remove-size-one-axes";

bool IsInShardMap(const sharding::passes::Op& op) {
  for (const sharding::passes::Block* block = op.block;
       block != nullptr && block->parent != nullptr; block = block->parent->block) {
    if (block->parent->kind == sharding::passes::OpKind::kManualComputation) return true;
  }
  return false;
}

void AddConstraints(const sharding::passes::HloProgram& program, ImportedAnnotations* imported) {
  sharding::program::ForEachOp(program, [&](const sharding::passes::Op* op) {
    if (IsInShardMap(*op)) {
      imported->in_shard_maps.insert(op->block->source);
    } else if (op->kind == sharding::passes::OpKind::kConstraint && op->source != hlo::kNoId) {
      const TensorSharding* sharding = program.Find(op->result());
      if (sharding == nullptr || !imported->said.emplace(op->source, *sharding).second) return;
      imported->constraints.push_back(op->source);
    }
  });
  absl::c_sort(imported->constraints);
}

void AddParameters(const hlo::Module& module, sharding::passes::HloProgram* program,
                   ImportedAnnotations* imported) {
  sharding::passes::InstructionValues* values = program->TableOf(program->entry()->body);
  for (const hlo::InstructionId id : module.entry().parameters) {
    if (values == nullptr || !module.shape(id).is_array()) continue;
    const sharding::passes::Value* value = values->Get(id)[0]->Resolve();
    const TensorSharding* said = value == nullptr ? nullptr : program->Find(value);
    if (said != nullptr) imported->said.emplace(id, *said);
  }
}

}  // namespace

MeshId OnlyMesh(const MeshTable& meshes) {
  MeshId only = sharding::kNoMesh;
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.mesh(id).num_axes() == 0) continue;
    if (only != sharding::kNoMesh) return sharding::kNoMesh;
    only = id;
  }
  return only;
}

std::unique_ptr<const ImportedAnnotations> ImportAnnotations(const hlo::Module& module,
                                                             const ShardOptions& options) {
  const sharding::passes::Pipeline pipeline = ShardPipeline(options);
  const auto last = FindPass(pipeline, kLastPass);
  PropagatedModule s;
  s.module = module;
  if (!last.ok() || !RunPasses(pipeline, 0, *last + 1, &s).ok()) return nullptr;
  auto imported = std::make_unique<ImportedAnnotations>();
  imported->id = OnlyMesh(s.program->meshes());
  if (imported->id != sharding::kNoMesh) imported->mesh = s.program->meshes().mesh(imported->id);
  AddConstraints(*s.program, imported.get());
  AddParameters(s.module, s.program.get(), imported.get());
  return imported;
}

}  // namespace tessera::pipeline
