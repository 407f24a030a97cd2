#include "tessera/hlo/compact.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;
using layout::Shape;

constexpr char kLoop[] = R"(HloModule m, replica_count=1, num_partitions=4

add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }
unused { z = f32[] parameter(0)  ROOT n = f32[] negate(z) }
condition { c = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  k = s32[] constant(4)  ROOT less = pred[] compare(i, k), direction=LT }
body { b = (s32[], f32[8]) parameter(0)  j = s32[] get-tuple-element(b), index=0  one = s32[] constant(1)
  next = s32[] add(j, one)  v = f32[8] get-tuple-element(b), index=1
  w = f32[8] all-reduce(v), replica_groups={{0,1,2,3}}, to_apply=add, metadata={op_name="w"}
  ROOT t = (s32[], f32[8]) tuple(next, w) }
ENTRY e { p = f32[8]{0} parameter(0), sharding={replicated}  q = f32[3,2] parameter(1)  zero = s32[] constant(0)
  start = (s32[], f32[8]) tuple(zero, p)  loop = (s32[], f32[8]) while(start), condition=condition, body=body
  o = f32[8] get-tuple-element(loop), index=1  r = f32[2,3]{0,1} transpose(q), dimensions={1,0}
  ROOT out = (f32[8], f32[2,3]) tuple(o, r), control-predecessors={zero} })";

PrintOptions AsNamed() {
  PrintOptions options;
  options.load_like_xla = false;
  options.large_constants = true;
  return options;
}

Module Edited() {
  Module module = *ParseModule(kLoop);
  Builder builder(&module);
  const ComputationId e = module.entry_id();
  const InstructionId p = module.FindInstruction("p");
  const InstructionId twice =
      builder.Add(e, Opcode::kAdd, "p.2", Shape::Array(ElementType::kF32, {8}), {p, p});
  builder.Add(e, Opcode::kNegate, "gone", {p});
  module.SetOperand(module.FindInstruction("start"), 1, twice);
  module.RemoveInstruction(module.FindInstruction("gone"));
  builder.RemoveUnreachableComputations();
  return module;
}

TEST(CompactTest, IsWhatItsTextReadsAs) {
  const Module edited = Edited();
  const std::string text = PrintModule(edited, AsNamed());
  const Module read = *ParseModule(text);
  const Module small = Compacted(edited);
  EXPECT_EQ(PrintModule(small, AsNamed()), text);
  ASSERT_EQ(small.num_instructions(), read.num_instructions());
  ASSERT_EQ(small.num_computations(), read.num_computations());
  EXPECT_EQ(small.entry_id(), read.entry_id());
  for (InstructionId id = 0; id < read.num_instructions(); ++id) {
    EXPECT_EQ(small.instruction(id).name, read.instruction(id).name);
    EXPECT_EQ(small.shape(id), read.shape(id)) << read.instruction(id).name;
    EXPECT_EQ(small.operands(id), read.operands(id));
    EXPECT_EQ(small.called(id), read.called(id));
    EXPECT_EQ(small.control_predecessors(id), read.control_predecessors(id));
    EXPECT_EQ(small.LiteralText(id), read.LiteralText(id));
  }
  for (ComputationId c = 0; c < read.num_computations(); ++c) {
    EXPECT_EQ(small.computation(c).name, read.computation(c).name);
    EXPECT_EQ(small.computation(c).instructions, read.computation(c).instructions);
    EXPECT_EQ(small.computation(c).parameters, read.computation(c).parameters);
    EXPECT_EQ(small.computation(c).root, read.computation(c).root);
  }
  ASSERT_TRUE(small.header().entry_layout.has_value());
  EXPECT_EQ(small.interned_shape(small.header().entry_layout->result),
            read.interned_shape(read.header().entry_layout->result));
}

TEST(CompactTest, ForgetsNamesThatWereTakenOut) {
  Module small = Compacted(Edited());
  EXPECT_EQ(small.FindInstruction("gone"), kNoId);
  EXPECT_EQ(Builder(&small).UniqueInstructionName("gone"), "gone");
}

TEST(CompactTest, OutlivesTheModuleAndKeepsPlaces) {
  const Module small = Compacted(Edited());
  EXPECT_EQ(small.instruction(small.FindInstruction("p.2")).source.size(), 0u);
  const SourceRange place = small.instruction(small.FindInstruction("w")).source;
  EXPECT_EQ(small.source_text().substr(place.begin, 16), "w = f32[8] all-r");
}

}  // namespace
}  // namespace tessera::hlo
