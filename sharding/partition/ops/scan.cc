// Scans: prefix sums, products, .. of the lines along one dimension. Each device scans its shard. A
// line that is cut into shards is scanned in parts. The totals of the shards are gathered and
// scanned, and each shard begins with the total of those in front of it.
//
//   scan f32[16,64], dimensions={1}, both dimensions cut: [2,4]
//   ->  scan of f32[8,16] for its total f32[8]; all-gather f32[8,4]; scan of f32[8,4];
//       scan of f32[8,16] from the total in front
//
// XLA scans the gathered totals and chooses 0 or the total in front; here the start stands in front
// of the totals. Asked of jaxlib 0.12.0.1 for one array and one carry. All else is replicated, as
// jaxlib 0.10.2 does with every scan. Tested by partitioner_test.cc and reference_test.cc.

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {
namespace {

struct Lines {
  int64_t dim = 0;
  PartitionedHlo array, start;  // what is scanned, and the carry that it begins with
};

bool IsOfOneArray(const Visit& v) {
  return v.operands.size() == 2 && v.base->is_tuple() && v.base->tuple_elements().size() == 2 &&
         v.operands[0].base->is_array();
}

// XLA gives the results the shapes of array and carry.
bool KeepsShapes(const Visit& v) {
  for (size_t k = 0; k < 2; ++k) {
    if (v.base->tuple_elements()[k].dims() != v.operands[k].base->dims()) return false;
  }
  return true;
}

// Even shards of two elements or more, scanned from the first one on.
bool CanScanInParts(const Visit& v, int64_t dim) {
  const int64_t size = v.operands[0].base->dim(dim), parts = v.leaves[0].dim(dim);
  const auto flag = [&](hlo::AttributeName name) {
    return v.module().FindAttribute(v.id, name).value_or("false") == "true";
  };
  return size % parts == 0 && size > parts && flag(hlo::AttributeName::kIsAssociative) &&
         !flag(hlo::AttributeName::kIsReverse);
}

// The results of a scan of so many elements of a line.
Shape Scanned(const Shape& array, const Shape& carry) { return Shape::Tuple({array, carry}); }

Shape WithSize(Shape shape, int64_t dim, int64_t size) {
  shape.set_dim(dim, size);
  return shape;
}

NodeId ScanFrom(Visit& v, NodeId array, NodeId start) {
  const Graph& graph = v.graph();
  return Clone(v, Scanned(graph.shape(array), graph.shape(start)), {array, start});
}

// The total of the device's part of each line.
NodeId TotalOfShard(Visit& v, const Lines& lines) {
  Graph& graph = v.graph();
  const NodeId array = lines.array.node;
  const Shape shape = graph.shape(array), carry = graph.shape(lines.start.node);
  const NodeId first = graph.SliceFrom(WithSize(shape, lines.dim, 1), array, lines.dim, 0);
  const Shape rest = WithSize(shape, lines.dim, shape.dim(lines.dim) - 1);
  const NodeId scan =
      ScanFrom(v, graph.SliceFrom(rest, array, lines.dim, 1), graph.Reshape(carry, first));
  return graph.Element(scan, 1);
}

// The totals of all parts of a line, side by side.
NodeId GatherTotals(Visit& v, const Lines& lines, NodeId total) {
  Graph& graph = v.graph();
  const Tiling& tiling = lines.array.tiling;
  Dims others = AllExcept(lines.array.base.rank(), {lines.dim});
  if (tiling.LastIsReplicated()) others.push_back(tiling.num_dims() - 1);
  const Grouping groups = GroupOn(tiling, others);
  const Shape part = WithSize(graph.shape(lines.array.node), lines.dim, 1);
  const Shape whole = WithSize(part, lines.dim, tiling.dim(lines.dim));
  DeviceGroupScope& scope = lines.array.scope->PerGroup(groups.devices);
  return Replicate({graph.Reshape(part, total), whole, groups.inner, &scope}).node;
}

NodeId ScanInParts(Visit& v, const Lines& lines) {
  Graph& graph = v.graph();
  const int64_t rank = lines.array.base.rank();
  const NodeId start = lines.start.node;
  const NodeId totals = GatherTotals(v, lines, TotalOfShard(v, lines));
  const NodeId scan = ScanFrom(v, totals, start);
  const Shape one = WithSize(graph.shape(totals), lines.dim, 1);
  const Shape all = WithSize(one, lines.dim, graph.shape(totals).dim(lines.dim) + 1);
  const NodeId in_front =
      graph.Concatenate(all, {graph.Reshape(one, start), graph.Element(scan, 0)}, lines.dim);
  const NodeId mine = graph.DynamicSlice(
      one, {in_front},
      StartsAlong(graph, lines.dim, rank,
                  OrdinalsAlong(*lines.array.scope, lines.array.tiling, lines.dim)));
  const NodeId shard = ScanFrom(v, lines.array.node, graph.Reshape(graph.shape(start), mine));
  return graph.AddTuple({graph.Element(shard, 0), graph.Element(scan, 1)});
}

}  // namespace

absl::StatusOr<NodeId> PartitionScan(Visit& v) {
  if (!v.graph().behaviors().scans_stay_cut || v.OnOneDevice()) return Default(v);
  if (!IsOfOneArray(v) || v.leaves[0].IsMaximal()) return Default(v);
  const Tiling& tiling = v.leaves[0];
  const auto dims = hlo::GetInts(v.module(), v.id, hlo::AttributeName::kDimensions);
  if (!dims.has_value() || dims->size() != 1) return Default(v);
  const int64_t dim = dims->front();
  if (!KeepsShapes(v)) {
    return absl::InvalidArgumentError(
        "XLA's partitioner fails at a scan whose results have other shapes than its array and its "
        "carry");
  }
  const bool is_cut = tiling.IsTiled() && tiling.dim(dim) > 1;
  if (is_cut && !CanScanInParts(v, dim)) return Default(v);
  const Tiling carry = RemoveDims(ReplicateOn(tiling, {dim}), {dim});
  const Lines lines = {dim, Reshard(v.operand(0), tiling), Reshard(v.operand(1), carry)};
  const NodeId node =
      is_cut ? ScanInParts(v, lines) : ScanFrom(v, lines.array.node, lines.start.node);
  return ReshardLeaves({node, v.base, {tiling, carry}, v.scope}, v.leaves);
}

}  // namespace tessera::sharding::partition
