// How the tensors of an op agree on its mesh and on the axes of its factors, each step in a source of its own.
//
//   FactorAxes common = CommonAxes(table, {64, 64, 64});   // by factor: [a], [], [b]

#ifndef TESSERA_SHARDING_RESHARD_AGREE_AGREE_H_
#define TESSERA_SHARDING_RESHARD_AGREE_AGREE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reference/behaviors.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::reshard {

using FactorAxes = std::vector<AxisList>;  // by factor

// `elements`: the element count of each tensor, operands first; 0 if unknown. What `behaviors` change: greedy_axes.cc.
FactorAxes CommonAxes(const factors::FactorTable& table, absl::Span<const int64_t> elements,
                      const reference::Behaviors& behaviors = {});

// The axes chosen for each factor; no axis serves two of them. `elements`: the element count of
// each tensor, operands first. How, and what `behaviors` change: greedy_axes.cc.
std::vector<AxisList> GreedyAxes(const factors::FactorTable& table,
                                 absl::Span<const int64_t> elements,
                                 const reference::Behaviors& behaviors = {});

// Empties the list of each factor that needs replication. If every tensor has the factor, its axes
// go, in order, to the batching factors, ascending, as far as their sizes divide evenly; what finds
// no place is dropped.
//   concatenate along i of size 8, batching factor j of size 6; axes a=2, c=4:
//   {i: [a, c], j: []}  ->  {i: [], j: [a]}
void HandOnReplicated(const factors::OpShardingRule& rule, const Mesh& mesh,
                      std::vector<AxisList>& axes);

// The factor whose axes the result should take from the operand. (Then the sum and the reshard to
// the old sharding make one reduce-scatter.) Only if the operands agree, and the result differs
// from them in this factor alone. There it must have just the axes over which the partial sums are
// added up.
//
//   A [i: -, k: a]  B [k: a, j: -]  C [i: a, j: -]    nothing: i of A has no axes to offer
//   A [i: b, k: a]  B [k: a, j: -]  C [i: a, j: -]    i: C takes b, then is resharded to a
//
// `elements`: element counts of lhs, rhs and result.
std::optional<int> ConflictOfDot(const factors::FactorTable& table,
                                 absl::Span<const int64_t> elements);

// The mesh that most of the tensors use (null: a tensor without a sharding), the first one of
// several. None if there is none, if two have different axes, or if it is a single device. Empty
// meshes do not count.
std::optional<MeshId> OpMesh(absl::Span<const TensorSharding* const> shardings,
                             const MeshTable& meshes);

// The axes for each factor of a reshape (one operand, one result) of which some tensor has
// overflowing axes. The axes of the side that is sharded more are dealt out anew to the factors of
// both sides. They can agree on the common prefix of both. How: reshape_axes.cc.
std::vector<AxisList> ReshapeAxes(const factors::FactorTable& table);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_AGREE_H_
