// The main job as a function: a module goes in, its text with shardings comes out.
//
//   ShardOptions options;
//   options.mesh = *Mesh::Create({{"data", 4}, {"model", 2}});
//   options.annotations = {*ParseAnnotation("w.*=P(None, 'model')")};   // shard_arguments.h
//   absl::StatusOr<ShardResult> result = ShardModule(std::move(module), options);
//   result->text;            // HLO
//   result->notes;           // what the user should know
//
// Whoever wants to look at the state after propagation, or at the final shardings, stops half-way:
//
//   absl::StatusOr<std::unique_ptr<Sharded>> s = Propagate(module, options);
//   s->graph->entry();                 // sharding/graph/graph.h
//   Finalize(options, s->get());       // borders cut, shardings closed, reshards inserted

#ifndef TESSERA_PIPELINE_SHARD_H_
#define TESSERA_PIPELINE_SHARD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/import.h"
#include "tessera/sharding/graph/run.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/sharding/rules/rule_book.h"

namespace tessera::pipeline {

enum class Format : uint8_t {
  // As the reference: V3 unless the module has xla.sdy attributes; before 0.11.2 V3 if the module's
  // own shardings are.
  kAuto,
  kV2,    // sharding={devices=[2,1]<=[2]}
  kV3,    // sharding={mesh['x'=2], [{'x'}, {}]}
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
  // In place of what the module and `annotations` say; instructions are those of Sharded::module.
  std::vector<sharding::graph::AnnotationEdit> edits;
  Format format = Format::kAuto;
  sharding::graph::Encoding import = sharding::graph::Encoding::kAuto;
  Stage stage = Stage::kAuto;
  Structure structure = Structure::kKeep;
  // False: what the pass does for one partition, see passes/one_partition.h. ShardModule() only.
  bool propagate = true;
  sharding::propagation::Options propagation;
  sharding::graph::ExportOptions exporting;
  // Rules of custom calls: target and rule text.
  std::vector<std::pair<std::string, std::string>> rules;
};

// A module after propagation. All parts refer to each other: not movable.
struct Sharded {
  hlo::Module module;  // what the graph was made from: the input, or its cleaned form
  std::optional<hlo::Module> original;  // what it was cleaned from; none if it is the input
  sharding::graph::Encoding encoding = sharding::graph::Encoding::kSdy;
  sharding::factors::RuleTable rules;
  std::unique_ptr<sharding::rules::RuleBook> book;
  std::unique_ptr<sharding::graph::Graph> graph;
  std::unique_ptr<sharding::graph::Propagated> run;
  std::vector<std::string> notes;
};

// The message of an error about the module has file, line, column and caret in the text that was
// given, one for each mistake.
absl::StatusOr<std::unique_ptr<Sharded>> Propagate(
    hlo::Module module, const ShardOptions& options,
    sharding::propagation::Observer* observer = nullptr);

// The passes after propagation, on the graph of `s`: what it says then is what XLA's partitioner gets. Errors as above.
absl::Status Finalize(const ShardOptions& options, Sharded* s);

// The module that the pass leaves, for whoever works on: no text in between.
struct Written {
  hlo::Module module;
  // By instruction of `module`, the one of Sharded::module that it stands for or is a part of; kNoId
  // for what was inserted.
  std::vector<hlo::InstructionId> sources;
};
// `s` has been through Finalize; its graph is used up.
Written WriteModule(const ShardOptions& options, Sharded* s);

struct ShardResult {
  std::string text;
  std::vector<std::string> notes;
};
absl::StatusOr<ShardResult> ShardModule(hlo::Module module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_SHARD_H_
