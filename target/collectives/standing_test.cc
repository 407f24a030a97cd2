#include "tessera/target/collectives/standing.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/target/collectives/slices.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHeader[] = "HloModule m, is_scheduled=true, num_partitions=4\n\n";
constexpr char kSum[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n";

const char* NameOf(Form form) {
  constexpr const char* kNames[] = {"synchronous", "fused", "waited", "asynchronous"};
  return kNames[static_cast<size_t>(form)];
}

// "all-reduce f32[8] asynchronous s..d over 2 with 1 product, 0 collectives" of each one.
std::vector<std::string> Listed(const std::string& body) {
  const auto module = hlo::ParseModule(absl::StrCat(kHeader, kSum, body));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto all = FindStanding(*module);
  EXPECT_TRUE(all.ok()) << all.status();
  std::vector<std::string> out;
  for (size_t k = 0; k < all->executions.size(); ++k) {
    const auto& c = all->found.collectives[k];
    const Execution& e = all->executions[k];
    const auto name = [&](hlo::InstructionId id) {
      return id == hlo::kNoId ? "?" : module->instruction(id).name;
    };
    out.push_back(absl::StrCat(hlo::OpcodeName(c.opcode), " ",
                               layout::ShapeToString(c.shape.WithoutLayout()), " ", NameOf(e.form),
                               " ", name(e.begin), "..", name(e.end)));
    if (e.between.instructions > 0) {
      absl::StrAppend(&out.back(), " over ", e.between.instructions, " with ", e.between.products,
                      " products, ", e.between.collectives, " collectives");
    }
  }
  return out;
}

TEST(StandingTest, Synchronous) {
  EXPECT_THAT(Listed("ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT r = f32[8] all-reduce(x), "
                     "replica_groups={{0,1},{2,3}}, to_apply=sum\n}"),
              ElementsAre("all-reduce f32[8] synchronous r..r"));
}

TEST(StandingTest, NativeStartAndDone) {
  EXPECT_THAT(Listed("ENTRY e {\n  x = f32[8] parameter(0)\n  y = f32[8,8] parameter(1)\n"
                     "  s = (f32[8], f32[32]) all-gather-start(x), replica_groups={{0,1,2,3}}, "
                     "dimensions={0}\n"
                     "  b = f32[64] bitcast(y)\n"
                     "  n = f32[8,8] negate(y)\n"
                     "  p = f32[8,8] dot(n, y), lhs_contracting_dims={1}, "
                     "rhs_contracting_dims={0}\n"
                     "  d = f32[32] all-gather-done(s)\n"
                     "  ROOT t = (f32[32], f32[8,8]) tuple(d, p)\n}"),
              ElementsAre("all-gather f32[32] asynchronous s..d over 2 with 1 products, "
                          "0 collectives"));
}

TEST(StandingTest, AnOperationInAComputationOfItsOwn) {
  const std::string wrapped =
      "w {\n  q = f32[8] parameter(0)\n  ROOT o = f32[2] reduce-scatter(q), "
      "replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=sum\n}\n\n";
  const auto entry = [&](const std::string& more) {
    return absl::StrCat(wrapped,
                        "ENTRY e {\n  x = f32[8] parameter(0)\n"
                        "  s = ((f32[8]), f32[2]) async-start(x), calls=w",
                        more,
                        "\n"
                        "  n = f32[8] negate(x)\n"
                        "  u = ((f32[8]), f32[2]) async-update(s)\n"
                        "  d = f32[2] async-done(u)\n"
                        "  ROOT t = (f32[2], f32[8]) tuple(d, n)\n}");
  };
  EXPECT_THAT(Listed(entry("")),
              ElementsAre("reduce-scatter f32[2] asynchronous s..d over 2 with 0 products, "
                          "0 collectives"));
  EXPECT_THAT(Listed(entry(", backend_config={\"collective_backend_config\":{\"is_sync\":true}}")),
              ElementsAre(HasSubstr(" waited s..d")));
}

TEST(StandingTest, AParameterOfAStartIsItsOperand) {
  const auto module = hlo::ParseModule(absl::StrCat(
      kHeader, kSum,
      "w {\n  q = f32[8] parameter(0)\n  ROOT o = f32[2] reduce-scatter(q), "
      "replica_groups={{0,1,2,3}}, dimensions={0}, to_apply=sum\n}\n\n"
      "v {\n  p = f32[8] parameter(0)\n  ROOT f = f32[2] fusion(p), kind=kCustom, calls=w\n}\n\n"
      "ENTRY e {\n  x = f32[8] parameter(0)\n  n = f32[8] negate(x)\n"
      "  s = ((f32[8]), f32[2]) async-start(n), calls=v\n  ROOT d = f32[2] async-done(s)\n}"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(module->instruction(all->found.collectives[0].producer).name, "n");
}

TEST(StandingTest, TheDoneIsElsewhere) {
  EXPECT_THAT(Listed("ENTRY e {\n  x = f32[8] parameter(0)\n"
                     "  ROOT s = (f32[8], f32[8], u32[], u32[]) collective-permute-start(x), "
                     "source_target_pairs={{0,1},{1,0}}\n}"),
              ElementsAre("collective-permute f32[8] asynchronous s..?"));
}

TEST(StandingTest, FusedSumAndSlice) {
  const auto fused = [](const char* name, const char* last) {
    return absl::StrCat(name,
                        " {\n  q = f32[8] parameter(0)\n  i = s32[] parameter(1)\n"
                        "  r = f32[8] all-reduce(q), replica_groups={{0,1,2,3}}, to_apply=sum\n  ",
                        last,
                        "\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
                        "  k = s32[] parameter(1)\n"
                        "  ROOT y = f32[2] fusion(x, k), kind=kCustom, calls=",
                        name, "\n}");
  };
  EXPECT_THAT(Listed(fused("f", "ROOT z = f32[2] dynamic-slice(r, i), dynamic_slice_sizes={2}")),
              ElementsAre("reduce-scatter f32[2] fused y..y"));
  EXPECT_THAT(Listed(fused("f", "ROOT z = f32[2] slice(r), slice={[0:2]}")),
              ElementsAre("all-reduce f32[8] fused y..y"));
  EXPECT_THAT(Listed(fused("all-reduce-scatter.1", "ROOT z = f32[2] slice(r), slice={[0:2]}")),
              ElementsAre("reduce-scatter f32[2] fused y..y"));
}

// Each stage holds the all-gather again; it is one.
TEST(StandingTest, StagesOfAChain) {
  const auto stage = [](const char* name) {
    return absl::StrCat(name,
                        " {\n  q = f32[8] parameter(0)\n  ROOT g = f32[32] all-gather(q), "
                        "channel_id=7, replica_groups={{0,1,2,3}}, dimensions={0}, "
                        "frontend_attributes={chain_id=\"5\"}\n}\n\n");
  };
  EXPECT_THAT(
      Listed(absl::StrCat(stage("f"), stage("g"), stage("h"),
                          "ENTRY e {\n  x = f32[8] parameter(0)\n"
                          "  a = f32[32] fusion(x), kind=kCustom, calls=f\n  n = f32[8] negate(x)\n"
                          "  b = f32[32] fusion(x), kind=kCustom, calls=g\n"
                          "  c = f32[32] fusion(x), kind=kCustom, calls=h\n"
                          "  ROOT t = (f32[32], f32[32], f32[8]) tuple(a, c, n)\n}")),
      ElementsAre("all-gather f32[32] asynchronous a..c over 2 with 0 products, "
                  "1 collectives"));
}

// A chain that begins in front of a loop and ends after it is one collective, which runs once.
TEST(StandingTest, AChainThroughALoop) {
  const auto stage = [](const char* name) {
    return absl::StrCat(name,
                        " {\n  q = f32[8] parameter(0)\n  ROOT g = f32[32] all-gather(q), "
                        "channel_id=7, replica_groups={{0,1,2,3}}, dimensions={0}, "
                        "frontend_attributes={chain_id=\"5\"}\n}\n\n");
  };
  const std::string text = absl::StrCat(
      stage("f"), stage("g"), stage("h"),
      "body {\n  p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  v = f32[8] get-tuple-element(p), index=1\n"
      "  b = f32[32] fusion(v), kind=kCustom, calls=g\n  ROOT t = (s32[], f32[8]) tuple(i, "
      "v)\n}\n\n"
      "cond {\n  p = (s32[], f32[8]) parameter(0)\n  ROOT z = pred[] constant(false)\n}\n\n"
      "ENTRY e {\n  x = f32[8] parameter(0)\n  k = s32[] constant(0)\n"
      "  a = f32[32] fusion(x), kind=kCustom, calls=f\n  s = (s32[], f32[8]) tuple(k, x)\n"
      "  w = (s32[], f32[8]) while(s), condition=cond, body=body\n"
      "  c = f32[32] fusion(x), kind=kCustom, calls=h\n"
      "  ROOT t = (f32[32], f32[32]) tuple(a, c)\n}");
  const auto module = hlo::ParseModule(absl::StrCat(kHeader, kSum, text));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->found.collectives.size(), 1);
  EXPECT_EQ(all->found.collectives[0].body, 0);
  EXPECT_EQ(module->instruction(all->executions[0].begin).name, "a");
  EXPECT_EQ(module->instruction(all->executions[0].end).name, "c");
}

// As the compiler of TPUs writes it for several slices; `attributes` of the transfer.
std::string Transfer(const std::string& sent, const std::string& received,
                     const std::string& attributes) {
  const std::string all = absl::StrCat(
      ", channel_id=1, is_host_transfer=true, frontend_attributes={"
      "_xla_host_transfer_handler_name=\"xla_megascale_runtime\","
      "_xla_host_transfer_rendezvous=\"r_0\",",
      attributes, "}\n");
  return absl::StrCat("ENTRY e {\n  x = ", sent,
                      " parameter(0)\n  t = token[] after-all()\n  s = (", sent,
                      ", u32[], token[]) send(x, t)", all, "  r = (", received,
                      ", u32[], token[]) recv(t)", all, "  n = ", sent,
                      " negate(x)\n"
                      "  sd = token[] send-done(s), channel_id=1, is_host_transfer=true\n  rd = (",
                      received,
                      ", token[]) recv-done(r), channel_id=1, is_host_transfer=true\n"
                      "  ROOT g = ",
                      received, " get-tuple-element(rd), index=0\n}");
}

TEST(StandingTest, HostsOfSlices) {
  const std::string gather =
      Transfer("f32[8]", "f32[16]",
               "_xla_megascale_target=\"{1,2}x{0:3}\",_xla_megascale_transfer_type=\"ALL_GATHER\"");
  EXPECT_THAT(Listed(gather), ElementsAre(HasSubstr("all-gather f32[16] asynchronous s..rd over")));
  const auto module = hlo::ParseModule(absl::StrCat(kHeader, gather));
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(
      all->found.collectives[0].groups.list(),
      ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_TRUE(SpansSlices(all->found.collectives[0], 4));
}

TEST(StandingTest, HostsOfSlicesBySum) {
  const auto module = hlo::ParseModule(absl::StrCat(
      kHeader,
      Transfer("f32[8]", "f32[8]",
               "_xla_megascale_reduce_operation=\"SUM\",_xla_megascale_target=\"{1,2}x{0:3}\","
               "_xla_megascale_transfer_type=\"ALL_REDUCE\"")));
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->found.collectives[0].opcode, hlo::Opcode::kAllReduce);
  EXPECT_EQ(all->found.collectives[0].reduction, "add");
}

TEST(StandingTest, HostsOfSlicesByChips) {
  const auto module = hlo::ParseModule(
      absl::StrCat(kHeader, Transfer("f32[8]", "f32[8]",
                                     "_xla_megascale_target={{100000->200000},{200001->100001}},"
                                     "_xla_megascale_transfer_type=\"ONE_TO_ONE\"")));
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->found.collectives[0].opcode, hlo::Opcode::kCollectivePermute);
  EXPECT_THAT(
      all->found.collectives[0].pairs.list(),
      ElementsAre(std::make_pair(int64_t{0}, int64_t{4}), std::make_pair(int64_t{5}, int64_t{1})));
}

TEST(StandingTest, HostsOfDevicesThatNoSliceHas) {
  const auto error = [](const std::string& target, const std::string& type) {
    const auto module = hlo::ParseModule(
        absl::StrCat(kHeader, Transfer("f32[8]", "f32[8]",
                                       absl::StrCat("_xla_megascale_target=", target,
                                                    ",_xla_megascale_transfer_type=", type))));
    return std::string(FindStanding(*module).status().message());
  };
  for (const char* const target :
       {"\"{1,2}x{0:4}\"", "\"{0,1}x{0:3}\"", "\"{1}x{0:9000000000000000000}\"",
        "{{100000,99999999999999999999}}", "{{100004,200000}}"}) {
    EXPECT_THAT(error(target, "\"ALL_REDUCE\""), HasSubstr("devices that no slice has")) << target;
  }
  EXPECT_THAT(error("{{919999999999990000->100000}}", "\"ONE_TO_ONE\""),
              HasSubstr("devices that no slice has"));
}

TEST(StandingTest, BodiesAreWhatRuns) {
  const auto module = hlo::ParseModule(absl::StrCat(
      kHeader, kSum,
      "body {\n  p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  v = f32[8] get-tuple-element(p), index=1\n"
      "  r = f32[8] all-reduce(v), replica_groups={}, to_apply=sum\n"
      "  ROOT t = (s32[], f32[8]) tuple(i, r)\n}\n\n"
      "cond {\n  p = (s32[], f32[8]) parameter(0)\n  ROOT z = pred[] constant(false)\n}\n\n"
      "ENTRY e {\n  x = (s32[], f32[8]) parameter(0)\n"
      "  ROOT w = (s32[], f32[8]) while(x), condition=cond, body=body\n}"));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto all = FindStanding(*module);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->found.bodies.size(), 2);
  EXPECT_EQ(all->found.bodies[1].role, sharding::partition::Body::Role::kLoop);
  ASSERT_EQ(all->found.collectives.size(), 1);
  EXPECT_EQ(all->found.collectives[0].body, 1);
  EXPECT_EQ(all->found.collectives[0].reduction, "add");
  EXPECT_THAT(all->found.collectives[0].groups.list(), ElementsAre(ElementsAre(0, 1, 2, 3)));
}

TEST(StandingTest, None) {
  EXPECT_THAT(Listed("ENTRY e {\n  ROOT x = f32[8] parameter(0)\n}"), IsEmpty());
}

// Calls of calls double each time: an error, not a day.
TEST(StandingTest, TooManyCalls) {
  std::string body = absl::StrCat(
      "call_0 {\n  q = f32[8] parameter(0)\n  ROOT r = f32[8] all-reduce(q), replica_groups={}, "
      "to_apply=sum\n}\n\n");
  for (int k = 1; k < 40; ++k) {
    absl::StrAppend(&body, "call_", k,
                    " {\n  q = f32[8] parameter(0)\n  a = f32[8] call(q), "
                    "to_apply=call_",
                    k - 1, "\n  ROOT b = f32[8] call(a), to_apply=call_", k - 1, "\n}\n\n");
  }
  absl::StrAppend(&body,
                  "ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] call(x), "
                  "to_apply=call_39\n}");
  const auto module = hlo::ParseModule(absl::StrCat(kHeader, kSum, body));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(FindStanding(*module).status().message(), HasSubstr("with what each call runs"));
}

}  // namespace
}  // namespace tessera::target
