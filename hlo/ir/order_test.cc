// Post-order by its definition, beside what order.cc finds without a walk where it can.

#include "tessera/hlo/order.h"

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::hlo {
namespace {

// Each instruction is of up to three that stand before it, some of these elements named in place.
std::string RandomText(std::mt19937& random, int size, bool with_elements) {
  std::string out = "ENTRY e {\n";
  for (int i = 0; i < size; ++i) {
    absl::StrAppend(&out, i + 1 == size ? "  ROOT x" : "  x", i, " = (f32[], f32[]) custom-call(");
    const int operands = i == 0 ? 0 : static_cast<int>(random() % 4);
    for (int k = 0; k < operands; ++k) {
      absl::StrAppend(&out, k == 0 ? "x" : ", x", random() % static_cast<unsigned>(i));
      if (with_elements && random() % 2 == 0) absl::StrAppend(&out, "#", random() % 2);
    }
    absl::StrAppend(&out, "), custom_call_target=\"f\"\n");
  }
  return out + "}\n";
}

std::vector<InstructionId> ByDefinition(const Module& module) {
  std::set<InstructionId> done, used;
  std::vector<InstructionId> out;
  const std::function<void(InstructionId)> visit = [&](InstructionId id) {
    if (!done.insert(id).second) return;
    for (InstructionId operand : module.operands(id)) visit(operand);
    out.push_back(id);
  };
  for (InstructionId id : module.entry().instructions) {
    used.insert(module.operands(id).begin(), module.operands(id).end());
  }
  for (InstructionId id : module.entry().instructions) {
    if (used.count(id) == 0) visit(id);
  }
  return out;
}

TEST(PostOrderTest, IsThatOfTheDefinition) {
  std::mt19937 random(7);
  int in_order = 0;
  for (int i = 0; i < 40000; ++i) {
    const std::string text = RandomText(random, 1 + static_cast<int>(random() % 7), i % 2 == 0);
    const auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const std::vector<InstructionId> expected = ByDefinition(*module);
    ASSERT_EQ(PostOrder(*module, module->entry_id()), expected) << text;
    in_order += expected == module->entry().instructions;
  }
  EXPECT_GT(in_order, 2000);
}

}  // namespace
}  // namespace tessera::hlo
