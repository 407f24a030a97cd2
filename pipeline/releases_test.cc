// Differences of releases of the reference after propagation, on the smallest modules that show it.
// The expected shardings are those of the real pass.

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/reference/reference.h"

namespace tessera::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kHead[] =
    "HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = "
    "#sdy.mesh<[\"a\"=2, \"b\"=2]>}}\n\n";

// The sharded module, or the error.
std::string Shard(const std::string& body, const char* release) {
  const auto module = hlo::ParseModule(absl::StrCat(kHead, body));
  if (!module.ok()) return std::string(module.status().message());
  ShardOptions options;
  options.structure = Structure::kXla;
  options.stage = Stage::kPass;
  options.reference = *sharding::reference::FindReference(release);
  const auto result = ShardModule(*module, options);
  return result.ok() ? result->text : std::string(result.status().message());
}

std::string Sharding(const std::string& text) {
  return absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, ", text,
                      ">\"}");
}
std::string Shardings(const std::string& text) {
  return absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding_per_value<[<", text,
                      ">]>\"}");
}

TEST(ReleasesTest, ResultsTakeTheShardingOfTheirValue) {
  const std::string module =
      absl::StrCat("ENTRY e {\n  x = f32[8,4] parameter(0)\n",
                   "  c = f32[8,4] custom-call(x), custom_call_target=\"Sharding\", ",
                   Shardings("@mesh, [{}, {}]"), "\n  n = f32[8,4] negate(x)\n",
                   "  ROOT t = (f32[8,4], f32[8,4]) tuple(c, n)\n}\n");
  EXPECT_THAT(Shard(module, "0.12.0.1"), HasSubstr("), sharding={{replicated}, {replicated}}\n"));
  EXPECT_THAT(Shard(module, "0.11.0"), Not(HasSubstr("{{replicated}")));
}

TEST(ReleasesTest, TokensAreNeverPartlyManual) {
  const char* kModule =
      "xla.sdy.manual_computation_body {\n  p = token[] parameter(0)\n"
      "  ROOT q = token[] after-all(p)\n}\n\n"
      "ENTRY e {\n  t = token[] parameter(0)\n"
      "  g = token[] custom-call(t), custom_call_target=\"xla.sdy.GlobalToLocalShape\", "
      "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="
      "\"#sdy.sharding_per_value<[<@mesh, "
      "[]>]>\",xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"a\\\"}>\"}\n"
      "  c = token[] call(g), to_apply=xla.sdy.manual_computation_body, "
      "frontend_attributes={inlineable=\"false\"}\n"
      "  ROOT l = token[] custom-call(c), custom_call_target=\"xla.sdy.LocalToGlobalShape\", "
      "custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="
      "\"#sdy<manual_axes{\\\"a\\\"}>\",xla.sdy.out_shardings="
      "\"#sdy.sharding_per_value<[<@mesh, []>]>\"}\n}\n";
  EXPECT_THAT(Shard(kModule, "0.11.2"),
              AllOf(HasSubstr("call("), Not(HasSubstr("last_tile_dims"))));
  EXPECT_THAT(Shard(kModule, "0.11.1"), HasSubstr("last_tile_dims={manual, replicated}"));
}

TEST(ReleasesTest, OperandsOfOneDeviceAreReplicatedFirst) {
  const std::string module = absl::StrCat(
      "ENTRY e {\n  x = f32[8,4] parameter(0), ", Sharding("[{\\\"a\\\"}, {}]"),
      "\n  c = f32[8,4] custom-call(x), custom_call_target=\"xla_python_cpu_callback\", "
      "custom_call_has_side_effect=true, ",
      Shardings("mesh<[], device_ids=[0]>, []"), "\n  ROOT r = f32[8,4] sine(c)\n}\n");
  const char* kDevice = "), sharding={maximal device=0}\n";
  EXPECT_THAT(Shard(module, "0.12.0.1"), HasSubstr(" copy(%"));
  EXPECT_THAT(Shard(module, "0.12.0.1"), Not(HasSubstr("copy(%c")));
  EXPECT_THAT(Shard(module, "0.11.2"),
              AllOf(HasSubstr("sharding={replicated}"), HasSubstr(kDevice)));
  EXPECT_THAT(Shard(module, "0.11.0"), Not(HasSubstr(" copy(")));
}

TEST(ReleasesTest, NothingIsCopiedWithinATransfer) {
  const std::string on_one =
      Shardings("mesh<[], device_ids=[0]>, []>, <mesh<[], device_ids=[0]>, []");
  const std::string module = absl::StrCat(
      "ENTRY e {\n  x = f32[8,4] parameter(0), ", Sharding("[{\\\"a\\\"}, {}]"),
      "\n  t = token[] after-all()\n  r = (f32[8,4], u32[], token[]) recv(t), channel_id=1, "
      "is_host_transfer=true, ",
      on_one, "\n  d = (f32[8,4], token[]) recv-done(r), channel_id=1, is_host_transfer=true, ",
      on_one, "\n  v = f32[8,4] get-tuple-element(d), index=0\n  ROOT s = f32[8,4] add(x, v)\n}\n");
  for (const char* release : {"0.12.0.1", "0.11.2"}) {
    EXPECT_THAT(Shard(module, release), HasSubstr("recv-done(%r"));
  }
}

TEST(ReleasesTest, NothingOnOneDeviceCrossesTheBorder) {
  const std::string module = absl::StrCat(
      "ENTRY e {\n  x = f32[8,4] parameter(0), ",
      "frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<mesh<[], device_ids=[0]>, []>\"}",
      "\n  ROOT r = f32[8,4] sine(x)\n}\n");
  EXPECT_THAT(Shard(module, "0.12.0.1"),
              HasSubstr("parameter 0 of the computation is on a single"));
  EXPECT_THAT(Shard(module, "0.11.0"), HasSubstr("maximal device=0"));
}

// An entry of f32[8,4]: a parameter x with `sharding`, and `line`, the root, that reads it.
std::string Reads(const std::string& sharding, const std::string& line) {
  return absl::StrCat("sum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n",
                      "  ROOT s = f32[] add(p, q)\n}\n", "ENTRY e {\n  x = f32[8,4] parameter(0), ",
                      Sharding(sharding), "\n  ", line, "\n}\n");
}

TEST(ReleasesTest, UnreducedAxesMustNotBeDropped) {
  const std::string module =
      Reads("[{}, {}], unreduced={\\\"a\\\"}", "ROOT n = f32[8,4] negate(x)");
  EXPECT_THAT(
      Shard(module, "0.12.0.1"),
      HasSubstr("10:3: error: %n: an operand is unreduced along 'a' by sum, which the op does "
                "not reduce"));
  EXPECT_THAT(Shard(module, "0.10.2"), HasSubstr("all-reduce("));
}

TEST(ReleasesTest, AllReducesMayDropAxes) {
  const std::string unreduced = "[{}, {}], unreduced={\\\"a\\\"}";
  const char* kAllReduce = "ROOT n = f32[8,4] all-reduce(x), replica_groups={}, to_apply=sum";
  EXPECT_THAT(Shard(Reads(unreduced, kAllReduce), "0.12.0.1"), Not(HasSubstr("error")));
  EXPECT_THAT(Shard(Reads("[{}, {}], unreduced=max{\\\"a\\\"}", kAllReduce), "0.12.0.1"),
              HasSubstr("an operand is unreduced along 'a' by max"));
}

TEST(ReleasesTest, ConstraintsMayDropAxesButNotChangeTheReduction) {
  const std::string constraint =
      "ROOT c = f32[8,4] custom-call(x), custom_call_target=\"Sharding\", ";
  const std::string maximum = "[{}, {}], unreduced=max{\\\"a\\\"}";
  EXPECT_THAT(Shard(Reads(maximum, constraint + Shardings("@mesh, [{}, {}]")), "0.12.0.1"),
              HasSubstr(" maximum(%"));
  EXPECT_THAT(
      Shard(Reads(maximum, constraint + Shardings("@mesh, [{}, {}], unreduced={\\\"a\\\"}")),
            "0.12.0.1"),
      HasSubstr("an operand is unreduced by max, the result along the same axes by sum"));
  EXPECT_THAT(Shard(Reads("[{}, {}]", constraint + Shardings("@mesh, " + maximum)), "0.12.0.1"),
              HasSubstr("axes can only become unreduced by sum"));
}

TEST(ReleasesTest, ResultsKeepTheUnreducedAxesOfTheirValue) {
  const std::string module = absl::StrCat(
      "ENTRY e {\n  x = f32[8,4] parameter(0), ", Sharding("[{}, {}], unreduced={\\\"a\\\"}"),
      "\n  r = f32[8,4] custom-call(x), custom_call_target=\"xla.sdy.FuncResultSharding\", "
      "custom_call_has_side_effect=true, ",
      Shardings("@mesh, [{}, {}]"), "\n  ROOT t = (f32[8,4]) tuple(r)\n}\n");
  EXPECT_THAT(Shard(module, "0.12.0.1"),
              HasSubstr("returned value 0 is unreduced along 'a' but wanted along no axes"));
  EXPECT_THAT(Shard(module, "0.10.2"), HasSubstr("all-reduce("));
}

}  // namespace
}  // namespace tessera::pipeline
