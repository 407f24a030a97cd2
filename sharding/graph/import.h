// Import: an HLO module becomes the graph on which propagation runs.
//
//   absl::StatusOr<std::unique_ptr<Graph>> graph = ImportModule(module);
//   absl::StatusOr<Propagated> run = PropagateGraph(graph->get(), &book);   // run.h
//
// The passes, in the reference's order (each has a header of its own in import/ and prepare/):
//
//   build_graph          computations as blocks, tuples gone
//   splat_constants      large constants of one value become broadcasts
//   canonicalize         dead ops, loop invariants, reshapes that change nothing
//   annotations          meshes, shardings of parameters and ops, results of functions
//   shard_maps           calls of manual bodies become manual computations
//   custom_calls         Sharding calls, groups and barriers become marks
//   captures             what loops read from outside is opened
//   merge_meshes         one mesh for each set of devices
//   canonicalize         again
//   size_one_axes        leave the shardings
//   calls                take the shardings of their callees' results
//   constants            one copy of a constant expression for each consumer
//   manual_axes          reserved at the boundaries of manual computations
//   edges                for results of loops, cases, barriers, manual computations
//   constraints          bind their operands
//   groups               merged and numbered
//   calls                inlined as regions (before the constraints in older releases)

#ifndef TESSERA_SHARDING_GRAPH_IMPORT_H_
#define TESSERA_SHARDING_GRAPH_IMPORT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/import/annotation_edits.h"
#include "tessera/sharding/graph/import/user_annotations.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::graph {

// Where the shardings of a module stand.
enum class Encoding : uint8_t {
  kAuto,   // see FindEncoding
  kSdy,    // xla.sdy.* attributes: what JAX and PJRT write
  kNamed,  // sharding={mesh[..], ..}, V3
  kGspmd,  // sharding={devices=..} on any instruction; compilers do so in tests only
};

// kPlain if the module asks for it (xla.sdy.import_mhlo_shardings), kSdy if anything has an
// xla.sdy attribute, kNamed if some sharding={..} names a mesh, otherwise kSdy.
Encoding FindEncoding(const hlo::Module& module);

// The module says its shardings in attributes xla.sdy.meshes or xla.sdy.sharding.
bool HasSdyAnnotations(const hlo::Module& module);

struct ImportOptions {
  Encoding encoding = Encoding::kAuto;
  // Takes the place of every mesh of the module that has axes.
  std::optional<Mesh> mesh;
  // Of the release that is imitated; the graph hands them to all passes.
  reference::Behaviors behaviors;
  // On top of what the module says.
  std::vector<UserAnnotation> annotations;
  // In place of what the module and `annotations` say.
  std::vector<AnnotationEdit> edits;
};

// `module` must outlive the graph. InvalidArgument (text::ErrorAt) for annotations that contradict
// themselves or the module.
absl::StatusOr<std::unique_ptr<Graph>> ImportModule(const hlo::Module& module,
                                                    const ImportOptions& options = {});

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_IMPORT_H_
