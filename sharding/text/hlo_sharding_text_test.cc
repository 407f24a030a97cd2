#include "tessera/sharding/hlo_sharding_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char *in, *out;  // out empty: the same
};

void ExpectCanonical(const Case& c) {
  const auto parsed = ParseHloSharding(c.in);
  ASSERT_TRUE(parsed.ok()) << c.in << ": " << parsed.status();
  const std::string text = parsed->ToString();
  EXPECT_EQ(text, c.out[0] == '\0' ? c.in : c.out);
  const auto again = ParseHloSharding(text);
  ASSERT_TRUE(again.ok()) << text << ": " << again.status();
  EXPECT_EQ(again->ToString(), text);
  EXPECT_EQ(*again, *parsed);
}

TEST(HloShardingTextTest, ReadsGridsAndKinds) {
  const Case cases[] = {
      {"{replicated}", ""},
      {"{ manual }", "{manual}"},
      {"{unknown}", ""},
      {"{unreduced shard_like 7}", ""},
      {"{maximal device=-1}", ""},
      {"{device=3 maximal}", "{maximal device=3}"},
      {"{devices=[3,2]<=[6]}", ""},
      {"{devices=[3,2]<=[2,3]T(1,0)}", ""},
      {"{devices=[3,2]<=[2,1,3]T(2,1,0)}", "{devices=[3,2]<=[2,3]T(1,0)}"},
      {"{devices=[3]2,0,1}", ""},
      {"{/* one */devices=[2]/* two */0,1 // three\n}", "{devices=[2]0,1}"},
      {"{last_tile_dim_replicate devices=[2,3]<=[6]}",
       "{devices=[2,3]<=[6] last_tile_dim_replicate}"},
      {"{devices=[2,3]<=[6] replicated}", "{replicated}"},
      {"{}", ""},
      {"{{replicated}}", ""},
      {"{{replicated},{manual},{manual},{manual},{manual},{manual},{unknown}}",
       "{{replicated}, {manual}, {manual}, {manual}, {manual}, /*index=5*/{manual}, {unknown}}"},
      {"{{mesh['q'=2], [{'q'}]}, {maximal device=1}}", ""},
  };
  for (const Case& c : cases) ExpectCanonical(c);
}

TEST(HloShardingTextTest, BringsSubgroupsToOneForm) {
  const Case cases[] = {
      // One group of everything.
      {"{devices=[1,6]<=[6] last_tile_dims={manual}}", "{manual}"},
      {"{devices=[1,6]<=[6] last_tile_dim_replicate}", "{replicated}"},
      {"{devices=[2,3]<=[6] last_tile_dims={unreduced,unreduced}}", "{unreduced}"},
      // Groups of one device.
      {"{devices=[6,1]<=[6] last_tile_dims={manual}}", "{devices=[6]<=[6]}"},
      // Order and merging of types.
      {"{devices=[2,3,2]<=[12] last_tile_dims={replicated,manual}}",
       "{devices=[2,2,3]<=[2,3,2]T(0,2,1) last_tile_dims={manual, replicated}}"},
      {"{devices=[2,3,2]<=[12] last_tile_dims={manual,manual}}",
       "{devices=[2,6]<=[12] last_tile_dims={manual}}"},
      // The order within replicas is forgotten, the one within manual groups is not.
      {"{devices=[2,3]5,4,3,2,1,0 last_tile_dim_replicate}",
       "{devices=[2,3]3,4,5,0,1,2 last_tile_dim_replicate}"},
      {"{devices=[2,3]5,4,3,2,1,0 last_tile_dims={manual}}", ""},
      {"{devices=[3,4]<=[2,3,2]T(1,2,0) last_tile_dim_replicate}",
       "{devices=[3,4]<=[2,3,2]T(1,0,2) last_tile_dim_replicate}"},
      // Groups of single devices have no short form.
      {"{devices=[6]<=[6] last_tile_dims={maximal}}", ""},
  };
  for (const Case& c : cases) ExpectCanonical(c);
}

TEST(HloShardingTextTest, ReadsNamedAxes) {
  const Case cases[] = {
      {"{mesh['q'=2,'r'=3], [{'q'}, {'r', ?}]}", ""},
      {"{mesh[\"q\"=2] [{\"q\"}]}", "{mesh['q'=2], [{'q'}]}"},
      {"{mesh['q'=2,'r'=3], [{'1'}]}", "{mesh['q'=2,'r'=3], [{'r'}]}"},
      {"{mesh['q'=8], [{'q':(4)2, 'q':(1)2}], replicated={'q':(2)2}}", ""},
      {"{mesh['q'=2], device_ids=(1,0), [{'q'}]}", ""},
      {"{mesh['q'=2,'r'=3], device_ids=([3,2]T(1,0)), [{'q'}]}", ""},
      {"{mesh['q'=6], device_ids=([6]), [{'q'}]}", "{mesh['q'=6], [{'q'}]}"},
      {"{mesh[], []}", "{mesh[], replicated}"},
      {"{mesh['q'=2], [{}, {?}]}", ""},
      {"{mesh['q'=2], [], manual={'q'}}", "{mesh['q'=2], manual}"},
      {"{mesh['q'=2], [{}], manual={'q'}}", ""},
      {"{mesh['q'=2,'r'=3], [{'r'}], unreduced=max{'q'}}", ""},
      {"{mesh['q'=2], unreduced=min}", ""},
      {"{mesh['q'=2], unreduced{'q'}}", "{mesh['q'=2], unreduced}"},
      {"{single_device[device_id=5]}", ""},
      {"{maximal_mesh[device_id=5]}", "{single_device[device_id=5]}"},
  };
  for (const Case& c : cases) ExpectCanonical(c);
}

// More different leaves than are remembered, some of them the beginning of others but for a brace.
TEST(HloShardingTextTest, ElementsOfTuplesAreReadAsTheyAreAlone) {
  const std::string leaves[] = {"{replicated}",
                                "{manual}",
                                "{unknown}",
                                "{maximal device=1}",
                                "{devices=[2]<=[2]}",
                                "{devices=[2,1]<=[2]}",
                                "{devices=[2]<=[2] metadata={op_name=\"}\"}}",
                                "{/*a*/devices=[2]<=[2]}",
                                "{devices=[1,2]1,0}",
                                "{mesh['a'=2], [{'a'}]}",
                                "{mesh['a'=2], [{'a'}, {}]}",
                                "{devices=[2]1,0}"};
  std::vector<std::string> texts;
  for (int round = 0; round < 3; ++round) {
    for (const std::string& leaf : leaves) {
      texts.push_back(leaf);
      if (round > 0) texts.insert(texts.end(), {leaf, leaves[static_cast<size_t>(round)]});
    }
  }
  const auto tuple = ParseHloSharding(absl::StrCat("{", absl::StrJoin(texts, ", /*x*/"), "}"));
  ASSERT_TRUE(tuple.ok()) << tuple.status();
  ASSERT_EQ(tuple->elements().size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = ParseHloSharding(texts[i]);
    ASSERT_TRUE(alone.ok()) << texts[i] << ": " << alone.status();
    EXPECT_EQ(tuple->elements()[i], *alone) << texts[i];
    EXPECT_EQ(tuple->elements()[i].ToString(kWithMetadata), alone->ToString(kWithMetadata));
  }
}

TEST(HloShardingTextTest, PointsAtMistakes) {
  const struct {
    const char* in;
    size_t offset;
    const char* message;
  } cases[] = {
      {"", 0, "expected '{'"},
      {"replicated", 0, "expected '{'"},
      {"{", 1, "expected a word"},
      {"{replicated", 11, "expected a word"},
      {"{replicated}}", 12, "unexpected text"},
      {"{tiled}", 1, "expected a word or an attribute"},
      {"{replicated, manual}", 11, "expected a word"},
      {"{shape=[2]}", 1, "unknown attribute 'shape='"},
      {"{devices=2}", 9, "'[' before the dimensions"},
      {"{devices=[2]<=[2}", 16, "']' or ','"},
      {"{devices=[2]<=[]}", 15, "an axis size"},
      {"{devices=[4]<=[2,2]}", 19, "'T('"},
      {"{devices=[4]<=[2,2]T(0,5)}", 24, "axis 5 is not one of the 2"},
      {"{devices=[4]<=[2,2]T(0)}", 1, "must order all 2 axes"},
      {"{devices=[4]<=[2,2]T(0,0)}", 1, "does not order"},
      {"{devices=[3]<=[4]}", 1, "3 tiles, but 4 devices"},
      {"{devices=[2]0}", 1, "needs at least two"},
      {"{devices=[2]0,0}", 1, "device 0 holds two tiles"},
      {"{devices=[2]0,1,2}", 1, "2 tiles, but 3 devices"},
      {"{device=1}", 1, "expected a kind"},
      {"{maximal}", 1, "exactly one device"},
      {"{manual device=1}", 1, "that is manual has no devices"},
      {"{devices=[2,2]<=[4] last_tile_dims={half}}", 36, "subgroup type"},
      {"{devices=[4]<=[4] last_tile_dims={manual,manual}}", 1, "more subgroup types"},
      {"{devices=[2,2]<=[4] last_tile_dim_replicate last_tile_dims={manual}}", 1, "exclude"},
      {"{devices=[99999999999999999999]<=[2]}", 10, "64 bits"},
      {"{{replicated},}", 14, "expected '{'"},
      {"{replicated metadata={op_name=\"x}", 30, "a text in quotes"},
      {"{replicated metadata={name=\"x\"}}", 22, "a field of metadata"},
      {"{replicated metadata={op_name=\"x\" op_name=\"x\"}}", 34, "each once"},
      {"{replicated metadata={op_name=\"x\",}}", 34, "a field of metadata"},
      {"{replicated metadata={source_line=5000000000}}", 34, "32 bits"},
      {"{replicated metadata={{},}}", 25, "'{' before a metadata entry"},
      {"{mesh['q'=2]}", 12, "before the dimensions"},
      {"{mesh['q'=0], [{'q'}]}", 5, "at least 1"},
      {"{mesh['q'=2,'q'=2], []}", 5, "two axes"},
      {"{mesh['q'=2], [{'s'}]}", 16, "no axis 's'"},
      {"{mesh['q'=2], [{'q'}, {'q'}]}", 1, "overlap"},
      {"{mesh['q'=8], [{'q':(1)2,'q':(2)2}]}", 1, "should be one"},
      {"{mesh['q'=8], [{'q':(3)2}]}", 16, "does not divide"},
      {"{mesh['q'=8], [{'q':(1)8}]}", 16, "whole axis"},
      {"{mesh['q'=2,'r'=2], [], replicated={'r','q'}}", 1, "in the order of the mesh"},
      {"{mesh['q'=2], device_ids=(0,1), []}", 5, "leave them out"},
      {"{mesh['q'=2], device_ids=(), []}", 5, "empty"},
      {"{mesh['q'=2], [{'q'}], tail={'q'}}", 23, "expected replicated="},
      {"{mesh['q'=2], [{'q'}] shard_as 1}", 22, "',' before the next attribute"},
      {"{maximal_mesh[device_ids=3]}", 14, "'device_id='"},
      {"{single_device[3]}", 15, "'device_id='"},
  };
  for (const auto& c : cases) {
    const auto parsed = ParseHloSharding(c.in);
    ASSERT_FALSE(parsed.ok()) << c.in;
    EXPECT_EQ(text::ErrorOffset(parsed.status()), c.offset) << c.in << ": " << parsed.status();
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(c.message)) << c.in;
  }
}

TEST(HloShardingTextTest, LeavesAxesOfSizeOneOpenWhenAllAreUnreduced) {
  const char* text = "{mesh['q'=2,'one'=1], [], unreduced={'q'}}";
  EXPECT_EQ(ParseHloSharding(text)->ToString(), "{mesh['q'=2,'one'=1], unreduced}");
}

TEST(HloShardingTextTest, KeepsMetadata) {
  const auto one = ParseHloSharding("{replicated metadata={op_name=\"a}b\"}}");
  EXPECT_EQ(one->ToString(), "{replicated}");
  EXPECT_EQ(one->ToString(kWithMetadata), "{replicated metadata={op_name=\"a}b\"}}");
  const auto two = ParseHloSharding("{manual metadata={{op_name=\"a\"},{}}}");
  EXPECT_EQ(two->ToString(kWithMetadata), "{manual metadata={{op_name=\"a\"}, {}}}");
  const auto named = ParseHloSharding("{mesh['q'=2], [{'q'}], metadata={op_name=\"a\"}}");
  EXPECT_EQ(named->ToString(kWithMetadata), "{mesh['q'=2], [{'q'}], metadata={{op_name=\"a\"}}}");
}

TEST(HloShardingTextTest, DropsCommentsInMetadata) {
  const auto one = ParseHloSharding(
      "{replicated metadata={/*a*/op_name=/*b*/\"a/*c*/\\\"/*d*/\" // e\nsource_line=/*f*/3}}");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->ToString(kWithMetadata),
            "{replicated metadata={op_name=\"a/*c*/\\\"/*d*/\" source_line=3}}");
}

TEST(HloShardingTextTest, KeepsReductionsInMetadata) {
  const std::string text =
      "{devices=[2,2]<=[4] last_tile_dims={unreduced} "
      "metadata={op_type=\"sdy::reduction_op\" op_name=\"MAX\"}}";
  const auto parsed = ParseHloSharding(text);
  EXPECT_EQ(parsed->reduction(), Reduction::kMax);
  EXPECT_EQ(parsed->ToString(kWithMetadata), text);
  HloSharding made = *ParseHloSharding("{devices=[2,2]<=[4] last_tile_dims={unreduced}}");
  EXPECT_NE(made, *parsed);
  made.set_reduction(Reduction::kMax);
  EXPECT_EQ(made, *parsed);
  EXPECT_EQ(made.ToString(kWithMetadata), text);
}

TEST(HloShardingTextTest, ReductionsOfAllUnreducedTilesInTheNewerForm) {
  const std::string sum = "{op_type=\"sdy::reduction_op\" op_name=\"SUM\"}";
  const std::string max = "{op_type=\"sdy::reduction_op\" op_name=\"MAX\"}";
  HloShardingForm form = kWithMetadata;
  form.reductions = true;
  const std::pair<std::string, std::string> cases[] = {
      {"{unreduced}", "{unreduced metadata=" + sum + "}"},
      {"{devices=[2,2]<=[4] last_tile_dims={unreduced}}",
       "{devices=[2,2]<=[4] last_tile_dims={unreduced} metadata=" + sum + "}"},
      {"{unreduced metadata=" + max + "}", "{unreduced metadata={" + max + ", " + max + "}}"},
      {"{replicated metadata=" + max + "}", "{replicated metadata={" + max + ", " + max + "}}"},
      {"{replicated metadata=" + sum + "}", "{replicated metadata=" + sum + "}"},
      {"{devices=[4]<=[4]}", "{devices=[4]<=[4]}"},
      {"{mesh['q'=2], unreduced=max}", "{mesh['q'=2], unreduced=max}"},
  };
  for (const auto& [in, out] : cases) EXPECT_EQ(ParseHloSharding(in)->ToString(form), out);
  EXPECT_EQ(ParseHloSharding("{unreduced}")->ToString(), "{unreduced}");
}

TEST(HloShardingTextTest, OneDeviceInTheOlderForm) {
  HloShardingForm form;
  form.single_device = false;
  EXPECT_EQ(ParseHloSharding("{single_device[device_id=5]}")->ToString(form),
            "{maximal_mesh[device_id=5]}");
}

}  // namespace
}  // namespace tessera::sharding
