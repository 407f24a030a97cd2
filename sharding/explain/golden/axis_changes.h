// The change of each axis of a sharding.
//
//   // P('data', 'model') became P('model', None)
//   for (const AxisChange& c : AxisChanges(before, mesh, after, mesh)) ToString(c);
//       // "lost 'data' on dimension 0", "'model' moved from dimension 1 to dimension 0"
//
// Axes are compared by name, so that the two sides may have meshes of their own. Cost: axes
// squared. Tested by comparison_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GOLDEN_AXIS_CHANGES_H_
#define TESSERA_SHARDING_EXPLAIN_GOLDEN_AXIS_CHANGES_H_

#include <string>
#include <vector>

#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::golden {

struct AxisChange {
  enum class Kind { kLost, kGained, kMoved, kReordered, kDevice };
  // The place of an axis along which a value is a partial sum.
  static constexpr int kUnreduced = -1;
  // The value of kDevice for an array that is not on a single device.
  static constexpr int kManyDevices = -1;

  Kind kind = Kind::kLost;
  // 'model', or 'model':(1)2 for a part of it; of kReordered all of them, of kDevice none
  std::string axis;
  // Dimensions, the one that counts for kinds with one; of kDevice devices.
  int64_t from = 0, to = 0;
  std::string mesh_axis;  // model for both; of kReordered and kDevice none
};

const char* KindName(AxisChange::Kind kind);  // "lost", "gained", "moved", "reordered", "device"
std::string ToString(const AxisChange& change);

// In order of the dimensions before, then of those after. Null: no sharding, so no axes. Empty for
// equal placements.
std::vector<AxisChange> AxisChanges(const TensorSharding* before, const Mesh& mesh_before,
                                    const TensorSharding* after, const Mesh& mesh_after);

}  // namespace tessera::sharding::golden

#endif  // TESSERA_SHARDING_EXPLAIN_GOLDEN_AXIS_CHANGES_H_
