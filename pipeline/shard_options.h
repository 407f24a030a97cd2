// Options of the main job; see shard.h.

#ifndef TESSERA_PIPELINE_SHARD_OPTIONS_H_
#define TESSERA_PIPELINE_SHARD_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/sharding/passes/pass.h"
#include "tessera/sharding/passes/propagate/rule_book.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::pipeline {

enum class Format : uint8_t {
  // As the reference: V3 unless the module has xla.sdy attributes; before 0.11.2 V3 if the module's
  // own shardings are.
  kAuto,
  kV2,  // sharding={devices=[2,1]<=[2]}
  kV3,  // sharding={mesh['x'=2], [{'x'}, {}]}
};

enum class Stage : uint8_t {
  kAuto,     // run XLA's first clean-ups; they change nothing in a module that has had them
  kLowered,  // the same
  kPass,     // the module is as XLA hands it to the pass: leave it alone
};

enum class Structure : uint8_t {
  kKeep,  // the text that was read, with edits
  kXla,   // a new module, as the pass would leave it
};

struct ShardOptions {
  sharding::reference::Reference reference;  // the release that is imitated: the newest
  std::optional<sharding::Mesh> mesh;        // wins over those of the module
  std::vector<PatternAnnotation> annotations;
  // In place of what the module and `annotations` say; instructions are those of
  // PropagatedModule::module.
  std::vector<sharding::passes::AnnotationEdit> edits;
  Format format = Format::kAuto;
  sharding::passes::Encoding import = sharding::passes::Encoding::kAuto;
  // A module that looks as after propagation (input/final_shardings.h) is read by its final
  // shardings, and annotations are not; import has to be kAuto.
  bool reads_final = false;
  Stage stage = Stage::kAuto;
  Structure structure = Structure::kKeep;
  // WriteModule() says of which array of its source an array is, too: Written::leaves.
  bool traces_leaves = false;
  // False: what the pass does for one partition, see passes/one_partition.h. ShardModule() only.
  bool propagate = true;
  sharding::propagation::Options propagation;
  sharding::passes::ExportOptions exporting;
  // Rules of custom calls: target and rule text.
  std::vector<std::pair<std::string, std::string>> rules;
  // Of other runs on the same module, which may differ in mesh, annotations and edits; null for none.
  sharding::passes::RuleBooks* rule_books = nullptr;
  // The user's names of the arrays that the program returns, in order: out['w1']. HLO has no place
  // for them.
  std::vector<std::string> result_names;
  // The run ends after the pass of this name, and the text is what the pass left. ShardModule()
  // only.
  std::string stop_after;
  // Threads for work on many variants of the module; 0: as many as the process may use.
  int64_t jobs = 0;
  // Of a target's compiler, between the clean-ups and the import; see verbs/costs/target/target_front.h.
  sharding::passes::Pipeline in_front;
  std::optional<size_t> kept_callees;  // as of passes::CleanUp()
  // Watches the passes; none if null.
  sharding::passes::PassObserver* pass_observer = nullptr;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_SHARD_OPTIONS_H_
