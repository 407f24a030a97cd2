#include "tessera/sharding/partition/ops/indexed/device_indices.h"

#include "tessera/sharding/partition/reshard/tables.h"

namespace tessera::sharding::partition {

IndexBounds BoundsOf(const IndexedOp& op, const PartitionedHlo& operand, Ints dims,
                     Ints slice_sizes) {
  IndexBounds out;
  Graph& graph = operand.scope->graph();
  if (!graph.recipes().are_kept()) return out;
  Recipes& recipes = graph.recipes();
  for (int64_t dim : op.index_map) {
    const TableId limit = Same(recipes, operand.base.dim(dim) - At(slice_sizes, dim));
    const int64_t shard = graph.shape(operand.node).dim(dim);
    out.limit.push_back(limit);
    if (!Contains(dims, dim)) {
      out.first.push_back(Recipes::kZeros);
      out.last.push_back(limit);
      continue;
    }
    out.first.push_back(StartAlong(*operand.scope, operand.tiling, dim, shard));
    out.last.push_back(Computed(recipes, Opcode::kAdd, out.first.back(), Same(recipes, shard - 1)));
  }
  return out;
}

NodeId PerIndex(const IndexedOp& op, Graph& graph, const Shape& shape,
                const std::vector<TableId>& numbers) {
  const RecipeId recipe = graph.Keep([&] { return recipe::Numbers{numbers}; });
  if (!op.HasIndexVector()) {
    const Shape scalar = Shape::Array(shape.element_type(), {}, std::nullopt);
    return graph.Broadcast(shape, graph.Add(Opcode::kConstant, scalar, {}, recipe), {});
  }
  const Shape vector =
      Shape::Array(shape.element_type(), {shape.dim(op.index_vector_dim)}, std::nullopt);
  return graph.Broadcast(shape, graph.Add(Opcode::kConcatenate, vector, {}, recipe),
                         {op.index_vector_dim});
}

NodeId FromFirstOf(const IndexedOp& op, NodeId indices, const PartitionedHlo& operand, Ints dims) {
  Graph& graph = operand.scope->graph();
  const Shape shape = graph.shape(indices);
  const IndexBounds bounds = BoundsOf(op, operand, dims, op.slice_sizes);
  return graph.Elementwise(Opcode::kSubtract, shape,
                           {indices, PerIndex(op, graph, shape, bounds.first)}, Recipes::kPlain);
}

}  // namespace tessera::sharding::partition
