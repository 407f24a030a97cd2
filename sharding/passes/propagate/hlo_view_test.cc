#include "tessera/sharding/passes/propagate/hlo_view.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/testing/program_text/read_program.h"

namespace tessera::sharding::passes {
namespace {

// Whether the indices of `d` count as constants.
bool ConstantIndices(const std::string& d) {
  hlo::Module module;
  const auto program = *ReadProgram(
      absl::StrCat("entry e(%x f32[8], %y f32[8], %i s32[]) {\n  %k s32[] = constant() "
                   "{literal=1}\n  %d f32[8] = ",
                   d, "\n  return(%d) -> none\n}\n"),
      &module);
  const HloView view(*program, *program->entry()->body->terminator()->operand(0)->def());
  return view.get().neighbours.constant_indices;
}

TEST(HloViewTest, ConstantIndicesStandAfterTheArrays) {
  EXPECT_TRUE(ConstantIndices("dynamic-update-slice(%x, %y, %k)"));
  EXPECT_FALSE(ConstantIndices("dynamic-update-slice(%x, %y, %i)"));
}

}  // namespace
}  // namespace tessera::sharding::passes
