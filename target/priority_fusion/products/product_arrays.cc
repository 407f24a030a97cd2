// The arrays of a dot as triton-gemm-rewriter finds them. Before it, dot_dimension_merger has made one of the batch
// dimensions that lie side by side in both operands. And splitk-rewriter has added another one.

#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/priority_fusion/products/product_fusion.h"

namespace tessera::target {
namespace {

using hlo::IntList;

// The number of the batch dimension whose elements the only user adds up.
std::optional<int64_t> SummedBatch(const DeviceProgram& program, InstructionId dot, size_t count) {
  const InstructionId user = program.OnlyUser(dot);
  if (user == kNoId || program.opcode(user) != Opcode::kReduce) return std::nullopt;
  const auto summed = hlo::GetInts(program.module(), user, hlo::AttributeName::kDimensions);
  if (!summed.has_value() || summed->size() != 1) return std::nullopt;
  const int64_t dim = (*summed)[0];
  return static_cast<size_t>(dim) < count ? std::optional<int64_t>(dim) : std::nullopt;
}

// Each is the one after the last.
bool AreNeighbours(const IntList& dims) {
  for (size_t k = 1; k < dims.size(); ++k) {
    if (dims[k] != dims[k - 1] + 1) return false;
  }
  return true;
}

IntList Picked(const IntList& from, const IntList& numbers) {
  IntList picked;
  for (const int64_t k : numbers) picked.push_back(from[static_cast<size_t>(k)]);
  return picked;
}

ProductRole RoleOf(int64_t dim, const IntList& batch, const IntList& contracted) {
  if (absl::c_linear_search(batch, dim)) return ProductRole::kBatch;
  if (absl::c_linear_search(contracted, dim)) return ProductRole::kContracted;
  return ProductRole::kFree;
}

// `merged` are one, in the place of the first of them.
ProductRead ArrayOf(uint32_t kernel, const layout::Shape& shape, const IntList& batch,
                    const IntList& contracted, const IntList& merged) {
  ProductRead array;
  array.kernel = kernel;
  for (int64_t dim = 0; dim < shape.rank(); ++dim) {
    int64_t size = shape.dim(dim);
    if (absl::c_linear_search(merged, dim)) {
      if (dim != merged[0]) continue;
      for (const int64_t other : merged) size *= other == dim ? 1 : shape.dim(other);
    }
    array.sizes.push_back(size);
    if (size > 1) array.parts.push_back({RoleOf(dim, batch, contracted), dim, size, 1});
  }
  return array;
}

// The numbers of the batch dimensions that were one before the product was made in parts.
IntList MergedBatch(const DeviceProgram& program, InstructionId dot,
                    const hlo::DotDimensions& dims) {
  const auto summed = SummedBatch(program, dot, dims.lhs_batch.size());
  IntList numbers;
  for (int64_t k = 0; k < static_cast<int64_t>(dims.lhs_batch.size()); ++k) {
    if (k != summed) numbers.push_back(k);
  }
  if (numbers.size() < 2) return {};
  const bool are_one = AreNeighbours(numbers) && AreNeighbours(Picked(dims.lhs_batch, numbers)) &&
                       AreNeighbours(Picked(dims.rhs_batch, numbers));
  return are_one ? numbers : IntList();
}

}  // namespace

ProductArrays ArraysOf(const DeviceProgram& program, const FusionGraph& graph, uint32_t dot) {
  const InstructionId id = graph.InstructionOf(dot);
  const hlo::DotDimensions dims = hlo::GetDotDimensions(program.module(), id);
  const IntList merged = MergedBatch(program, id, dims);
  const IntList* const batch[] = {&dims.lhs_batch, &dims.rhs_batch};
  const IntList* const contracted[] = {&dims.lhs_contracting, &dims.rhs_contracting};
  ProductArrays arrays;
  for (size_t side = 0; side < 2; ++side) {
    const auto kernel = graph.node(dot).outputs[0].back().reads[side].index;
    arrays.operands.push_back(ArrayOf(kernel, program.shape(program.operand(id, side)),
                                      *batch[side], *contracted[side],
                                      Picked(*batch[side], merged)));
  }
  IntList of_result;
  for (size_t k = 0; k < dims.lhs_batch.size(); ++k) of_result.push_back(static_cast<int64_t>(k));
  arrays.result = ArrayOf(dot, program.shape(id), of_result, {}, merged);
  return arrays;
}

}  // namespace tessera::target
