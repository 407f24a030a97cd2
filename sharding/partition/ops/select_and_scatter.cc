// select-and-scatter. Along a sharded dimension each device takes the windows that touch its part
// of the result: some of its neighbours' source, then the data of those windows.
//
//   // windows of 2 with stride 2 on 4 shards of 4: no window crosses a boundary, no halo
//
// XLA: SpmdPartitioningVisitor::HandleSelectAndScatter.

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/reshard/tables.h"
#include "tessera/sharding/partition/reshard/windows/halo.h"

namespace tessera::sharding::partition {
namespace {

using layout::ElementType;

// Parameters compared by order: the padding has a value that is never selected.
bool SelectsByOrder(const Visit& v) {
  const hlo::Module& module = v.module();
  const ElementType type = v.base->element_type();
  if (type != ElementType::kF32 && type != ElementType::kBf16) return false;
  const hlo::InstructionId root = module.computation(module.called(v.id)[0]).root;
  if (module.instruction(root).opcode != Opcode::kCompare) return false;
  for (hlo::InstructionId operand : module.operands(root)) {
    if (module.instruction(operand).opcode != Opcode::kParameter) return false;
  }
  const absl::string_view direction = hlo::GetComparisonDirection(module, root);
  return direction == "GE" || direction == "GT" || direction == "LE" || direction == "LT";
}

// The select keeps the first of two if it compares so with the second.
recipe::Fill::Number NeverSelected(const Visit& v) {
  const hlo::Module& module = v.module();
  const hlo::InstructionId root = module.computation(module.called(v.id)[0]).root;
  const bool keeps_larger = hlo::GetComparisonDirection(module, root)[0] == 'G';
  const bool in_order = module.instruction(module.operands(root)[0]).parameter_number == 0;
  return keeps_larger == in_order ? recipe::Fill::Number::kLowest : recipe::Fill::Number::kHighest;
}

struct Parts {
  PartitionedHlo data, source;
  NodeId init = -1;
};

// The windows of each shard of the result along a dimension.
struct WindowRange {
  int64_t dim, cuts, shard, source_shard, size;
  const hlo::WindowDimension& window;

  Offset FirstOffset() const {
    return {shard, window.padding_low - size + window.stride, window.stride};
  }
  int64_t First(int64_t i) const { return FirstOffset().At(i); }
  int64_t Limit(int64_t i) const {
    return (shard * (i + 1) + window.padding_low + window.stride - 1) / window.stride;
  }
  int64_t Most() const {
    int64_t most = 0;
    for (int64_t i = 0; i < cuts; ++i) most = std::max(most, Limit(i) - First(i));
    return most;
  }
};

std::optional<NodeId> ExchangeSource(const WindowRange& range, const Parts& parts) {
  Halo halo;
  halo.dim = range.dim;
  halo.left =
      PerShard(range.cuts, [&](int64_t i) { return range.source_shard * i - range.First(i); });
  halo.right = PerShard(range.cuts,
                        [&](int64_t i) { return range.Limit(i) - range.source_shard * (i + 1); });
  HaloRegion region;
  region.padded_size = range.Limit(range.cuts - 1);
  region.shard_size = range.Most();
  region.ordinal = OrdinalsAlong(*parts.source.scope, parts.source.tiling, range.dim);
  region.first_offset = range.FirstOffset().Simplified();
  region.first =
      OffsetAt(parts.source.scope->graph().recipes(), range.FirstOffset(), region.ordinal);
  return ExchangeRegion(parts.source, halo, region, parts.init);
}

std::optional<NodeId> ExchangeData(const WindowRange& range, const Parts& parts, NodeId fill) {
  const int64_t low = range.window.padding_low, stride = range.window.stride;
  Halo halo;
  halo.dim = range.dim;
  halo.left = PerShard(range.cuts,
                       [&](int64_t i) { return range.shard * i + low - range.First(i) * stride; });
  halo.right = PerShard(range.cuts, [&](int64_t i) {
    return range.Limit(i) * stride - (range.shard * (i + 1) + stride + low - range.size);
  });
  HaloRegion region;
  region.left_padding = low;
  region.padded_size = (range.Limit(range.cuts - 1) - 1) * stride + range.size;
  region.shard_size = (range.Most() - 1) * stride + range.size;
  Recipes& recipes = parts.data.scope->graph().recipes();
  region.ordinal = OrdinalsAlong(*parts.data.scope, parts.data.tiling, range.dim);
  region.first = Times(recipes, OffsetAt(recipes, range.FirstOffset(), region.ordinal), stride);
  return ExchangeRegion(parts.data, halo, region, fill);
}

}  // namespace

absl::StatusOr<NodeId> PartitionSelectAndScatter(Visit& v) {
  if (v.tiling().IsMaximal()) return Default(v);
  const hlo::Window windows = hlo::GetWindow(v.module(), v.id);
  if (!SelectsByOrder(v)) return Default(v);
  Graph& graph = v.graph();
  Parts parts = {Reshard(v.operand(0), v.tiling()), Reshard(v.operand(1), v.tiling()), -1};
  const Shape source = *v.operands[1].base;
  parts.init = Replicate(v.operand(2)).node;
  const NodeId fill = graph.Scalar(v.base->element_type(), NeverSelected(v));
  graph.MarkNonZero(fill);
  hlo::Window local = windows;
  std::vector<TableId> starts(windows.size(), Recipes::kZeros);
  for (int64_t dim = 0; dim < v.base->rank(); ++dim) {
    const int64_t cuts = v.tiling().dim(dim);
    if (cuts == 1) continue;
    const hlo::WindowDimension& window = At(windows, dim);
    const WindowRange range = {dim,
                               cuts,
                               CeilDiv(v.base->dim(dim), cuts),
                               CeilDiv(source.dim(dim), cuts),
                               std::max(window.size, window.stride),
                               window};
    const std::optional<NodeId> exchanged = ExchangeSource(range, parts);
    if (!exchanged.has_value()) return Default(v);
    parts.source.node = *exchanged;
    const std::optional<NodeId> data = ExchangeData(range, parts, fill);
    if (!data.has_value()) return Default(v);
    parts.data.node = *data;
    At(local, dim).padding_low = At(local, dim).padding_high = 0;
    At(starts, dim) = TableAlong(*v.scope, v.tiling(), dim, [&range](int64_t i) {
      return range.shard * i + range.window.padding_low - range.First(i) * range.window.stride;
    });
  }
  const NodeId node =
      Clone(v, graph.shape(parts.data.node), {parts.data.node, parts.source.node, parts.init},
            AsWrittenBut(graph, hlo::AttributeName::kWindow, hlo::PrintWindow(local)));
  return graph.DynamicSlice(v.shard_shape(), {node},
                            graph.Keep([&] { return recipe::DynamicSlice{starts}; }));
}

}  // namespace tessera::sharding::partition
