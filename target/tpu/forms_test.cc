#include "tessera/target/tpu/forms.h"

#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

TEST(IsSynchronousTest, ByOpcodeAndOfGathersByChipPlaceAndSize) {
  const Target v5e = *ParseTarget("tpu-v5e:2x4"), v5p = *ParseTarget("tpu-v5p:2x2x2");
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kAllReduce, 1 << 24, true}), true);
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kCollectivePermute, 1 << 24, true}), false);
  EXPECT_EQ(IsSynchronous(*ParseTarget("tpu-v5e:4x8"), {Opcode::kCollectivePermute, 1 << 24, true}),
            true);
  EXPECT_EQ(IsSynchronous(*ParseTarget("tpu-v6e:4x8"), {Opcode::kCollectivePermute, 1 << 24, true}),
            false);
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kAllGather, 1 << 24, true}), false);
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kAllGather, 1 << 10, true}), true);
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kAllGather, 1 << 24, false}), std::nullopt);
  EXPECT_EQ(IsSynchronous(v5p, {Opcode::kAllGather, 1 << 24, true}), true);
  EXPECT_EQ(IsSynchronous(v5e, {Opcode::kAllReduce, 8, true, /*spans_slices=*/true}), false);
  EXPECT_EQ(IsSynchronous(*ParseTarget("h100:8"), {Opcode::kAllReduce, 8, false}), std::nullopt);
}

}  // namespace
}  // namespace tessera::target
