#include "tessera/pipeline/steps/shard_pipeline.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/pipeline/input/final_shardings.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/passes/one_partition.h"
#include "tessera/pipeline/steps/emit_passes.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

using sharding::passes::Encoding;

bool ReadsFinal(const hlo::Module& module, const ShardOptions& options) {
  return options.reads_final && options.import == Encoding::kAuto && HasFinalShardings(module);
}

namespace {

constexpr size_t kMaxNotes = 4;

void Shorten(std::vector<std::string>* notes) {
  if (notes->size() <= kMaxNotes) return;
  const size_t more = notes->size() - (kMaxNotes - 1);
  notes->resize(kMaxNotes - 1);
  notes->push_back(absl::StrCat("note: the same of ", more, " more parameters\n"));
}

// A note for each array of the entry's parameters with axes that do not divide a dimension; of many the
// first ones and how many more.
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

using sharding::passes::Concatenate;
using sharding::passes::Context;
using sharding::passes::PassOptions;
using sharding::passes::Phase;
using sharding::passes::Pipeline;

Encoding EncodingOf(const hlo::Module& module, const ShardOptions& options, bool reads_final) {
  if (options.import != Encoding::kAuto) return options.import;
  return reads_final ? Encoding::kGspmd : sharding::passes::FindEncoding(module);
}

// Facts for the import, and notes for the user.
absl::Status MatchAnnotations(const ShardOptions& options, Context* c) {
  const bool reads_final = ReadsFinal(c->module, options);
  c->import.is_final = reads_final;
  c->import.encoding = EncodingOf(c->module, options, reads_final);
  c->import.mesh = options.mesh;
  c->import.behaviors = options.reference.behaviors;
  c->import.edits = options.edits;
  const std::vector<PatternAnnotation> none;
  const std::vector<PatternAnnotation>& annotations = reads_final ? none : options.annotations;
  TESSERA_ASSIGN_OR_RETURN(const MatchesByAnnotation matches, FindMatches(c->module, annotations));
  c->import.annotations = AnnotatedBy(annotations, matches);
  c->notes = NotesOn(c->module, c->import, options.import);
  AddNotesOnMatches(c->module, annotations, matches, &c->notes);
  std::string note = NoteOnRules(c->module, options.rules);
  if (!note.empty()) c->notes.push_back(std::move(note));
  if (!options.reference.note.empty()) c->notes.push_back(options.reference.note);
  return absl::OkStatus();
}

absl::Status AddBorderNotes(Context& c) {
  for (std::string& note : NotesOnBorder(c.module, *c.program)) c.notes.push_back(std::move(note));
  return absl::OkStatus();
}

absl::Status MakeShardMapBodiesInlineable(Context& c) {
  TESSERA_ASSIGN_OR_RETURN(c.text, passes::MakeShardMapBodiesInlineable(c.module));
  return absl::OkStatus();
}

// The passes for one partition.
Pipeline OnePartitionPasses() {
  return {{"release-shard-map-bodies", Phase::kEmit, "-",
           "marks bodies of shard_maps as inlineable", MakeShardMapBodiesInlineable}};
}

Pipeline WholePipeline(const ShardOptions& options) {
  PassOptions of_passes;
  of_passes.behaviors = options.reference.behaviors;
  of_passes.propagation = options.propagation;
  of_passes.exporting = options.exporting;
  of_passes.rules = options.rules;
  of_passes.books = options.rule_books;
  Pipeline match = {{"match-annotations", Phase::kImport, "-",
                     "finds the encoding of the module's shardings, and the instructions of "
                     "--annotate",
                     [&options](Context& c) { return MatchAnnotations(options, &c); }}};
  Pipeline notes;
  if (options.exporting.even_boundaries) {
    notes.push_back({"note-uneven-boundaries", Phase::kPrepare, "-",
                     "tells the user which axes do not divide an argument; changes nothing",
                     AddBorderNotes});
  }
  const bool is_clean = options.stage == Stage::kPass;
  return Concatenate({is_clean ? Pipeline() : passes::CleanUpPasses(options.kept_callees),
                      options.in_front, std::move(match), sharding::passes::ImportPasses(),
                      sharding::passes::PreparePasses(of_passes), std::move(notes),
                      sharding::passes::PropagatePasses(of_passes),
                      sharding::passes::ExportPasses(of_passes), EmitPasses(options)});
}

}  // namespace

Pipeline ShardPipeline(const ShardOptions& options) {
  return options.propagate ? WholePipeline(options) : OnePartitionPasses();
}

absl::StatusOr<Pipeline> ShardPipelineFor(const hlo::Module& module, const ShardOptions& options) {
  const bool is_exception =
      !options.propagate && options.structure == Structure::kXla && HasTupleArgs(module);
  if (!is_exception) return ShardPipeline(options);
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!module.HasAttribute(id, hlo::AttributeName::kSharding)) continue;
    return absl::UnimplementedError(
        "without propagation, structure xla does xla.sdy.use_tuple_args only for modules without "
        "shardings");
  }
  return WholePipeline(options);
}

}  // namespace tessera::pipeline
