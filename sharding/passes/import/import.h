// Options of the import of a module, and the places where a module has its shardings.
//
//   Encoding encoding = FindEncoding(module);
//   ImportOptions options;
//   options.mesh = *Mesh::Create({{"data", 4}, {"model", 2}});   // wins over those of the module
//
// The passes of the import stand in sharding/passes/import_passes.cc.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_IMPORT_H_
#define TESSERA_SHARDING_PASSES_IMPORT_IMPORT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/passes/import/annotations/annotation_edits.h"
#include "tessera/sharding/passes/import/annotations/user_annotations.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::passes {

// Where the shardings of a module stand.
enum class Encoding : uint8_t {
  kAuto,   // see FindEncoding
  kSdy,    // xla.sdy.* attributes: what JAX and PJRT write
  kNamed,  // sharding={mesh[..], ..}, V3
  kGspmd,  // sharding={devices=..} on any instruction; compilers do so in tests only
};

// kGspmd if the module asks for it (xla.sdy.import_mhlo_shardings), kSdy if anything has an
// xla.sdy attribute, kNamed if some sharding={..} names a mesh, otherwise kSdy.
Encoding FindEncoding(const hlo::Module& module);

// Whether the module has attributes xla.sdy.meshes or xla.sdy.sharding.
bool HasSdyAnnotations(const hlo::Module& module);

struct ImportOptions {
  Encoding encoding = Encoding::kAuto;
  // Takes the place of every mesh of the module that has axes.
  std::optional<Mesh> mesh;
  // Of the release that is imitated; the program hands them to all passes.
  reference::Behaviors behaviors;
  // The module's shardings are those of the end, and are not propagated.
  bool is_final = false;
  // In addition to the module's annotations.
  std::vector<UserAnnotation> annotations;
  // Replace the annotations of the module and of `annotations`.
  std::vector<AnnotationEdit> edits;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_IMPORT_H_
