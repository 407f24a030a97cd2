#include "tessera/target/gpu/splitk_rewriter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

using layout::ElementType;

constexpr int64_t kTile = 128;
constexpr int64_t kMostParts = 2048;
constexpr int64_t kAlignedBits = 128;

// The figures of XLA's model, for chips of at least a compute capability.
struct Weights {
  int compute_capability;
  double of_flop, of_byte, of_summed_byte, of_launch;
};

constexpr Weights kWeights[] = {
    {100, 100, 0.0848863, 189.711, 1.21563e8},
    {90, 100, 0.194136, 193.1384, 4.36e7},
    {0, 100, 0.0666955, 467.815, 5.65307e7},
};

const Weights& WeightsOf(const Chip& gpu) {
  const Weights* weights = kWeights;
  while (gpu.compute_capability < weights->compute_capability) ++weights;
  return *weights;
}

double CostOfParts(const ProductSizes& of, int64_t parts, const Chip& gpu) {
  const Weights& weights = WeightsOf(gpu);
  const int64_t rows = std::min(of.rows, kTile), columns = std::min(of.columns, kTile);
  const auto elements = static_cast<double>(of.batch) * of.rows * of.columns;
  const double tiles =
      static_cast<double>(of.batch * parts) * CeilDiv(of.rows, kTile) * CeilDiv(of.columns, kTile);
  // A core has room for several tiles that are not full.
  const double at_once = static_cast<double>(gpu.cores) * kTile * kTile / (rows * columns);
  const double flops = 2.0 * rows * columns * CeilDiv(of.contracted, parts);
  const double read = static_cast<double>(of.batch) * of.contracted *
                      (static_cast<double>(of.rows) * of.left_bits +
                       static_cast<double>(of.columns) * of.right_bits) /
                      8;
  const double written = elements * parts * (parts > 1 ? of.sum_bits : of.result_bits) / 8;
  const double product = std::max(flops * std::max(1.0, tiles / at_once) * weights.of_flop,
                                  (read + written) * weights.of_byte);
  if (parts == 1) return product;
  const double summed = elements * (parts * of.sum_bits + of.result_bits) / 8;
  return product + weights.of_launch + summed * weights.of_summed_byte;
}

// Of what is read, in front of operations on single elements that are fused into the product.
int64_t BitsInFrontOf(const DeviceProgram& program, InstructionId operand) {
  while (projection::IsElementwise(program.opcode(operand)) &&
         program.operands(operand).size() == 1) {
    operand = program.operand(operand, 0);
  }
  return 8 * layout::ByteWidth(program.shape(operand).element_type());
}

ProductSizes SizesOf(const DeviceProgram& program, InstructionId dot, const DotParts& parts) {
  const layout::Shape &left = program.shape(program.operand(dot, 0)),
                      &right = program.shape(program.operand(dot, 1));
  const ElementType type = program.shape(dot).element_type();
  return {ElementsAlong(left, parts.left.batch),
          ElementsAlong(left, parts.left.free),
          ElementsAlong(right, parts.right.free),
          ElementsAlong(left, parts.left.contracting),
          BitsInFrontOf(program, program.operand(dot, 0)),
          BitsInFrontOf(program, program.operand(dot, 1)),
          8 * layout::ByteWidth(TypeOfSum(type)),
          8 * layout::ByteWidth(type)};
}

// Dimension d becomes `parts` of them, padded to `size` elements in all; `side` then numbers the result.
InstructionId SplitOperand(DeviceProgram& program, InstructionId operand, int64_t parts,
                           int64_t size, DotSide* side) {
  const layout::Shape shape = program.shape(operand);
  const int64_t d = side->contracting[0];
  IntList sizes(shape.dims().begin(), shape.dims().end());
  sizes[d] = size;
  operand = PadWithZeros(program, operand, sizes);
  sizes[d] = size / parts;
  sizes.insert(sizes.begin() + d, parts);
  for (IntList* const numbers : {&side->batch, &side->contracting, &side->free}) {
    for (int64_t& number : *numbers) number += number >= d ? 1 : 0;
  }
  side->batch.push_back(d);
  return AddBitcast(program, operand, Resized(shape, sizes));
}

// The bitcast that alone reads the product and has its dimensions in the order in which they lie, if that is
// another one. XLA's layout normalization puts it in front of the convert of the sum.
InstructionId LyingOtherwise(const DeviceProgram& program, InstructionId dot) {
  const InstructionId reader = program.OnlyUser(dot);
  if (reader == kNoId || program.opcode(reader) != Opcode::kBitcast) return kNoId;
  IntList made = SizesWithoutOnes(program.shape(dot)),
          lying = SizesWithoutOnes(program.shape(reader));
  if (made == lying) return kNoId;
  absl::c_sort(made);
  absl::c_sort(lying);
  return made == lying ? reader : kNoId;
}

void SplitProduct(DeviceProgram& program, InstructionId dot, DotParts dims, const ProductSizes& of,
                  int64_t parts) {
  const int64_t aligned =
      parts * kAlignedBits / std::min({kAlignedBits, of.left_bits, of.right_bits});
  const int64_t size = CeilDiv(of.contracted, aligned) * aligned;
  const layout::Shape shape = program.shape(dot);
  const auto batch = static_cast<int64_t>(dims.left.batch.size());
  const InstructionId left =
      SplitOperand(program, program.operand(dot, 0), parts, size, &dims.left);
  const InstructionId right =
      SplitOperand(program, program.operand(dot, 1), parts, size, &dims.right);
  IntList sizes(shape.dims().begin(), shape.dims().end());
  sizes.insert(sizes.begin() + batch, parts);
  const ElementType type = TypeOfSum(shape.element_type());
  const InstructionId split =
      CloneDot(program, dot, left, right, dims, Retyped(Resized(shape, sizes), type));
  InstructionId sum = SumOver(program, split, {batch}), replaced = dot;
  if (type != shape.element_type()) {
    if (const InstructionId lying = LyingOtherwise(program, dot); lying != kNoId) {
      replaced = lying;
      sum = AddBitcast(program, sum, Retyped(program.shape(lying), type));
    }
    sum = AddConvert(program, sum, shape.element_type());
  }
  program.ReplaceUses(replaced, sum);
  program.RemoveDead(replaced);
}

bool CanSplit(const DeviceProgram& program, InstructionId id) {
  return IsReplaceableDot(program, id) &&
         program.shape(program.operand(id, 0)).element_type() != ElementType::kS32 &&
         program.shape(program.operand(id, 1)).element_type() != ElementType::kS32;
}

}  // namespace

int64_t PartsOfProduct(const ProductSizes& sizes, const Chip& gpu) {
  if (sizes.batch == 0 || sizes.rows == 0 || sizes.columns == 0) return 1;
  int64_t best = 1;
  double least = CostOfParts(sizes, 1, gpu);
  for (int64_t parts = 2; parts <= kMostParts; parts *= 2) {
    const double cost = CostOfParts(sizes, parts, gpu);
    if (cost >= least) continue;
    least = cost;
    best = parts;
  }
  return best;
}

absl::Status SplitProducts(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (!CanSplit(program, id)) continue;
    const DotParts dims = PartsOf(program, id);
    if (dims.left.contracting.size() != 1 || dims.right.contracting.size() != 1) continue;
    const ProductSizes sizes = SizesOf(program, id, dims);
    const int64_t parts = PartsOfProduct(sizes, *context.target.chip);
    if (parts > 1) SplitProduct(program, id, dims, sizes, parts);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
