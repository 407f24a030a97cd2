// Axes of size 1 leave all shardings; meshes keep them.
//
//   mesh ["a"=1, "b"=2]:   [{"a", "b"}, {"a"}p1]   ->   [{"b"}, {}]

#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/prepare/rewrite_shardings.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding::passes {

void RemoveSizeOneAxes(HloProgram* program) {
  bool any = false;
  for (MeshId id = 0; id < program->meshes().size(); ++id) {
    any |= program->meshes().mesh(id).has_size_one_axis();
  }
  if (!any) return;
  RewriteShardings(program, [&](const TensorSharding& s) {
    return sharding::RemoveSizeOneAxes(s, program->meshes().mesh(s.mesh_id()));
  });
}

}  // namespace tessera::sharding::passes
