// The mesh that the shardings of a program's text speak of, where the text names none.
//
//   // %x f32[8,4] [{"a", "b":(1)2}, {}] unreduced={"c"}
//   AssumedMesh(named);                             // <["c"=2, "a"=2, "b"=4]>
//   ForEachAxis(sharding, [](const AxisText& axis) { .. });
//
// Every axis has two devices, or twice as many as the parts of it that are named reach. Lists of
// replicated and unreduced axes are in order of the mesh and come first: a new axis stands in front
// of the known ones that its list has after it.

#ifndef TESSERA_TESTING_PROGRAM_TEXT_ASSUMED_MESH_H_
#define TESSERA_TESTING_PROGRAM_TEXT_ASSUMED_MESH_H_

#include "absl/status/statusor.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/program_text/named_program.h"

namespace tessera::sharding::passes {

// Errors as of Mesh::Create.
absl::StatusOr<Mesh> AssumedMesh(const NamedProgram& named);

template <typename F>
void ForEachAxis(const ShardingText& sharding, F f) {
  for (const DimensionText& dim : sharding.dims) {
    for (const AxisText& axis : dim.axes) f(axis);
  }
  for (const AxisText& axis : sharding.replicated) f(axis);
  for (const AxisText& axis : sharding.unreduced) f(axis);
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_TESTING_PROGRAM_TEXT_ASSUMED_MESH_H_
