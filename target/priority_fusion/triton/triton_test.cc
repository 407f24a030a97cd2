#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/priority_fusion/model/op_facts.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/priority_fusion/read_program.h"
#include "tessera/target/priority_fusion/triton/diamonds.h"
#include "tessera/target/priority_fusion/triton/known_tiles.h"
#include "tessera/target/priority_fusion/triton/op_groups.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"
#include "tessera/target/priority_fusion/triton/tiles_of_operands.h"

namespace tessera::target {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Optional;

constexpr char kMean[] =
    "  x = bf16[8,128,256] parameter(0)\n"
    "  c = f32[8,128,256] convert(x)\n"
    "  z = f32[] constant(0)\n"
    "  s = f32[8,128] reduce(c, z), dimensions={2}, to_apply=sum\n"
    "  n = bf16[8,128] convert(s)\n"
    "  b = bf16[8,128,256] broadcast(n), dimensions={0,1}\n"
    "  d = bf16[8,128,256] subtract(x, b)\n";

std::string NameOf(const DeviceProgram& program, InstructionId id) {
  return std::string(program.module().instruction(id).name);
}

// "d: n s": the root, and what it meets first.
std::vector<std::string> DiamondsOf(const std::string& body) {
  DeviceProgram program = ReadProgram(body);
  std::vector<std::string> lines;
  for (const Diamond& diamond :
       FindDiamonds(program, program.PostOrder(program.module().entry_id()))) {
    lines.push_back(NameOf(program, diamond.root) + ":");
    for (const InstructionId id : diamond.inner) lines.back() += " " + NameOf(program, id);
  }
  return lines;
}

TEST(DiamondsTest, FromTheRowsToWhereTheirSumMeetsThem) {
  EXPECT_THAT(DiamondsOf(std::string(kMean) + "  ROOT r = bf16[8,128,256] abs(d)\n"),
              ElementsAre("d: b n s z c"));
}

TEST(DiamondsTest, ASumThatOthersReadIsNone) {
  EXPECT_THAT(
      DiamondsOf(std::string(kMean) + "  ROOT t = (bf16[8,128,256], f32[8,128]) tuple(d, s)\n"),
      ElementsAre());
}

TEST(DiamondsTest, SumsOfColumnsAreNone) {
  EXPECT_THAT(DiamondsOf("  x = f32[8,64] parameter(0)\n  z = f32[] constant(0)\n"
                         "  s = f32[64] reduce(x, z), dimensions={0}, to_apply=sum\n"
                         "  b = f32[8,64] broadcast(s), dimensions={1}\n"
                         "  ROOT d = f32[8,64] subtract(x, b)\n"),
              ElementsAre());
}

// n and the broadcast are of the group of the product; what is spread is not.
TEST(OpGroupsTest, ElementwiseReadersAreOfOneGroup) {
  const DeviceProgram program = ReadProgram(
      "  x = f32[8,64] parameter(0)\n  z = f32[8] parameter(1)\n"
      "  n = f32[8,64] negate(x)\n  m = f32[8] negate(z)\n"
      "  b = f32[8,64] broadcast(m), dimensions={0}\n  ROOT y = f32[8,64] multiply(n, b)\n");
  const FusionGraph graph(program, program.module().entry_id());
  std::vector<InstructionId> ids;
  for (uint32_t k = 0; k < graph.size(); ++k) ids.push_back(graph.InstructionOf(k));
  const Expression expression = {{2, {{Read::kKernel, 0}}},
                                 {3, {{Read::kKernel, 1}}},
                                 {4, {{Read::kInner, 1}}},
                                 {5, {{Read::kInner, 0}, {Read::kInner, 2}}}};
  const OpGroups found = GroupsOf(program, ids, graph.facts(), expression);
  ASSERT_EQ(found.groups.size(), 2);
  EXPECT_EQ(found.groups[0].edges.size(), 2);  // x, and the group of m
  EXPECT_EQ(found.groups[1].edges.size(), 1);  // z
  EXPECT_EQ(found.reads.size(), 2);
}

// The seconds are those that XLA counts (jax-cuda12-plugin 0.12.0.1): 314.25 ns, and its unit is a quarter.
TEST(TritonSecondsTest, OfADiamond) {
  DeviceProgram program = ReadProgram(std::string(kMean) + "  ROOT r = bf16[8,128,256] abs(d)\n");
  FusionGraph graph(program, program.module().entry_id());
  for (uint32_t k = 0; k < graph.size(); ++k) {
    if (NameOf(program, graph.InstructionOf(k)) != "d") continue;
    EXPECT_TRUE(graph.node(k).is_triton);
    EXPECT_THAT(graph.CostOf(k).ticks / 4, DoubleNear(314.25, 1.5));
  }
}

TEST(TileOfOperandTest, FollowsTheOperation) {
  DeviceProgram program = ReadProgram(
      "  x = f32[4096,32] parameter(0)\n"
      "  r = f32[4,1024,32] bitcast(x)\n"
      "  z = f32[] constant(0)\n"
      "  s = f32[4,1024] reduce(r, z), dimensions={2}, to_apply=sum\n"
      "  ROOT t = f32[1024,4] transpose(s), dimensions={1,0}\n");
  const auto& order = program.PostOrder(program.module().entry_id());
  const InstructionId bitcast = order[1], reduce = order[3], transpose = order[4];
  EXPECT_THAT(TileOfOperand(program, transpose, 0, {16, 1}), Optional(ElementsAre(1, 16)));
  EXPECT_THAT(TileOfOperand(program, reduce, 0, {1, 16}), Optional(ElementsAre(1, 16, 32)));
  EXPECT_THAT(TileOfOperand(program, bitcast, 0, {1, 16, 32}), Optional(ElementsAre(16, 32)));
  EXPECT_EQ(TileOfOperand(program, bitcast, 0, {2, 16, 32}), std::nullopt);
}

// Reductions of squares in an encoder-decoder with Adafactor: XLA finds no tile for a kernel that has one of these
// bitcasts and a mean of rows ("No valid tilings found").
TEST(TileOfOperandTest, ATileOfAReshapeAlsoFitsAsPowersOfTwo) {
  DeviceProgram program = ReadProgram(
      "  x = f32[8,1024,704] parameter(0)\n"
      "  y = f32[8,704,1024] parameter(1)\n"
      "  a = f32[2048,2816] bitcast(x)\n"
      "  b = f32[2048,2816] bitcast(y)\n"
      "  c = f32[8,256,2816] reshape(a)\n"
      "  d = f32[8,704,1024] negate(y)\n"
      "  ROOT t = (f32[8,256,2816], f32[2048,2816], f32[8,704,1024]) tuple(c, b, d)\n");
  const auto tile_of = [&](absl::string_view name, const Tile& tile) {
    for (const InstructionId id : program.PostOrder(program.module().entry_id())) {
      if (program.module().instruction(id).name == name) return TileOfOperand(program, id, 0, tile);
    }
    return std::optional<Tile>();
  };
  EXPECT_EQ(tile_of("a", {1, 2816}), std::nullopt);  // 4096 elements are no rows of 704
  EXPECT_EQ(tile_of("b", {4, 2816}), std::nullopt);  // 11 rows of 1024, but four of 4096 are others
  EXPECT_THAT(tile_of("c", {1, 4, 2816}), Optional(ElementsAre(4, 2816)));  // as it was
}

TEST(KnownTilesTest, AnswersAreThoseOfTheFirstTime) {
  DeviceProgram program = ReadProgram(
      "  x = f32[4096,32] parameter(0)\n"
      "  r = f32[4,1024,32] bitcast(x)\n"
      "  ROOT t = f32[4,32,1024] transpose(r), dimensions={0,2,1}\n");
  const auto& order = program.PostOrder(program.module().entry_id());
  const InstructionId bitcast = order[1], transpose = order[2];
  KnownTiles tiles(program);
  const TileId tile = tiles.IdOf({1, 32, 16}), whole = tiles.IdOf({2, 16, 32});
  EXPECT_EQ(tiles.IdOf({1, 32, 16}), tile);
  for (int time = 0; time < 2; ++time) {
    const auto of_transpose = tiles.OfOperand(transpose, 0, tile);
    ASSERT_TRUE(of_transpose.has_value());
    EXPECT_THAT(tiles[*of_transpose], ElementsAre(1, 16, 32));
    const auto of_bitcast = tiles.OfOperand(bitcast, 0, *of_transpose);
    ASSERT_TRUE(of_bitcast.has_value());
    EXPECT_THAT(tiles[*of_bitcast], ElementsAre(16, 32));
    EXPECT_EQ(tiles.OfOperand(bitcast, 0, whole), std::nullopt);
  }
  EXPECT_EQ(tiles.Padded(tiles.IdOf({3, 5})), 32);
}

}  // namespace
}  // namespace tessera::target
