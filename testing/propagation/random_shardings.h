// Dice, and meshes, shardings and rules thrown with them.

#ifndef TESSERA_TESTING_PROPAGATION_RANDOM_SHARDINGS_H_
#define TESSERA_TESTING_PROPAGATION_RANDOM_SHARDINGS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

// Uses no library distribution: these differ between machines.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  // 0 .. n - 1.
  int Roll(int n) { return static_cast<int>(engine_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Roll(n) == 0; }
  template <typename Container>
  auto Pick(const Container& c) {
    return c[static_cast<size_t>(Roll(static_cast<int>(std::size(c))))];
  }

 private:
  std::mt19937_64 engine_;
};

using Dims = std::vector<int64_t>;

// Two to four axes of sizes such as 2, 3, 4, 6, 8.
Mesh RandomMesh(Dice& dice);
// Rank 0 to 3.
Dims RandomShape(Dice& dice);
// Valid on `mesh`: no axis twice, sub-axes that go together. With priorities now and then if
// `priorities`. Without the first `skip` axes of the mesh.
TensorSharding RandomSharding(Dice& dice, const Mesh& mesh, MeshId mesh_id, int rank,
                              bool priorities, int skip = 0);

// A rule for operands of these shapes, with one to two results, whose shapes are appended to
// `results`. Factors are shared where sizes allow it; some dimensions have several.
factors::OpShardingRule RandomRule(Dice& dice, const std::vector<Dims>& operands,
                                   std::vector<Dims>& results);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_RANDOM_SHARDINGS_H_
