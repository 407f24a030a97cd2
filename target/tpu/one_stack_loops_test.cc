#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A loop over four tokens around a loop over three layers, each of which changes its cache.
constexpr char kLayers[] =
    "inner {\n  p = (s32[], f32[3,8], f32[3,8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n  old = f32[3,8] get-tuple-element(p), index=1\n"
    "  new = f32[3,8] get-tuple-element(p), index=2\n  zero = s32[] constant(0)\n"
    "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
    "  layer = f32[1,8] dynamic-slice(old, i, zero), dynamic_slice_sizes={1,8}\n"
    "  cache = f32[1,8] tanh(layer)\n  next = f32[3,8] dynamic-update-slice(new, cache, i, zero)\n"
    "  ROOT t = (s32[], f32[3,8], f32[3,8]) tuple(j, old, next)\n}\n"
    "more {\n  p = (s32[], f32[3,8], f32[3,8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(3)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT\n}\n"
    "outer {\n  p = (s32[], f32[3,8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
    "  caches = f32[3,8] get-tuple-element(p), index=1\n  zero = s32[] constant(0)\n"
    "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  z = f32[] constant(0)\n"
    "  fill = f32[3,8] broadcast(z), dimensions={}\n"
    "  start = (s32[], f32[3,8], f32[3,8]) tuple(zero, caches, fill)\n"
    "  w = (s32[], f32[3,8], f32[3,8]) while(start), condition=more, body=inner\n"
    "  made = f32[3,8] get-tuple-element(w), index=2\n"
    "  ROOT t = (s32[], f32[3,8]) tuple(j, made)\n}\n"
    "tokens {\n  p = (s32[], f32[3,8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
    "  n = s32[] constant(4)\n  ROOT less = pred[] compare(i, n), direction=LT\n}\n"
    "ENTRY e {\n  caches = f32[3,8] parameter(0)\n  zero = s32[] constant(0)\n"
    "  start = (s32[], f32[3,8]) tuple(zero, caches)\n"
    "  w = (s32[], f32[3,8]) while(start), condition=tokens, body=outer\n"
    "  ROOT r = f32[3,8] get-tuple-element(w), index=1\n}\n";

// With `from` replaced.
std::string Unified(const std::string& from = "", const std::string& to = "") {
  const std::string text = from.empty() ? kLayers : absl::StrReplaceAll(kLayers, {{from, to}});
  return After(UnifyStacksOfLoops, text, XlaFlags(), "tpu-v5e:2x4");
}

constexpr char kOneStack[] = "dynamic-slice(new, i, ";

// As in the compiler's module after scan_loop_accumulator_input_unification (libtpu 0.0.50.1).
TEST(UnifyStacksOfLoopsTest, ALayerIsReadFromTheStackThatIsWritten) {
  EXPECT_THAT(Unified(), AllOf(HasSubstr(kOneStack), Not(HasSubstr("caches, fill)")),
                               HasSubstr("caches, caches)")));
}

TEST(UnifyStacksOfLoopsTest, NotWhereMoreReadsTheOldStack) {
  EXPECT_THAT(
      Unified("fill = f32[3,8] broadcast(z), dimensions={}", "fill = f32[3,8] tanh(caches)"),
      Not(HasSubstr(kOneStack)));
  EXPECT_THAT(Unified("tanh(layer)", "dynamic-slice(old, zero, zero), dynamic_slice_sizes={1,8}"),
              Not(HasSubstr(kOneStack)));
}

TEST(UnifyStacksOfLoopsTest, NotWhereLayersAreLeftOut) {
  EXPECT_THAT(Unified("n = s32[] constant(3)", "n = s32[] constant(2)"), Not(HasSubstr(kOneStack)));
}

}  // namespace
}  // namespace tessera::target
