// HLO to a program: ops, marks, and the shardings of the user.

#include <memory>

#include "tessera/sharding/passes/import/annotations/annotation_edits.h"
#include "tessera/sharding/passes/import/annotations/annotations.h"
#include "tessera/sharding/passes/import/annotations/named_annotations.h"
#include "tessera/sharding/passes/import/annotations/plain_annotations.h"
#include "tessera/sharding/passes/import/annotations/user_annotations.h"
#include "tessera/sharding/passes/import/build/build_program.h"
#include "tessera/sharding/passes/import/build/captures.h"
#include "tessera/sharding/passes/import/canonicalize.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/sharding/passes/import/shard_maps.h"
#include "tessera/sharding/passes/import/splat_constants.h"
#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/program_passes.h"

namespace tessera::sharding::passes {
namespace {

absl::Status Build(Context& c) {
  if (c.import.encoding == Encoding::kAuto) c.import.encoding = FindEncoding(c.module);
  c.program = std::make_unique<HloProgram>(&c.module);
  c.program->set_behaviors(c.import.behaviors);
  return BuildProgram(c.program.get());
}

// Reads the shardings of the module, in its encoding.
absl::Status ImportShardings(Context& c) {
  c.frontend = std::make_unique<SdyAttributeReader>(c.program.get());
  c.frontend->set_mesh(c.import.mesh);
  switch (c.import.encoding) {
    case Encoding::kNamed:
      return ReadNamedAnnotations(c.program.get(), c.frontend.get());
    case Encoding::kGspmd:
      return ReadPlainAnnotations(c.program.get(), c.frontend.get());
    default:
      return ReadSdyAnnotations(c.program.get(), c.frontend.get());
  }
}

absl::Status DedupMeshes(Context& c) {
  // Plain shardings come with one mesh of their own.
  if (c.import.encoding == Encoding::kGspmd) return absl::OkStatus();
  return MergeMeshes(c.program.get(), [&](ShardingId id, const absl::Status& status) {
    return c.frontend->ErrorWhere(id, status);
  });
}

// The reference hands a fresh copy of the module to the passes below. So nothing of the order in
// which uses came and went up to here counts (use_order_test.cc).
absl::Status EndImport(Context& c) {
  c.frontend = nullptr;
  c.program->RenewUses();
  return absl::OkStatus();
}

}  // namespace

Pipeline ImportPasses() {
  constexpr Phase kImport = Phase::kImport;
  return {
      {"build-program", kImport, "-",
       "computations become blocks of ops; tuples are flattened, loops and branches get regions",
       Build},
      {"expand-splat-constants", kImport, "-",
       "large constants of one value become a scalar and its broadcast",
       OnProgram(ExpandSplatConstants)},
      {"canonicalize", kImport, "canonicalize",
       "removes dead ops and reshapes without effect; loop invariants become captures",
       OnProgram(Canonicalize)},
      {"xla-sdy-import-shardings", kImport,
       "xla-sdy-round-trip-import-shardy-attrs, xla-sdy-import-shardings",
       "reads meshes and shardings of the module and puts them on values", ImportShardings},
      {"apply-user-annotations", kImport, "-",
       "adds the annotations of --annotate: shardings of parameters, constraints",
       [](Context& c) { return ApplyUserAnnotations(c.program.get(), c.import.annotations); }},
      {"xla-sdy-round-trip-shard-map-import", kImport, "xla-sdy-round-trip-shard-map-import",
       "the three calls of a shard_map become one manual computation",
       [](Context& c) { return ImportShardMaps(c.program.get(), c.frontend.get()); }},
      {"xla-sdy-import-sdy-custom-calls", kImport, "xla-sdy-import-sdy-custom-calls",
       "custom calls become constraints, sharding groups and propagation barriers",
       [](Context& c) { return ImportMarks(c.program.get(), c.frontend.get()); }},
      {"xla-sdy-open-while-free-vars-sharding", kImport, "xla-sdy-open-while-free-vars-sharding",
       "loops read sharded values from outside through a fully open constraint",
       OnProgram(OpenWhileFreeVarsShardings)},
      {"xla-sdy-round-trip-dedup-meshes", kImport,
       "xla-sdy-round-trip-dedup-meshes, sdy-lift-inlined-meshes",
       "merges meshes to one for each set of devices", DedupMeshes},
      {"apply-annotation-edits", kImport, "-",
       "replaces annotations on trial; `explain` tries its suggestions this way",
       [](Context& c) { return ApplyAnnotationEdits(c.program.get(), c.import.edits); }},
      {"canonicalize-imported", kImport, "canonicalize",
       "canonicalizes again; manual computations drop unused arguments", OnProgram(Canonicalize)},
      {"end-import", kImport, "-", "rebuilds use lists as in a program that was just read",
       EndImport},
  };
}

}  // namespace tessera::sharding::passes
