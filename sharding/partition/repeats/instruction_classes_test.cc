#include "tessera/sharding/partition/repeats/instruction_classes.h"

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::sharding::partition {
namespace {

constexpr char kText[] = R"(HloModule m, num_partitions=8
add1 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
add2 {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT s = f32[] add(c, d)
}
max {
  e = f32[] parameter(0)
  f = f32[] parameter(1)
  ROOT t = f32[] maximum(e, f)
}
ENTRY main {
  x = f32[16,16] parameter(0), sharding={devices=[8,1]<=[8]}
  zero = f32[] constant(0)
  nought = f32[] constant(0)
  one = f32[] constant(1)
  t1 = f32[16,16] transpose(x), dimensions={1,0}, sharding={replicated}, metadata={op_name="a"}
  t2 = f32[16,16] transpose(t1), dimensions={1,0}, sharding={replicated}, metadata={op_name="b"}
  t3 = f32[16,16] transpose(t2), dimensions={0,1}, sharding={replicated}
  t4 = f32[16,16] transpose(t3), dimensions={1,0}, sharding={devices=[8,1]<=[8]}
  t5 = f32[16,16] transpose(t4), dimensions={1,0}, sharding={replicated}, metadata={op_name="c"}, backend_config="c"
  t6 = f32[16,16] transpose(t5), dimensions={1,0}, metadata={op_name="d"}, sharding={devices=[8,1]<=[8]}
  r1 = f32[16] reduce(t4, zero), dimensions={1}, to_apply=add1, sharding={replicated}
  r2 = f32[16] reduce(t4, zero), dimensions={1}, to_apply=add2, sharding={replicated}
  r3 = f32[16] reduce(t4, zero), dimensions={1}, to_apply=max, sharding={replicated}
  i = s32[16,1] iota(), iota_dimension=0
  n = s32[16,1] negate(i)
  g1 = f32[16,16] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}
  g2 = f32[16,16] gather(x, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}
  ROOT out = (f32[16], f32[16], f32[16], f32[16,16], f32[16,16]) tuple(r1, r2, r3, g1, g2)
}
)";

class KindsTest : public testing::Test {
 protected:
  InstructionClasses::Id KindOf(absl::string_view name) {
    return classes_.Of(module_.FindInstruction(name)).number;
  }

  hlo::Module module_ = *hlo::ParseModule(kText);
  const ModuleView view_{module_};
  InstructionClasses classes_{view_};
};

TEST_F(KindsTest, NamesAndMetadataAreNoPart) {
  EXPECT_EQ(KindOf("t1"), KindOf("t2"));
  EXPECT_EQ(KindOf("zero"), KindOf("nought"));
}

// Lines that agree in all that stands in front of it.
TEST_F(KindsTest, WhatStandsAfterMetadata) {
  EXPECT_EQ(KindOf("t1"), KindOf("t5"));
  KindOf("t1");
  EXPECT_EQ(KindOf("t2"), KindOf("t1"));
  EXPECT_NE(KindOf("t6"), KindOf("t1"));
}

TEST_F(KindsTest, AttributesShardingsAndLiteralsAre) {
  EXPECT_NE(KindOf("t1"), KindOf("t3"));
  EXPECT_NE(KindOf("t1"), KindOf("t4"));
  EXPECT_NE(KindOf("zero"), KindOf("one"));
}

TEST_F(KindsTest, OfACalledComputationTheRoot) {
  EXPECT_EQ(KindOf("r1"), KindOf("r2"));
  EXPECT_NE(KindOf("r1"), KindOf("r3"));
}

TEST_F(KindsTest, WhetherIndicesCount) { EXPECT_NE(KindOf("g1"), KindOf("g2")); }

TEST_F(KindsTest, OneThatComesAgain) {
  const InstructionClasses::Id twice = KindOf("t1"), once = KindOf("t3");
  EXPECT_FALSE(classes_[twice].comes_again);
  KindOf("t2");
  EXPECT_TRUE(classes_[twice].comes_again);
  EXPECT_FALSE(classes_[once].comes_again);
}

// The second time, after the first one, each is compared with what followed the first time.
TEST_F(KindsTest, TheSameTwice) {
  const std::vector<hlo::InstructionId>& list = module_.entry().instructions;
  std::vector<InstructionClasses::Id> first(module_.num_instructions()), second = first;
  for (hlo::InstructionId id : list) first[id] = classes_.Of(id).number;
  size_t followed = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const size_t more = classes_.Follow(absl::MakeConstSpan(list).subspan(i), second);
    followed += more;
    i += more;
    if (i < list.size()) second[list[i]] = classes_.Of(list[i]).number;
  }
  EXPECT_EQ(first, second);
  EXPECT_GT(followed, list.size() / 2);
}

// Text that was given to an instruction later stands elsewhere.
TEST_F(KindsTest, AttributesThatWereChanged) {
  const InstructionClasses::Id before = KindOf("t1");
  module_.SetAttribute(module_.FindInstruction("t3"), hlo::AttributeName::kDimensions, "{1,0}");
  const InstructionClasses::Id changed = KindOf("t3");
  EXPECT_NE(changed, KindOf("t4"));
  module_.SetAttribute(module_.FindInstruction("t2"), hlo::AttributeName::kDimensions, "{0,1}");
  EXPECT_NE(KindOf("t2"), before);
}

}  // namespace
}  // namespace tessera::sharding::partition
