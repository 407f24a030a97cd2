#include "tessera/sharding/graph/import.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/graph/import/annotation_edits.h"
#include "tessera/sharding/graph/import/annotations.h"
#include "tessera/sharding/graph/import/build_graph.h"
#include "tessera/sharding/graph/import/canonicalize.h"
#include "tessera/sharding/graph/import/captures.h"
#include "tessera/sharding/graph/import/custom_calls.h"
#include "tessera/sharding/graph/import/named_annotations.h"
#include "tessera/sharding/graph/import/plain_annotations.h"
#include "tessera/sharding/graph/import/sdy_attribute_reader.h"
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
absl::Status ReadAnnotations(Graph* graph, const ImportOptions& options,
                             SdyAttributeReader* frontend) {
  frontend->set_mesh(options.mesh);
  absl::Status read;
  switch (options.encoding) {
    case Encoding::kNamed:
      read = ReadNamedAnnotations(graph, frontend);
      break;
    case Encoding::kGspmd:
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
  SdyAttributeReader frontend(graph);
  TESSERA_RETURN_IF_ERROR(ReadAnnotations(graph, options, &frontend));
  TESSERA_RETURN_IF_ERROR(ImportShardMaps(graph, &frontend));
  TESSERA_RETURN_IF_ERROR(ImportMarks(graph, &frontend));
  OpenWhileFreeVarsShardings(graph);
  // Plain shardings come with one mesh of their own.
  if (options.encoding != Encoding::kGspmd) {
    TESSERA_RETURN_IF_ERROR(MergeMeshes(graph, [&](ShardingId id, const absl::Status& status) {
      return frontend.ErrorWhere(id, status);
    }));
  }
  TESSERA_RETURN_IF_ERROR(ApplyAnnotationEdits(graph, options.edits));
  Canonicalize(graph);
  // The reference hands a fresh copy of the module to the passes below, so that nothing of the
  // order in which uses came and went up to here counts (order_test.cc).
  graph->RenewUses();
  return absl::OkStatus();
}

absl::Status Prepare(Graph* graph) {
  RemoveUnusedFunctions(graph);
  RemoveSizeOneAxes(graph);
  TakeCalleeResultShardings(graph);
  TESSERA_RETURN_IF_ERROR(SplitConstants(graph));
  ReserveManualAxes(graph);
  AddEdges(graph);
  SeparateCallees(graph);
  if (!graph->behaviors().constraints_bind_before_inlining) {
    InlineCalls(graph);
    ApplyConstraints(graph);
    return MergeGroups(graph);
  }
  AddCallEdges(graph);
  ApplyConstraints(graph);
  SinkCallEdges(graph);
  TESSERA_RETURN_IF_ERROR(MergeGroups(graph));
  InlineCalls(graph);
  return absl::OkStatus();
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

// `[` is next, behind blanks and comments.
bool OpensBracket(absl::string_view text) {
  for (;;) {
    text = absl::StripLeadingAsciiWhitespace(text);
    const bool is_line = absl::StartsWith(text, "//");
    if (!is_line && !absl::StartsWith(text, "/*")) return absl::StartsWith(text, "[");
    const absl::string_view close = is_line ? "\n" : "*/";
    const size_t end = text.find(close, 2);
    if (end == absl::string_view::npos) return false;
    text.remove_prefix(end + close.size());
  }
}

// A sharding in named form begins with mesh[, maximal_mesh[ or single_device[.
bool IsNamedForm(absl::string_view sharding) {
  for (absl::string_view word : {"mesh", "single_device"}) {
    for (size_t at = sharding.find(word); at != absl::string_view::npos;
         at = sharding.find(word, at + 1)) {
      if (OpensBracket(sharding.substr(at + word.size()))) return true;
    }
  }
  return false;
}

bool AnyShardingIsNamed(const hlo::Module& module) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto text = module.FindAttribute(id, hlo::AttributeName::kSharding);
    if (text.has_value() && IsNamedForm(*text)) return true;
  }
  return false;
}

}  // namespace

bool HasSdyAnnotations(const hlo::Module& module) {
  return ModuleHas(module, kMeshesAttribute) ||
         AnyAttributeHas(module, hlo::AttributeName::kFrontendAttributes,
                         absl::StrCat(kShardingAttribute, "="));
}

Encoding FindEncoding(const hlo::Module& module) {
  if (ModuleHas(module, kImportMhloAttribute)) return Encoding::kGspmd;
  if (HasSdyAnnotations(module)) return Encoding::kSdy;
  return AnyShardingIsNamed(module) ? Encoding::kNamed : Encoding::kSdy;
}

absl::StatusOr<std::unique_ptr<Graph>> ImportModule(const hlo::Module& module,
                                                    const ImportOptions& options) {
  ImportOptions resolved = options;
  if (resolved.encoding == Encoding::kAuto) resolved.encoding = FindEncoding(module);
  auto graph = std::make_unique<Graph>(&module);
  graph->set_behaviors(options.behaviors);
  TESSERA_RETURN_IF_ERROR(ReadModule(graph.get(), resolved));
  TESSERA_RETURN_IF_ERROR(Prepare(graph.get()));
  return graph;
}

}  // namespace tessera::sharding::graph
