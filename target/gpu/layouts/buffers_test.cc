#include "tessera/target/gpu/layouts/buffers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// By name: an instruction of the entry.
class BuffersTest : public ::testing::Test {
 protected:
  InstructionId Named(absl::string_view name) const {
    for (const InstructionId id : program_.module().computation(entry_).instructions) {
      if (program_.module().instruction(id).name == name) return id;
    }
    return kNoId;
  }

  DeviceProgram program_{
      *hlo::ParseModule("HloModule m\n"
                        "ENTRY e {\n"
                        "  x = f32[8] parameter(0)\n"
                        "  p = (f32[8], f32[4]) parameter(1)\n"
                        "  y = f32[8] get-tuple-element(p), index=0\n"
                        "  t = (f32[8], f32[8]) tuple(x, y)\n"
                        "  b = (f32[8], f32[8]) opt-barrier(t)\n"
                        "  g = f32[8] get-tuple-element(b), index=1\n"
                        "  a = f32[8] add(g, x)\n"
                        "  ROOT r = (f32[8]) tuple(a)\n"
                        "}\n")};
  const ComputationId entry_ = program_.module().entry_id();
  const ArrayBuffers buffers_{program_, {entry_}};
};

TEST_F(BuffersTest, LooksThroughTuples) {
  EXPECT_THAT(buffers_.Of(Named("g")), Pair(Named("p"), 0));
  EXPECT_THAT(buffers_.Of(Named("r"), 0), Pair(Named("a"), 0));
  EXPECT_EQ(buffers_.ShapeOf({Named("p"), 1}).dim(0), 4);
}

TEST_F(BuffersTest, ListsWhatIsMadeAndWhoReadsIt) {
  EXPECT_THAT(buffers_.all(), ElementsAre(Pair(Named("x"), 0), Pair(Named("p"), 0),
                                          Pair(Named("p"), 1), Pair(Named("a"), 0)));
  EXPECT_THAT(buffers_.UsesOf({Named("p"), 0}), ElementsAre(Pair(Named("a"), 0)));
  EXPECT_TRUE(buffers_.UsesOf({Named("p"), 1}).empty());
}

// What is taken out of a tuple within a tuple has no other array after it.
TEST(NestedTupleTest, IsNotLookedInto) {
  DeviceProgram program(
      *hlo::ParseModule("HloModule m\n"
                        "ENTRY e {\n"
                        "  x = f32[8] parameter(0)\n"
                        "  y = f32[4] parameter(1)\n"
                        "  t = (f32[8], f32[4]) tuple(x, y)\n"
                        "  u = (f32[8], (f32[8], f32[4])) tuple(x, t)\n"
                        "  v = (f32[8], f32[4]) get-tuple-element(u), index=1\n"
                        "  ROOT w = f32[4] get-tuple-element(v), index=1\n"
                        "}\n"));
  const hlo::Module& module = program.module();
  const ArrayBuffers buffers(program, {module.entry_id()});
  const InstructionId u = module.FindInstruction("u"), v = module.FindInstruction("v");
  EXPECT_THAT(buffers.Of(module.FindInstruction("w")), Pair(v, 1));
  EXPECT_THAT(buffers.Of(u, 1), Pair(u, 1));
  EXPECT_EQ(buffers.ShapeOf({v, 1}).dim(0), 4);
}

TEST(BitcastTest, OfOtherSizesMakesAnArray) {
  DeviceProgram program(
      *hlo::ParseModule("HloModule m\n"
                        "ENTRY e {\n"
                        "  x = f32[4,6] parameter(0)\n"
                        "  y = f32[4,6] bitcast(x)\n"
                        "  ROOT z = f32[24] bitcast(y)\n"
                        "}\n"));
  const hlo::Module& module = program.module();
  const ArrayBuffers buffers(program, {module.entry_id()});
  const InstructionId x = module.FindInstruction("x"), z = module.FindInstruction("z");
  EXPECT_THAT(buffers.all(), ElementsAre(Pair(x, 0), Pair(z, 0)));
  EXPECT_THAT(buffers.UsesOf({x, 0}), ElementsAre(Pair(z, 0)));
}

}  // namespace
}  // namespace tessera::target
