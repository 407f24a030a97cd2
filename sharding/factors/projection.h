// The factor table of one op: its tensor shardings rewritten in terms of the factors of its rule,
// which is the form that propagation works on, and the way back.
//
//   // mesh a=2 b=4, reshape 16 -> 4x4 with the rule ([ij])->([i, j]) {i=4, j=4}
//   FactorTable table;
//   table.Project(rule, {&operand, nullptr}, mesh);  // operand is [{a, b}], the result has none
//   table.Find(0, /*factor i*/ 0)->axes;             // a, b:(1)2
//   table.Find(0, /*factor j*/ 1)->axes;             // b:(2)2
//   table.Expand(0, table.Find(0, 0)->axes);         // factor i of the result gets them as well
//   table.Expand(1, table.Find(0, 1)->axes);
//   table.ToSharding(1, mesh_id);                    // [{a, b:(1)2, ?}, {b:(2)2, ?}]
//
// The table, one row for each tensor (operands, then results), one column for each factor:
//
//                 i             j
//   operand 0     a, b:(1)2     b:(2)2          + what the row keeps replicated or unreduced
//   result 0      -             -
//
// Cells exist only where the tensor has the factor. They lie in one array, in the order of
// OpShardingRule's cells, so a table can be used again for the next op without new memory.
//
// Overflow. A dimension [ij] of factors i=4, j=4 that is sharded on an axis of size 3 does not
// reach j: no common divisor. The axis is parked as overflow of i, to be put back unchanged; j is
// empty and closed; factors after j have no cell at all in this row.

#ifndef TESSERA_SHARDING_FACTORS_PROJECTION_H_
#define TESSERA_SHARDING_FACTORS_PROJECTION_H_

#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::factors {

// How one factor is sharded within one tensor.
struct FactorSharding {
  AxisList axes;               // major to minor
  AxisList overflow;           // parked axes after `axes`, never propagated
  bool exists = false;         // false: the tensor counts as not having the factor
  bool is_closed = false;      // takes no more axes
  bool is_minor_most = false;  // last factor of its dimension: need not divide evenly

  friend bool operator==(const FactorSharding& a, const FactorSharding& b) {
    return a.exists == b.exists && a.is_closed == b.is_closed &&
           a.is_minor_most == b.is_minor_most && a.axes == b.axes && a.overflow == b.overflow;
  }
};

// The axes of a tensor beside its factors.
struct TensorRow {
  AxisList replicated;
  AxisList unreduced;
  Reduction reduction = Reduction::kSum;
};

// A tensor without a sharding counts as open or closed.
enum class MissingSharding { kOpen, kClosed };

class FactorTable {
 public:
  // Fills the table with the shardings of the rule's tensors, operands first; a null pointer is a
  // tensor without one. All refer to axes of `mesh`; each has the rank that the rule says. The rule
  // and the mesh must outlive the table's use.
  void Project(const OpShardingRule& rule, absl::Span<const TensorSharding* const> shardings,
               const Mesh& mesh, MissingSharding missing = MissingSharding::kOpen);

  const OpShardingRule& rule() const { return *rule_; }
  const Mesh& mesh() const { return *mesh_; }

  // By the rule's cell number. Check `exists`.
  const FactorSharding& cell(int cell) const { return cells_[cell]; }
  FactorSharding& cell(int cell) { return cells_[cell]; }
  const TensorRow& row(int t) const { return rows_[t]; }

  // The cell of tensor `t` and factor `f`; null if it does not exist.
  const FactorSharding* Find(int t, int f) const;

  // Gives `axes` to each tensor in which factor `f` exists and is sharded on a strict prefix of
  // them. Overflow and flags stay. True if any tensor changed; each of these is set in `changed`,
  // if given, which has a flag for each tensor.
  bool Expand(int f, absl::Span<const AxisRef> axes, std::vector<bool>* changed = nullptr);

  // Gives exactly `axes` and `overflow` to each tensor in which factor `f` exists. Result as above.
  bool Update(int f, absl::Span<const AxisRef> axes, absl::Span<const AxisRef> overflow,
              std::vector<bool>* changed = nullptr);

  // The longest list of axes with which factor `f` begins in each tensor where it exists; its last
  // axis may be a common part only.
  AxisList CommonPrefix(int f) const;

  // The sharding that row `t` stands for, without priorities. Axes of a factor after one that is
  // not sharded fully are dropped, since a tensor cannot express them.
  TensorSharding ToSharding(int t, MeshId mesh_id) const;

 private:
  void ProjectTensor(int t, const TensorSharding* sharding, bool closed_if_missing);
  void ProjectDim(int t, int d, absl::Span<const AxisRef> axes, bool closed);
  DimensionSharding ToDimension(int t, int d) const;

  const OpShardingRule* rule_ = nullptr;
  const Mesh* mesh_ = nullptr;
  std::vector<FactorSharding> cells_;
  std::vector<TensorRow> rows_;
};

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_PROJECTION_H_
