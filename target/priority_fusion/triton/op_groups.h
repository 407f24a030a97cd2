// The ops of a kernel of Triton by their tiles: a chain of element-wise ops is one group.
//
//   y = f32[8,64] multiply(n, n); n = negate(x)      // one group: each tile of y needs that tile of n
//   r = f32[8] reduce(n, 0), dimensions={1}          // n is a group of its own if r reads it, too
//
// An op is in the group of its readers if all of them are in one, element-wise, and as large. Each tile of the result
// then visits groups in the place of ops. Cost: linear in the expression. Tested by triton_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_TRITON_OP_GROUPS_H_
#define TESSERA_TARGET_PRIORITY_FUSION_TRITON_OP_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/target/priority_fusion/model/expression.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/triton/known_tiles.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// Of an op of the expression, for one tile of the result: mostly one.
struct OpTiles {
  static constexpr TileId kNone = ~TileId{0};
  TileId first = kNone;
  std::vector<TileId> others;

  void Add(TileId tile) {
    if (first == kNone) {
      first = tile;
    } else if (first != tile && !absl::c_linear_search(others, tile)) {
      others.push_back(tile);
    }
  }
};

// A kernel that the expression reads, and the tiles of it, for one tile of the result.
struct OperandRead {
  uint32_t op = 0;
  double width = 0;  // bytes of an element
  double bytes = 0, rate = 1;
  OpTiles tiles = {};
};

// An operand of an op of the expression.
struct Edge {
  enum How : uint8_t { kScalar, kSame, kByShape };
  How how = kByShape;
  bool is_read = false;      // from memory
  uint32_t to = 0;           // place of a read, or of a group
  InstructionId op = kNoId;  // whose operand it is
  size_t operand = 0;
};

// Ops that always have the same tiles.
struct OpGroup {
  double flops = 0;  // of an element of each
  bool has_iota = false;
  absl::InlinedVector<Edge, 2> edges;
  OpTiles tiles = {};

  // Two that hand on the same tile are one.
  void Add(const Edge& edge) {
    const auto is_same = [&](const Edge& other) {
      return other.how == edge.how && other.is_read == edge.is_read && other.to == edge.to;
    };
    if (edge.how == Edge::kByShape || absl::c_none_of(edges, is_same)) edges.push_back(edge);
  }
};

struct OpGroups {
  std::vector<OpGroup> groups;  // in front of those that they read; the first one is the result's
  std::vector<OperandRead> reads;  // in the order in which the expression reads them, result first
};

OpGroups GroupsOf(const DeviceProgram& program, absl::Span<const InstructionId> ids,
                  absl::Span<const OpFacts> facts, const Expression& expression);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_TRITON_OP_GROUPS_H_
