// What XLA's verifier lets through and its partitioner ends on, with no word about it: an error at
// the instruction. The reference was asked with each of these modules (two devices, clean-ups that
// would take the instruction away left out), and crashed.

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  const char* name;
  const char* computations;
  const char* lines;
  const char* at;  // what the text goes on with where the error is
  const char* message;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

constexpr Refusal kRefusals[] = {
    {"UpdateAtAnArrayOfIndices", "",
     "x = f32[8,64] parameter(0), sharding={devices=[1,2]<=[2]}\n"
     "u = f32[8,16] parameter(1)\n"
     "i = s32[2] parameter(2)\n"
     "ROOT d = f32[8,64] dynamic-update-slice(x, u, i), sharding={devices=[1,2]<=[2]}\n",
     "ROOT d", "a scalar for each dimension"},
    {"SliceAtAnArrayOfIndices", "",
     "x = f32[8,64] parameter(0), sharding={devices=[1,2]<=[2]}\n"
     "i = s32[2] parameter(1)\n"
     "ROOT d = f32[8,16] dynamic-slice(x, i), dynamic_slice_sizes={8,16}, "
     "sharding={devices=[2,1]<=[2]}\n",
     "ROOT d", "a scalar for each dimension"},
    {"BorderWithoutOperand", "",
     "ROOT x = f32[3] custom-call(), custom_call_target=\"SPMDFullToShardShape\", "
     "sharding={manual}\n",
     "ROOT x", "takes one array and gives one"},
    {"BorderOfATuple", "",
     "p = (f32[4], f32[4]) parameter(0), sharding={{devices=[2]<=[2]}, {devices=[2]<=[2]}}\n"
     "ROOT x = f32[2] custom-call(p), custom_call_target=\"SPMDFullToShardShape\", "
     "sharding={manual}\n",
     "ROOT x", "takes one array and gives one"},
    {"TopKWithoutOperand", "",
     "ROOT x = (f32[8,3], s32[8,3]) custom-call(), custom_call_target=\"TopK\"\n", "ROOT x",
     "TopK takes the array"},
    {"TopKOfLinesIntoOneLine", "",
     "p = f32[8,64] parameter(0), sharding={devices=[1,2]<=[2]}\n"
     "ROOT x = (f32[3], s32[3]) custom-call(p), custom_call_target=\"TopK\"\n",
     "ROOT x", "gives a tuple of matrices"},
    {"TopKIntoNothing", "",
     "p = f32[8,64] parameter(0), sharding={devices=[1,2]<=[2]}\n"
     "ROOT x = () custom-call(p), custom_call_target=\"TopK\"\n",
     "ROOT x", "gives a tuple of matrices"},
    // Two calls get one body, whose shards are of the wrong shape for the second. Review: sharding,
    // bodies.cc.
    {"CallsOfOneComputationWithOtherResults",
     "f {\n"
     "x = f32[8,16] parameter(0), sharding={devices=[2,1]<=[2]}\n"
     "ROOT y = f32[8,16] negate(x), sharding={devices=[2,1]<=[2]}\n"
     "}\n",
     "p = f32[8,16] parameter(0), sharding={devices=[2,1]<=[2]}\n"
     "a = f32[8,16] call(p), to_apply=f, sharding={devices=[2,1]<=[2]}\n"
     "b = f32[8,16] call(p), to_apply=f, sharding={devices=[1,2]<=[2]}\n"
     "ROOT t = (f32[8,16], f32[8,16]) tuple(a, b), "
     "sharding={{devices=[2,1]<=[2]}, {devices=[1,2]<=[2]}}\n",
     "b = ", "gives shards of f32[4,16], this one wants f32[8,8]"},
    // XLA says here that the shapes are not compatible.
    {"ScanIntoAnotherShape",
     "f {\n"
     "a = f32[] parameter(0)\n"
     "b = f32[3] broadcast(a), dimensions={}\n"
     "c = f32[] parameter(1)\n"
     "ROOT t = (f32[3], f32[]) tuple(b, c)\n"
     "}\n",
     "x = f32[10] parameter(0), sharding={devices=[2]<=[2]}\n"
     "c = f32[] parameter(1)\n"
     "s = (f32[10,3], f32[]) scan(x, c), dimensions={0}, num_carries=1, is_associative=true, "
     "to_apply=f, sharding={{devices=[2,1]<=[2]}, {replicated}}\n"
     "ROOT r = f32[10,3] get-tuple-element(s), index=0, sharding={devices=[2,1]<=[2]}\n",
     "s = ", "results have other shapes than its array"},
    // Arrays without elements, where the reference divides by the size of a shard.
    {"WindowsFewerThanParts",
     "add_ {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
     " ROOT r = f32[] add(a, b)\n}\n",
     "p = f32[0,4] constant({}), sharding={devices=[2,1]<=[2]}\n"
     "z = f32[] parameter(0)\n"
     "ROOT r = f32[1,4] reduce-window(p, z), window={size=1x1 pad=1_0x0_0}, to_apply=add_, "
     "sharding={devices=[2,1]<=[2]}\n",
     "ROOT r", "dimension 0, which is sharded, has no elements"},
};

class RefusalsTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalsTest, IsAnErrorAtTheInstruction) {
  const std::string text = absl::StrCat("HloModule m, num_partitions=2\n", GetParam().computations,
                                        "ENTRY e {\n", GetParam().lines, "}\n");
  const auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = FindCollectives(*module).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
  EXPECT_THAT(text.substr(text::ErrorOffset(status)), ::testing::StartsWith(GetParam().at));
}

INSTANTIATE_TEST_SUITE_P(All, RefusalsTest, ::testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tessera::sharding::partition
