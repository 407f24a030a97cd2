#include "tessera/testing/reduce/step.h"

namespace tessera::testing::reduce {

std::vector<hlo::InstructionId> InstructionsOf(const hlo::Module& module) {
  std::vector<hlo::InstructionId> all;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    const auto& list = module.computation(c).instructions;
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

hlo::InstructionId AddZeros(hlo::Builder& builder, hlo::ComputationId computation,
                            const layout::Shape& shape) {
  if (!shape.is_array()) return hlo::kNoId;
  const layout::ElementType type = shape.element_type();
  const char* zero = type == layout::ElementType::kPred ? "false" : "0";
  if (layout::IsComplex(type)) zero = "(0, 0)";
  const auto scalar = layout::Shape::Array(type, {});
  const hlo::InstructionId constant = builder.AddConstant(computation, "zero", scalar, zero);
  if (shape.rank() == 0) return constant;
  const hlo::InstructionId zeros =
      builder.Add(computation, hlo::Opcode::kBroadcast, "zeros", shape, {constant});
  builder.module().SetAttribute(zeros, hlo::AttributeName::kDimensions, "{}");
  return zeros;
}

}  // namespace tessera::testing::reduce
