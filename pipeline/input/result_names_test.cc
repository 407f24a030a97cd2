#include "tessera/pipeline/input/result_names.h"

#include <string>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;

TEST(ResultNamesTest, OfStableHlo) {
  EXPECT_THAT(
      ResultNamesOf(
          "func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "
          "\"result[0]['w1']\"}, tensor<f32> {jax.result_info = \"result[1][\\\"a\\\"]\"}) {\n"),
      ElementsAre("out[0]['w1']", "out[1][\"a\"]"));
}

TEST(ResultNamesTest, OfOlderReleases) {
  EXPECT_THAT(ResultNamesOf("jax.result_info = \"['w1']\", jax.result_info = \"\""),
              ElementsAre("out['w1']", "out"));
}

TEST(ResultNamesTest, ALineEach) {
  EXPECT_THAT(ResultNamesOf("out['w1']\r\nout['a b']\n"), ElementsAre("out['w1']", "out['a b']"));
}

TEST(ResultNamesTest, Errors) {
  const auto file = text::Source::FromString("no_names.mlir", "\n");
  const std::string message(ResultNamesOfFile(*file).status().message());
  EXPECT_TRUE(absl::StartsWith(message, "no_names.mlir: expected jax.result_info")) << message;
}

}  // namespace
}  // namespace tessera::pipeline
