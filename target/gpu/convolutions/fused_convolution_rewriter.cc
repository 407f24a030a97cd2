// cudnn-fused-convolution-rewriter: a convolution adds what is added to its result.
//
//   add(y = convolution(x, w), s)                 ->  convolution(x, w, zeros, s)
//   add(y = convolution(x, w), broadcast(bias))   ->  convolution(x, w, bias)
//
// Of forward convolutions whose result nothing else reads. The operands after the filter are a number for each
// feature, and an array like the result. In HLO text convolutions have two operands; XLA's are custom calls.
//
// Not modelled: scales, and activations after the sum. Cost: linear. Tested by conv_passes_test.cc.

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/convolutions/conv_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

constexpr size_t kBias = 2, kSide = 3;  // operands

class Adder {
 public:
  explicit Adder(DeviceProgram* program) : program_(*program) {}

  void Run(InstructionId add) {
    for (const size_t k : {size_t{0}, size_t{1}}) {
      const InstructionId y = program_.operand(add, k);
      if (Takes(y, add) && Add(y, program_.operand(add, 1 - k), add)) return;
    }
  }

 private:
  bool Takes(InstructionId y, InstructionId add) const {
    return program_.opcode(y) == Opcode::kConvolution && program_.OnlyUser(y) == add &&
           program_.operand(add, 0) != program_.operand(add, 1) &&
           ConvolutionKindOf(program_, y) == ConvolutionKind::kForward;
  }

  // Whether `y` can take it.
  bool Add(InstructionId y, InstructionId addend, InstructionId add) {
    std::vector<InstructionId> operands(program_.operands(y).begin(), program_.operands(y).end());
    if (operands.size() > kSide) return false;
    if (operands.size() == kBias && IsBias(y, addend)) {
      operands.push_back(program_.operand(addend, 0));
    } else {
      if (operands.size() == kBias) operands.push_back(AddZeros(y));
      operands.push_back(addend);
    }
    const InstructionId fused = program_.Clone(y, operands, program_.shape(add));
    program_.ReplaceUses(add, fused);
    program_.RemoveDead(add);
    return true;
  }

  bool IsBias(InstructionId y, InstructionId addend) const {
    if (program_.opcode(addend) != Opcode::kBroadcast) return false;
    const IntList dimensions = DimensionsOf(program_, addend);
    return dimensions.size() == 1 && dimensions[0] == FeatureOf(y);
  }

  int64_t FeatureOf(InstructionId y) const {
    const auto found = hlo::GetConvolutionDimensions(program_.module(), y);
    return found.has_value() ? found->output_feature : -1;
  }

  InstructionId AddZeros(InstructionId y) {
    const layout::Shape& shape = program_.shape(y);
    const InstructionId zero =
        program_.AddConstant(program_.computation(y), Resized(shape, {}), "0");
    return AddBroadcast(program_, zero, Resized(shape, {shape.dim(FeatureOf(y))}), {});
  }

  DeviceProgram& program_;
};

}  // namespace

absl::Status FuseAdditions(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) == Opcode::kAdd && !program.IsPinned(id)) Adder(&program).Run(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
