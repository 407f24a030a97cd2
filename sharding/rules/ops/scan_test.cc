// Rules of scan, with and without a look at the body.

#include "gtest/gtest.h"
#include "tessera/testing/rules/rule_of_text.h"

namespace tessera::sharding::rules {
namespace {

constexpr char kBodies[] =
    "sum {\n x = f32[7] parameter(0)\n c = f32[7] parameter(1)\n s = f32[7] add(x, c)\n"
    " ROOT t = (f32[7], f32[7]) tuple(s, s)\n}\n"
    "flip {\n x = f32[7] parameter(0)\n c = f32[7] parameter(1)\n"
    " s = f32[7] reverse(x), dimensions={0}\n ROOT t = (f32[7], f32[7]) tuple(s, c)\n}\n"
    "last {\n x = f32[7] parameter(0)\n c = f32[] parameter(1)\n"
    " ROOT t = (f32[7], f32[]) tuple(x, c)\n}\n";

std::string Scan(absl::string_view shapes, absl::string_view attributes, bool reads_body) {
  RuleMode mode;
  mode.behaviors.scan_bodies_matter = reads_body;
  const std::string text =
      shapes == "preserving"
          ? "(f32[5,7], f32[7]) scan(f32[5,7], f32[7]), dimensions={0}, num_carries=1, "
          : "(f32[5,7], f32[]) scan(f32[5,7], f32[]), dimensions={0}, num_carries=1, ";
  return RuleOf(text + std::string(attributes), kBodies, mode);
}

TEST(ScanTest, BodiesMatterOrNot) {
  const struct {
    const char* shapes;
    const char* attributes;
    const char* without;
    const char* with;
  } kCases[] = {
      {"preserving", "is_associative=true, to_apply=sum",
       "([i, j], [j])->([i, j], [j]) {i=5, j=7} permutation={i}",
       "([i, j], [j])->([i, j], [j]) {i=5, j=7} permutation={i}"},
      {"preserving", "to_apply=sum", "([i, j], [j])->([i, j], [j]) {i=5, j=7} need_replication={i}",
       "([i, j], [j])->([i, j], [j]) {i=5, j=7} need_replication={i}"},
      {"preserving", "is_associative=true, to_apply=flip",
       "([i, j], [j])->([i, j], [j]) {i=5, j=7} permutation={i}",
       "([i, j], [j])->([i, j], [j]) {i=5, j=7} need_replication={j} permutation={i}"},
      {"other", "is_associative=true, to_apply=last",
       "([i, j], [])->([i, k], []) {i=5, j=1, k=1} permutation={i}",
       "([i, j], [])->([i, k], []) {i=5, j=1, k=1} need_replication={i}"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Scan(c.shapes, c.attributes, false), c.without) << c.attributes;
    EXPECT_EQ(Scan(c.shapes, c.attributes, true), c.with) << c.attributes;
  }
}

}  // namespace
}  // namespace tessera::sharding::rules
