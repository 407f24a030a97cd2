#include "tessera/target/schedule/written_over.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/schedule/homes.h"

namespace tessera::target {
namespace {

// A loop whose donated state becomes `made` and whose readings of it are `read`.
bool StateLiesInArgument(absl::string_view made, absl::string_view read) {
  const auto module = hlo::ParseModule(absl::StrCat(
      "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\n"
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "go {\n  c = (f32[8,8], f32[8], f32[8,8]) parameter(0)\n  ROOT p = pred[] constant(true)\n}\n"
      "body {\n  c = (f32[8,8], f32[8], f32[8,8]) parameter(0)\n"
      "  s = f32[8,8] get-tuple-element(c), index=0\n"
      "  x = f32[8] get-tuple-element(c), index=1\n"
      "  k = f32[8,8] get-tuple-element(c), index=2\n  z = f32[] constant(0)\n"
      "  b = f32[8,8] broadcast(x), dimensions={0}\n  d = f32[8,8] multiply(s, b)\n",
      made, read, "  ROOT t = (f32[8,8], f32[8], f32[8,8]) tuple(n, y, k)\n}\n",
      "ENTRY e {\n  s = f32[8,8] parameter(0)\n  x = f32[8] parameter(1)\n"
      "  k = f32[8,8] parameter(2)\n"
      "  t = (f32[8,8], f32[8], f32[8,8]) tuple(s, x, k)\n"
      "  w = (f32[8,8], f32[8], f32[8,8]) while(t), condition=go, body=body\n"
      "  r = f32[8,8] get-tuple-element(w), index=0\n"
      "  y = f32[8] get-tuple-element(w), index=1\n"
      "  ROOT o = (f32[8,8], f32[8]) tuple(r, y)\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  const std::vector<int64_t> bytes(flow->values.size(), 1);
  const Homes homes = FindHomes(*flow, FindKeptValues(*flow, bytes), {{0, 0}});
  return homes.is_free[homes.of[flow->scopes[0].roots[0]]];
}

// A sum reads the state in the layout that it has; a product may want another one.
TEST(HomesTest, AStateIsWrittenOverTheOldOne) {
  const std::string made = "  n = f32[8,8] add(d, k)\n";
  const std::string sum = "  y = f32[8] reduce(n, z), dimensions={1}, to_apply=add\n";
  EXPECT_TRUE(StateLiesInArgument(made, sum));
  EXPECT_FALSE(StateLiesInArgument(
      made, "  y = f32[8] dot(n, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  // Another kernel reads the old state later.
  EXPECT_FALSE(StateLiesInArgument(made,
                                   "  q = f32[8] reduce(n, z), dimensions={1}, to_apply=add\n"
                                   "  o = f32[8] reduce(s, z), dimensions={1}, to_apply=add\n"
                                   "  y = f32[8] add(q, o)\n"));
}

}  // namespace
}  // namespace tessera::target
