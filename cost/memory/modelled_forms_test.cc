#include "tessera/cost/memory/modelled_forms.h"

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/target.h"

namespace tessera::cost {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// By name: whether it is synchronous.
std::map<std::string, bool> FormsOf(absl::string_view text, absl::string_view target) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto forms = ModelledForms(*module, *target::ParseTarget(target), nullptr, {});
  EXPECT_TRUE(forms.ok()) << forms.status();
  std::map<std::string, bool> named;
  for (const auto& [id, synchronous] : *forms) {
    named.emplace(module->instruction(id).name, synchronous);
  }
  return named;
}

// The gather runs beside the first product; nothing is left to run beside the sum.
TEST(ModelledFormsTest, NothingRunsBesideTheLastOne) {
  EXPECT_THAT(FormsOf("HloModule m, num_partitions=8\n\n"
                      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                      "  ROOT s = f32[] add(a, b)\n}\n\n"
                      "ENTRY e {\n"
                      "  x = f32[4096,4096] parameter(0)\n"
                      "  w = f32[512,4096] parameter(1)\n"
                      "  gather = f32[4096,4096] all-gather(w), channel_id=1, "
                      "replica_groups=[1,8]<=[8], dimensions={0}, use_global_device_ids=true\n"
                      "  p = f32[4096,4096] dot(x, x), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}\n"
                      "  q = f32[4096,4096] dot(p, gather), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}\n"
                      "  ROOT reduce = f32[4096,4096] all-reduce(q), channel_id=2, "
                      "replica_groups=[1,8]<=[8], use_global_device_ids=true, to_apply=sum\n}\n",
                      "h100:1x1x8"),
              ElementsAre(Pair("gather", false), Pair("reduce", true)));
}

}  // namespace
}  // namespace tessera::cost
