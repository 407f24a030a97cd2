// HLO to graph: a graph of ops, marks and shardings of the user.

#include <memory>

#include "tessera/sharding/graph/import/annotations/annotation_edits.h"
#include "tessera/sharding/graph/import/annotations/annotations.h"
#include "tessera/sharding/graph/import/annotations/named_annotations.h"
#include "tessera/sharding/graph/import/annotations/plain_annotations.h"
#include "tessera/sharding/graph/import/annotations/user_annotations.h"
#include "tessera/sharding/graph/import/build/build_graph.h"
#include "tessera/sharding/graph/import/build/captures.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/import/shard_maps.h"
#include "tessera/sharding/graph/import/splat_constants.h"
#include "tessera/sharding/graph/prepare/merge_meshes.h"
#include "tessera/sharding/passes/graph_passes.h"
#include "tessera/sharding/passes/pass_lists.h"

namespace tessera::sharding::passes {
namespace {

using graph::Encoding;

absl::Status Build(Context& c) {
  if (c.import.encoding == Encoding::kAuto) c.import.encoding = graph::FindEncoding(c.module);
  c.graph = std::make_unique<graph::Graph>(&c.module);
  c.graph->set_behaviors(c.import.behaviors);
  return graph::BuildGraph(c.graph.get());
}

// Slots for what the module says, in one of the encodings.
absl::Status ImportShardings(Context& c) {
  c.frontend = std::make_unique<graph::SdyAttributeReader>(c.graph.get());
  c.frontend->set_mesh(c.import.mesh);
  switch (c.import.encoding) {
    case Encoding::kNamed:
      return graph::ReadNamedAnnotations(c.graph.get(), c.frontend.get());
    case Encoding::kGspmd:
      return graph::ReadPlainAnnotations(c.graph.get(), c.frontend.get());
    default:
      return graph::ReadSdyAnnotations(c.graph.get(), c.frontend.get());
  }
}

absl::Status DedupMeshes(Context& c) {
  // Plain shardings come with one mesh of their own.
  if (c.import.encoding == Encoding::kGspmd) return absl::OkStatus();
  return graph::MergeMeshes(c.graph.get(), [&](ShardingId id, const absl::Status& status) {
    return c.frontend->ErrorWhere(id, status);
  });
}

// The reference hands a fresh copy of the module to the passes below, so that nothing of the order
// in which uses came and went up to here counts (order_test.cc).
absl::Status EndImport(Context& c) {
  c.frontend = nullptr;
  c.graph->RenewUses();
  return absl::OkStatus();
}

}  // namespace

Pipeline ImportPasses() {
  constexpr Phase kImport = Phase::kImport;
  return {
      {"build-graph", kImport, "-",
       "computations become blocks of ops; tuples are flattened, loops and branches get regions",
       Build},
      {"expand-splat-constants", kImport, "-",
       "large constants of one value become a scalar and its broadcast",
       OnGraph(graph::ExpandSplatConstants)},
      {"canonicalize", kImport, "canonicalize",
       "dead ops and reshapes that change nothing go; loop invariants become captures",
       OnGraph(graph::Canonicalize)},
      {"xla-sdy-import-shardings", kImport,
       "xla-sdy-round-trip-import-shardy-attrs, xla-sdy-import-shardings",
       "meshes, and the shardings that the module says, are put on values", ImportShardings},
      {"apply-user-annotations", kImport, "-",
       "adds what --annotate says: shardings of parameters, constraints",
       [](Context& c) { return graph::ApplyUserAnnotations(c.graph.get(), c.import.annotations); }},
      {"xla-sdy-round-trip-shard-map-import", kImport, "xla-sdy-round-trip-shard-map-import",
       "the three calls of a shard_map become one manual computation",
       [](Context& c) { return graph::ImportShardMaps(c.graph.get(), c.frontend.get()); }},
      {"xla-sdy-import-sdy-custom-calls", kImport, "xla-sdy-import-sdy-custom-calls",
       "custom calls become constraints, sharding groups and propagation barriers",
       [](Context& c) { return graph::ImportMarks(c.graph.get(), c.frontend.get()); }},
      {"xla-sdy-open-while-free-vars-sharding", kImport, "xla-sdy-open-while-free-vars-sharding",
       "loops read sharded values from outside through a fully open constraint",
       OnGraph(graph::OpenWhileFreeVarsShardings)},
      {"xla-sdy-round-trip-dedup-meshes", kImport,
       "xla-sdy-round-trip-dedup-meshes, sdy-lift-inlined-meshes",
       "one mesh for each set of devices", DedupMeshes},
      {"apply-annotation-edits", kImport, "-",
       "replaces annotations on trial: what `explain` suggests is tried in this way",
       [](Context& c) { return graph::ApplyAnnotationEdits(c.graph.get(), c.import.edits); }},
      {"canonicalize-imported", kImport, "canonicalize",
       "the same clean-up once more; manual computations drop arguments that they do not use",
       OnGraph(graph::Canonicalize)},
      {"end-import", kImport, "-", "use lists as in a program that has just been read", EndImport},
  };
}

}  // namespace tessera::sharding::passes
