#include "tessera/sharding/graph/import.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/import/annotations.h"
#include "tessera/sharding/graph/import/build_graph.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/import/captures.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/import/frontend.h"
#include "tessera/sharding/graph/import/named_annotations.h"
#include "tessera/sharding/graph/import/plain_annotations.h"
#include "tessera/sharding/graph/import/shard_maps.h"
#include "tessera/sharding/graph/import/splat_constants.h"
#include "tessera/sharding/graph/prepare/calls.h"
#include "tessera/sharding/graph/prepare/constants.h"
#include "tessera/sharding/graph/prepare/constraints.h"
#include "tessera/sharding/graph/prepare/edges.h"
#include "tessera/sharding/graph/prepare/groups.h"
#include "tessera/sharding/graph/prepare/manual_axes.h"
#include "tessera/sharding/graph/prepare/merge_meshes.h"
#include "tessera/sharding/graph/prepare/size_one_axes.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

// Slots for what the user said, in one of the encodings.
absl::Status ReadAnnotations(Graph* graph, const ImportOptions& options, Frontend* frontend) {
  frontend->set_mesh(options.mesh);
  absl::Status read;
  switch (options.encoding) {
    case Encoding::kNamed:
      read = ReadNamedAnnotations(graph, frontend);
      break;
    case Encoding::kPlain:
      read = ReadPlainAnnotations(graph, frontend);
      break;
    default:
      read = ReadSdyAnnotations(graph, frontend);
  }
  TESSERA_RETURN_IF_ERROR(read);
  return ApplyUserAnnotations(graph, options.annotations);
}

// Everything up to the marks of the user; the graph is then one of ops, marks and shardings.
absl::Status ReadModule(Graph* graph, const ImportOptions& options) {
  TESSERA_RETURN_IF_ERROR(BuildGraph(graph));
  ExpandSplatConstants(graph);
  Canonicalize(graph);
  Frontend frontend(graph);
  TESSERA_RETURN_IF_ERROR(ReadAnnotations(graph, options, &frontend));
  TESSERA_RETURN_IF_ERROR(ImportShardMaps(graph, &frontend));
  TESSERA_RETURN_IF_ERROR(ImportMarks(graph, &frontend));
  OpenCapturedValues(graph);
  // Plain shardings come with one mesh of their own.
  if (options.encoding != Encoding::kPlain) {
    TESSERA_RETURN_IF_ERROR(MergeMeshes(graph, [&](ShardingId id, const absl::Status& status) {
      return frontend.ErrorWhere(id, status);
    }));
  }
  Canonicalize(graph);
  // The reference hands a fresh copy of the module to the passes below, so that nothing of the order
  // in which uses came and went up to here counts (order_test.cc).
  graph->RenewUses();
  return absl::OkStatus();
}

absl::Status Prepare(Graph* graph) {
  RemoveUnusedFunctions(graph);
  RemoveSizeOneAxes(graph);
  TakeCalleeResultShardings(graph);
  SplitConstants(graph);
  ReserveManualAxes(graph);
  AddEdges(graph);
  InlineCalls(graph);
  ApplyConstraints(graph);
  return MergeGroups(graph);
}

bool ModuleHas(const hlo::Module& module, absl::string_view key) {
  for (const auto& [name, value] : module.header().frontend_attributes) {
    if (name == key) return true;
  }
  return false;
}

bool AnyAttributeHas(const hlo::Module& module, hlo::AttributeName name, absl::string_view part) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto text = module.FindAttribute(id, name);
    if (text.has_value() && absl::StrContains(*text, part)) return true;
  }
  return false;
}

}  // namespace

Encoding FindEncoding(const hlo::Module& module) {
  using hlo::AttributeName;
  if (ModuleHas(module, kImportMhloAttribute)) return Encoding::kPlain;
  if (ModuleHas(module, kMeshesAttribute)) return Encoding::kSdy;
  if (AnyAttributeHas(module, AttributeName::kFrontendAttributes,
                      absl::StrCat(kShardingAttribute, "="))) {
    return Encoding::kSdy;
  }
  return AnyAttributeHas(module, AttributeName::kSharding, "mesh[") ? Encoding::kNamed
                                                                    : Encoding::kSdy;
}

absl::StatusOr<std::unique_ptr<Graph>> ImportModule(const hlo::Module& module,
                                                    const ImportOptions& options) {
  ImportOptions resolved = options;
  if (resolved.encoding == Encoding::kAuto) resolved.encoding = FindEncoding(module);
  auto graph = std::make_unique<Graph>(&module);
  TESSERA_RETURN_IF_ERROR(ReadModule(graph.get(), resolved));
  TESSERA_RETURN_IF_ERROR(Prepare(graph.get()));
  return graph;
}

}  // namespace tessera::sharding::graph
