// Lists of element-wise opcodes beside hlo/ir/elementwise.cc, each for a question of its own. One that a list lacks is named here:
//
//   foo: {"hlo/verify/shape_inference.cc"}
//
// Cost: a look at each opcode.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/elementwise.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

bool HasShape(Opcode opcode) {
  return !hlo::GetOpcodeInfo(opcode).shape_can_be_inferred || hlo::InferenceOf(opcode) != nullptr;
}

std::vector<std::string> FilesWithout(Opcode opcode) {
  std::vector<std::string> files;
  const auto check = [&](bool has, const char* file) {
    if (!has) files.emplace_back(file);
  };
  check(KernelOf(opcode) != nullptr, "testing/evaluator/ops/unary.cc or binary.cc");
  check(HasShape(opcode), "hlo/verify/shape_inference.cc");
  return files;
}

TEST(ElementwiseOpcodesTest, NoListLacksOne) {
  int found = 0;
  for (int k = 0; k < hlo::kNumOpcodes; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    if (!hlo::IsElementwise(opcode)) continue;
    ++found;
    EXPECT_THAT(FilesWithout(opcode), ::testing::IsEmpty()) << hlo::OpcodeName(opcode);
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace tessera::testing::evaluator
