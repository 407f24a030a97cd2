#include "tessera/pipeline/verbs/search/variants/annotated_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/text/source.h"
#include "tessera/text/unified_diff.h"

namespace tessera::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] =
    "HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }, "
    "num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2]>}}\n";
// As JAX writes it: the first result has the sharding of its argument, the second one has none.
constexpr char kBody[] =
    "ENTRY e {\n"
    "  a = f32[8,8] parameter(0), sharding={devices=[2,1]<=[2]}, "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}, "
    "metadata={op_name=\"p['a']\"}\n"
    "  b = f32[8,8] parameter(1), metadata={op_name=\"p['b']\"}\n"
    "  s = f32[8,8] add(a, b)\n"
    "  ra = f32[8,8] custom-call(s), custom_call_target=\"xla.sdy.FuncResultSharding\", "
    "custom_call_has_side_effect=true, "
    "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, [{\\\"x\\\"}, "
    "{}]>]>\"}\n"
    "  ROOT t = (f32[8,8], f32[8,8]) tuple(ra, s), sharding={{devices=[2,1]<=[2]}, "
    "{replicated}}\n"
    "}\n";

Variant VariantOf(const std::vector<std::string>& annotations) {
  Variant variant;
  for (const std::string& text : annotations) {
    variant.annotations.push_back(*ParseAnnotation(text));
  }
  variant.ties_donated = true;
  return variant;
}

absl::StatusOr<std::string> DiffOf(const std::string& text, const Variant& variant) {
  const auto module = hlo::ParseModule(text::Source::FromBuffer("m.hlo", text));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto changed = AnnotatedText(*module, variant);
  if (!changed.ok()) return changed.status();
  return text::UnifiedDiff("m.hlo", text, *changed);
}

TEST(AnnotatedTextTest, ArgumentsAndTheResultsInTheirPlace) {
  const auto diff = DiffOf(absl::StrCat(kHead, kBody), VariantOf({"\\['b'\\]$=P(None,'x')"}));
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("\n"
                               "-  b = f32[8,8] parameter(1), metadata={op_name=\"p['b']\"}\n"
                               "+  b = f32[8,8] parameter(1), sharding={devices=[1,2]<=[2]}, "
                               "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, "
                               "{\\\"x\\\"}]>\"}, metadata={op_name=\"p['b']\"}\n"
                               "   s = f32[8,8] add(a, b)\n"
                               "+  s.result = f32[8,8] custom-call(s), "
                               "custom_call_target=\"xla.sdy.FuncResultSharding\", "
                               "custom_call_has_side_effect=true, "
                               "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<"
                               "@mesh, [{}, {\\\"x\\\"}]>]>\"}\n"
                               "   ra = "));
  EXPECT_THAT(*diff, HasSubstr("\n+  ROOT t = (f32[8,8], f32[8,8]) tuple(ra, s.result), "
                               "sharding={{devices=[2,1]<=[2]}, {devices=[1,2]<=[2]}}\n"));
}

TEST(AnnotatedTextTest, AResultThatIsSharded) {
  const auto diff = DiffOf(absl::StrCat(kHead, kBody), VariantOf({"\\['a'\\]$=P()"}));
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("\n+  a = f32[8,8] parameter(0), sharding={replicated}, "
                               "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [{}, "
                               "{}]>\"}, metadata={op_name=\"p['a']\"}\n"));
  EXPECT_THAT(*diff, HasSubstr("\n+  ra = f32[8,8] custom-call(s), "
                               "custom_call_target=\"xla.sdy.FuncResultSharding\", "
                               "custom_call_has_side_effect=true, "
                               "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<"
                               "@mesh, [{}, {}]>]>\"}\n"));
  EXPECT_THAT(*diff, Not(HasSubstr("s.result")));
}

TEST(AnnotatedTextTest, Constraints) {
  const std::string text =
      absl::StrCat(kHead,
                   "ENTRY e {\n"
                   "  a = f32[8,8] parameter(0)\n"
                   "  b = f32[8,8] parameter(1)\n"
                   "  c = f32[8,8] custom-call(a), custom_call_target=\"Sharding\", "
                   "sharding={devices=[2,1]<=[2]}, "
                   "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
                   "[{\\\"x\\\"}, {}]>]>\"}\n"
                   "  ROOT t = (f32[8,8], f32[8,8]) tuple(c, b)\n"
                   "}\n");
  const auto line_with = [&](const std::string& annotation) {
    const auto diff = DiffOf(text, VariantOf({annotation}));
    EXPECT_TRUE(diff.ok()) << diff.status();
    return *diff;
  };
  EXPECT_THAT(line_with("^c$=P(None, 'x')"),
              HasSubstr("\n+  c = f32[8,8] custom-call(a), custom_call_target=\"Sharding\", "
                        "sharding={devices=[1,2]<=[2]}, "
                        "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
                        "[{}, {\\\"x\\\"}]>]>\"}\n"));
  EXPECT_THAT(line_with("^c$=P(UNCONSTRAINED, UNCONSTRAINED)"),
              HasSubstr("sharding={replicated}, "
                        "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<@mesh, "
                        "[{?}, {?}]>]>\"}\n"));
}

// s is a result, too, which takes the place of b.
TEST(AnnotatedTextTest, ANewConstraint) {
  const auto diff =
      DiffOf(absl::StrCat(kHead, kBody), VariantOf({"^s$=P(None,'x')", "\\['b'\\]$=P('x')"}));
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("\n+  s.constraint = f32[8,8] custom-call(s), "
                               "custom_call_target=\"Sharding\", sharding={devices=[1,2]<=[2]}, "
                               "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<"
                               "@mesh, [{}, {\\\"x\\\"}]>]>\"}\n"
                               "+  s.result = f32[8,8] custom-call(s.constraint), "));
  EXPECT_THAT(*diff, HasSubstr("\n+  ra = f32[8,8] custom-call(s.constraint), "));
  EXPECT_THAT(*diff, HasSubstr("\n+  ROOT t = (f32[8,8], f32[8,8]) tuple(ra, s.result), "));
}

TEST(AnnotatedTextTest, AnotherMesh) {
  Variant variant = VariantOf({"\\['b'\\]$=P(None,'y')"});
  variant.mesh = *sharding::Mesh::Create({{"x", 2}, {"y", 4}});
  const auto diff = DiffOf(absl::StrCat(kHead, kBody), variant);
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("num_partitions=8, frontend_attributes={xla.sdy.meshes={mesh = "
                               "#sdy.mesh<[\"x\"=2, \"y\"=4]>}}\n"));
  EXPECT_THAT(*diff, HasSubstr("[{}, {\\\"y\\\"}]>\"}, metadata={op_name=\"p['b']\"}\n"));
  EXPECT_THAT(*diff, HasSubstr("+  a = f32[8,8] parameter(0), sharding={devices=[2,1,4]<=[8] "
                               "last_tile_dim_replicate}, "));
}

TEST(AnnotatedTextTest, TheOnlyResultIsTheRoot) {
  const auto diff = DiffOf(
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "ENTRY e {\n"
      "  %a = f32[8] parameter(0)\n"
      "  ROOT %r = f32[8] negate(%a)\n"
      "}\n",
      [] {
        Variant variant = VariantOf({"^a$=P('x')"});
        variant.mesh = *sharding::Mesh::Create({{"x", 2}});
        return variant;
      }());
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("num_partitions=2, frontend_attributes={xla.sdy.meshes="));
  EXPECT_THAT(*diff, HasSubstr("-  ROOT %r = f32[8] negate(%a)\n"));
  EXPECT_THAT(*diff, HasSubstr("+  %r = f32[8] negate(%a)\n"
                               "+  ROOT %r.result = f32[8] custom-call(%r), "));
}

TEST(AnnotatedTextTest, WhatItCannotWrite) {
  const std::string text = absl::StrCat(kHead, kBody);
  EXPECT_THAT(DiffOf(text, VariantOf({"^t$=P('x')"})).status().message(),
              HasSubstr("arrays that are no result, and t is none"));
  EXPECT_THAT(DiffOf("HloModule m\nENTRY e {\n  a = f32[8] parameter(0), sharding={mesh['x'=2], "
                     "[{'x'}]}\n  ROOT r = f32[8] negate(a)\n}\n",
                     VariantOf({"^a$=P('x')"}))
                  .status()
                  .message(),
              HasSubstr("the shardings of this module stand in sharding={..}"));
}

}  // namespace
}  // namespace tessera::pipeline
