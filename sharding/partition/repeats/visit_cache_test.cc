// Layers that are alike, partitioned with visits repeated from memory and with every visit made:
// the same answer. What one layer leaves after must not be taken for what another one finds.

#include "tessera/sharding/partition/repeats/visit_cache.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::sharding::partition {
namespace {

constexpr char kAdd[] = R"(add_ {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
)";

// `layer` once for each of `count`, with i for its number and x for the result of the one before.
std::string Layers(int64_t count, const std::string& layer) {
  std::string out = absl::StrCat("HloModule m, num_partitions=8\n", kAdd,
                                 "ENTRY e {\n  x0 = f32[16,32] parameter(0), "
                                 "sharding={devices=[8,1]<=[8]}\n  w = f32[32,32] parameter(1), "
                                 "sharding={devices=[1,8]<=[8]}\n  zero = f32[] constant(0)\n");
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(&out, absl::StrReplaceAll(layer, {{"%x", absl::StrCat("x", i)},
                                                      {"%y", absl::StrCat("x", i + 1)},
                                                      {"%", absl::StrCat("l", i, "_")}}));
  }
  return absl::StrCat(out, "  ROOT r = f32[16,32] copy(x", count,
                      "), sharding={devices=[8,1]<=[8]}\n}\n");
}

// The number of collectives.
size_t ExpectSameAnswer(const std::string& text) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto repeated = FindCollectives(*module, {}, Visits::kRepeated);
  const auto each = FindCollectives(*module, {}, Visits::kEach);
  EXPECT_TRUE(repeated.ok()) << repeated.status();
  EXPECT_TRUE(each.ok()) << each.status();
  if (!repeated.ok() || !each.ok()) return 0;
  EXPECT_TRUE(*repeated == *each);
  return repeated->collectives.size();
}

TEST(RepeatsTest, ReshardsOfEveryLayer) {
  EXPECT_EQ(
      ExpectSameAnswer(Layers(5, R"(  %a = f32[16,32] negate(%x), sharding={devices=[1,8]<=[8]}
  %y = f32[16,32] negate(%a), sharding={devices=[8,1]<=[8]}
)")),
      10u);
}

// The second reader finds what was gathered for the first one, in each layer anew.
TEST(RepeatsTest, MemoryOfALayer) {
  EXPECT_EQ(ExpectSameAnswer(Layers(4, R"(  %a = f32[16,32] negate(%x), sharding={replicated}
  %b = f32[16,32] exponential(%x), sharding={replicated}
  %c = f32[16,32] add(%a, %b), sharding={replicated}
  %y = f32[16,32] add(%c, %x), sharding={devices=[8,1]<=[8]}
)")),
            4u);
}

// A weight of all layers is gathered once: the second layer does not do what the first one did.
TEST(RepeatsTest, MemoryBetweenLayers) {
  EXPECT_EQ(
      ExpectSameAnswer(Layers(
          4,
          R"(  %y = f32[16,32] dot(%x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[8,1]<=[8]}
)")),
      1u);
}

TEST(RepeatsTest, WindowsAreRemembered) {
  EXPECT_GT(
      ExpectSameAnswer(Layers(
          4, R"(  %s = f32[15,32] slice(%x), slice={[1:16], [0:32]}, sharding={devices=[8,1]<=[8]}
  %t = f32[15,32] slice(%x), slice={[1:16], [0:32]}, sharding={devices=[8,1]<=[8]}
  %u = f32[15,32] add(%s, %t), sharding={devices=[8,1]<=[8]}
  %y = f32[16,32] pad(%u, zero), padding=1_0x0_0, sharding={devices=[8,1]<=[8]}
)")),
      4u);
}

// Both operands are the same array, and both lead to what it was gathered to.
TEST(RepeatsTest, OperandsThatAreOne) {
  EXPECT_EQ(
      ExpectSameAnswer(Layers(
          4,
          R"(  %d = f32[16,16] dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, sharding={devices=[8,1]<=[8]}
  %s = f32[16] reduce(%d, zero), dimensions={1}, to_apply=add_, sharding={replicated}
  %b = f32[16,32] broadcast(%s), dimensions={0}, sharding={devices=[8,1]<=[8]}
  %y = f32[16,32] multiply(%b, %x), sharding={devices=[8,1]<=[8]}
)")),
      4u);
}

// Equal but for an attribute, an operand's sharding, or what an update begins at.
TEST(RepeatsTest, DifferencesThatCount) {
  ExpectSameAnswer(
      Layers(3, R"(  %t = f32[32,16] transpose(%x), dimensions={1,0}, sharding={devices=[8,1]<=[8]}
  %r = f32[32,16] reshape(%x), sharding={devices=[8,1]<=[8]}
  %a = f32[32,16] add(%t, %r), sharding={devices=[1,8]<=[8]}
  %b = f32[16,32] transpose(%a), dimensions={1,0}, sharding={devices=[8,1]<=[8]}
  %one = s32[] constant(1), sharding={replicated}
  %nine = s32[] constant(9), sharding={replicated}
  %s = f32[2,32] slice(%b), slice={[0:2], [0:32]}, sharding={replicated}
  %u = f32[16,32] dynamic-update-slice(%b, %s, %one, %one), sharding={devices=[8,1]<=[8]}
  %v = f32[16,32] dynamic-update-slice(%u, %s, %nine, %one), sharding={devices=[8,1]<=[8]}
  %w2 = f32[16,32] negate(%v), sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
  %y = f32[16,32] negate(%w2), sharding={devices=[8,1]<=[8]}
)"));
}

// What indices count is found by looking at other instructions.
TEST(RepeatsTest, GathersAndScatters) {
  EXPECT_GT(ExpectSameAnswer(Layers(
                3, R"(  %i = s32[16,1] iota(), iota_dimension=0, sharding={devices=[8,1]<=[8]}
  %n = s32[16,1] negate(%i), sharding={devices=[8,1]<=[8]}
  %g = f32[16,32] gather(%x, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}, sharding={devices=[8,1]<=[8]}
  %h = f32[16,32] gather(%g, %n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}, sharding={devices=[8,1]<=[8]}
  %y = f32[16,32] scatter(%h, %n, %g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_, sharding={devices=[8,1]<=[8]}
)")),
            3u);
}

}  // namespace
}  // namespace tessera::sharding::partition
