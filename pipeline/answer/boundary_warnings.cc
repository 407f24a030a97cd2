#include "tessera/pipeline/answer/boundary_warnings.h"

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/sharding/trim.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxNotes = 4;

void Shorten(std::vector<std::string>* notes) {
  if (notes->size() <= kMaxNotes) return;
  const size_t more = notes->size() - (kMaxNotes - 1);
  notes->resize(kMaxNotes - 1);
  notes->push_back(absl::StrCat("note: the same of ", more, " more parameters\n"));
}

}  // namespace

std::vector<std::string> NotesOnBorder(const hlo::Module& module,
                                       sharding::passes::HloProgram& program) {
  std::vector<std::string> notes;
  const sharding::passes::InstructionValues* table = program.TableOf(program.entry()->body);
  for (hlo::InstructionId id : module.entry().parameters) {
    for (sharding::passes::Value* leaf : table->Get(id)) {
      const sharding::passes::Value* value = leaf->Resolve();
      const sharding::TensorSharding* given = value == nullptr ? nullptr : program.Find(value);
      if (given == nullptr || !value->is_array()) continue;
      const auto even =
          EvenlySharded(*given, program.meshes().mesh(given->mesh_id()), value->shape().dims());
      if (even == *given) continue;
      notes.push_back(absl::StrCat(
          "note: ", module.instruction(id).name, ": ", SpecText(*given, program.meshes()),
          " does not divide ", layout::ShapeToString(value->shape(), layout::kNoLayout),
          "; trimmed to ", SpecText(even, program.meshes()),
          " (`tessera shard --uneven-boundaries` keeps it; JAX refuses such an argument)\n"));
    }
  }
  Shorten(&notes);
  return notes;
}

}  // namespace tessera::pipeline
