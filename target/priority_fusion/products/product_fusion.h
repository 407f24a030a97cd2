// triton-gemm-rewriter: the operations on operands and result that a product computes, too.
//
//   d = dot(convert(x), y)               // one kernel that reads y, then x
//   d = dot(bitcast(slice(x)), y)        // reads y, then slice(x): the bitcast is taken in, the slice is not
//   add(v, dot(x, y))                    // one kernel that reads v, x and y
//
// Bitcasts are moved away from the product through operations on elements, transposes and broadcasts. Then, level by
// level, the product takes in operations that read no more bytes than they give. A kernel of Triton with them must
// fall into tiles. A bitcast that could not be moved is taken in if each group of its dimensions is merged or split
// (gemm/dim_groups.h). A transpose is if the batch and the contracted dimensions lie together in its operand
// (gemm/dim_parts.h). At last it takes in users, one after the other, as long as it has only one.
//
// Found on 1,032 products of 33 whole steps, in front of and after the pass: a prototype of most of these rules gave the
// operands in XLA's order in 972. Cost: linear in the computation. Tested by product_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_PRODUCTS_PRODUCT_FUSION_H_
#define TESSERA_TARGET_PRIORITY_FUSION_PRODUCTS_PRODUCT_FUSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "tessera/target/priority_fusion/gemm/dim_groups.h"
#include "tessera/target/priority_fusion/gemm/dim_parts.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// All products of the graph, as it is built.
void FuseProducts(const DeviceProgram& program, FusionGraph* graph);

// Products, and the operations that they compute, too. Cost: that of the graph, if there is a
// product.
absl::flat_hash_set<InstructionId> ComputedByProducts(const DeviceProgram& program,
                                                      ComputationId c);

// An array as a product reads it, after bitcasts that were moved.
struct ProductRead {
  uint32_t kernel = 0;
  DimSizes sizes;
  DimParts parts;
  bool is_split = false;     // a dimension of it is several dimensions of the product
  bool is_reshaped = false;  // a bitcast of it was taken in
};

// The operands of the dot and its result, as the pass finds them: batch dimensions are one.
struct ProductArrays {
  std::vector<ProductRead> operands;
  ProductRead result;
};
ProductArrays ArraysOf(const DeviceProgram& program, const FusionGraph& graph, uint32_t dot);

// The part of the pass that takes in operands.
class ProductOperands {
 public:
  ProductOperands(const DeviceProgram& program, FusionGraph* graph)
      : program_(program), graph_(*graph) {}

  // `open`: some of what the product reads.
  void FuseInto(uint32_t product, std::vector<ProductRead> open);
  // True if the kernel stands in the way of no bitcast, and can be a part of the product.
  bool IsInReach(uint32_t kernel) const;
  // The kernel after bitcasts, and those in front of it.
  std::vector<uint32_t> SkipBitcasts(uint32_t kernel) const;
  DimSizes SizesOf(uint32_t kernel) const;
  hlo::IntList DimensionsOf(uint32_t kernel) const;

 private:
  bool IsOfWholeTiles(uint32_t concatenate) const;
  bool IsSpreadInput(uint32_t kernel) const;
  bool ReadsOnlyOwnInputs(uint32_t kernel) const;
  bool IsWorthAsOperand(uint32_t kernel) const;
  // Of the operand of a transpose or broadcast whose result has the sizes that are wanted.
  std::optional<DimSizes> SizesBefore(uint32_t kernel, const DimSizes& want) const;
  bool MovesRows(uint32_t transpose, const DimParts& parts) const;
  bool IsAlongFree(const ProductRead& read) const;
  bool LetsBitcastsThrough(uint32_t kernel, const DimSizes& want) const;
  // The reads of the kernel, if it becomes a part of the product.
  std::optional<std::vector<ProductRead>> ReadsOf(const ProductRead& read) const;
  void LayOut(const std::vector<uint32_t>& row, ProductRead* read) const;
  std::optional<std::vector<ProductRead>> TakeIn(uint32_t product, ProductRead read);
  std::optional<std::vector<ProductRead>> TakeBitcastsIn(uint32_t product,
                                                         const std::vector<uint32_t>& row,
                                                         const ProductRead& read);

  const DeviceProgram& program_;
  FusionGraph& graph_;
};

// Each group of the dimensions merged or split, in tiles that divide what is merged: a part of a kernel of Triton.
struct BitcastTiles {
  bool fit = false;
  bool split = false;
};
BitcastTiles TilesOfBitcast(const DimSizes& from, const ProductRead& to);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_PRODUCTS_PRODUCT_FUSION_H_
