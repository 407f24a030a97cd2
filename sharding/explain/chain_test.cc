// The way back to the annotation, what Shardy would record of it, and what the passes after
// propagation take away.

#include "tessera/sharding/explain/chain.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/explain/export_events.h"
#include "tessera/sharding/explain/sdy_records.h"
#include "tessera/sharding/explain/value_names.h"
#include "tessera/testing/explain/module_text.h"
#include "tessera/testing/explain/observed_module.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::explain {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ObservedModule Observed(const std::string& entry) {
  auto observed = ObserveText(ModuleText(entry));
  EXPECT_TRUE(observed.ok()) << observed.status();
  return *std::move(observed);
}

SlotId SlotNamed(const EventLog& log, const std::string& name, int leaf = 0) {
  const ValueNames names(log);
  return log.SlotOf(names.ValueOf(log.program().module().FindInstruction(name), leaf));
}

std::string NameOf(const EventLog& log, SlotId slot) {
  if (log.IsOutput(slot)) return absl::StrCat("result ", log.OutputOf(slot));
  const ValueName name = ValueNames(log).Of(slot);
  return std::string(log.program().module().instruction(name.instruction).name);
}

// "c:(1)2: z.0 y.0 x.0 input: 0"
std::vector<std::string> Ways(const EventLog& log, SlotId slot, int dim, AxisRef axis) {
  std::vector<std::string> ways;
  const Mesh& mesh = log.MeshOf(log.PropagatedId(slot));
  for (const Chain& chain : Why(log, slot, dim, axis)) {
    std::string way = absl::StrCat(ShortAxisText(chain.axis, mesh), ":");
    for (const Link& link : chain.links) {
      absl::StrAppend(&way, " ", NameOf(log, link.slot), ".", link.dim);
    }
    absl::StrAppend(&way, " ", SdyOriginName(log.annotations()[chain.annotation]));
    for (const Chain& also : chain.also) {
      absl::StrAppend(&way, ", also ", SdyOriginName(log.annotations()[also.annotation]));
    }
    ways.push_back(way);
  }
  return ways;
}

constexpr int kA = 0;
constexpr int kC = 2;

TEST(ChainTest, BackThroughATransposeToTheParameter) {
  const ObservedModule m = Observed(absl::StrCat(
      "  %x = f32[8,4] parameter(0), ", Said("{'a'}, {}"),
      "\n  %y = f32[8,4] sine(%x)\n  ROOT %z = f32[4,8] transpose(%y), dimensions={1,0}\n"));
  EXPECT_THAT(Ways(*m.log, SlotNamed(*m.log, "z"), 1, AxisRef::Full(kA)),
              ElementsAre("a: z.1 y.0 x.0 input: 0"));
}

TEST(ChainTest, PartsOfAnAxisHaveAWayEach) {
  const ObservedModule m =
      Observed(absl::StrCat("  %x = f32[2,2] parameter(0), ", Said("{'c':(1)2, ?}, {'c':(2)2, ?}"),
                            "\n  ROOT %y = f32[4] reshape(%x)\n"));
  EXPECT_THAT(Ways(*m.log, SlotNamed(*m.log, "y"), 0, AxisRef::Full(kC)),
              ElementsAre("c:(1)2: y.0 x.0 input: 0", "c:(2)2: y.0 x.1 input: 0"));
}

TEST(ChainTest, BothOperandsAskForIt) {
  const ObservedModule m = Observed(absl::StrCat("  %x = f32[8] parameter(0), ", Said("{'a'}"),
                                                 "\n  %w = f32[8] parameter(1), ", Said("{'a'}"),
                                                 "\n  ROOT %y = f32[8] add(%x, %w)\n"));
  EXPECT_THAT(Ways(*m.log, SlotNamed(*m.log, "y"), 0, AxisRef::Full(kA)),
              ElementsAre("a: y.0 x.0 input: 0, also input: 1"));
}

TEST(ChainTest, ARevealGoesBackToWhatWasHidden) {
  const ObservedModule m = Observed(absl::StrCat("  %x = f32[8] parameter(0), ", Said("{'a'}p1"),
                                                 "\n  ROOT %y = f32[8] sine(%x)\n"));
  EXPECT_THAT(Ways(*m.log, SlotNamed(*m.log, "y"), 0, AxisRef::Full(kA)),
              ElementsAre("a: y.0 x.0 x.0 input: 0"));
}

TEST(ChainTest, NoWayWhereThereIsNoAxis) {
  const ObservedModule m = Observed(absl::StrCat("  %x = f32[8] parameter(0), ", Said("{'a'}"),
                                                 "\n  ROOT %y = f32[8] sine(%x)\n"));
  EXPECT_THAT(Why(*m.log, SlotNamed(*m.log, "y"), 0, AxisRef::Full(kC)), IsEmpty());
}

TEST(SdyRecordsTest, AConstraintIsBlamedForItsOperand) {
  const ObservedModule m =
      Observed(absl::StrCat("  %x = f32[8,4] parameter(0)\n  %s = f32[8,4] sine(%x)\n"
                            "  %c = f32[8,4] custom-call(%s), custom_call_target=\"Sharding\", ",
                            SaidOfResult("{'a'}, {}"), "\n  ROOT %y = f32[8,4] cosine(%c)\n"));
  const SdyRecords records(*m.log);
  const AxisRef a = AxisRef::Full(kA);
  EXPECT_EQ(records.OriginText(SlotNamed(*m.log, "c"), a), "self");
  EXPECT_EQ(records.OriginText(SlotNamed(*m.log, "x"), a), "constraint_0");
  EXPECT_EQ(records.OriginText(SlotNamed(*m.log, "y"), AxisRef::Full(kC)), "");
  ASSERT_EQ(records.edges().size(), 4);
  EXPECT_EQ(records.edges()[0].step, 0);  // the constraint binds its operand
  EXPECT_EQ(records.edges()[0].source, 1);
  EXPECT_EQ(records.edges()[0].target, 0);
  EXPECT_EQ(records.edges()[3].step, 3);
}

TEST(SdyRecordsTest, APartThatMergesIsNamedWithWhatItJoins) {
  const ObservedModule m =
      Observed(absl::StrCat("  %x = f32[2,2] parameter(0), ", Said("{'c':(1)2, ?}, {'c':(2)2, ?}"),
                            "\n  ROOT %y = f32[4] reshape(%x)\n"));
  const SdyRecords records(*m.log);
  EXPECT_EQ(records.edges()[0].axis, AxisRef::Full(kC));
  EXPECT_EQ(records.OriginText(SlotNamed(*m.log, "y"), AxisRef::Full(kC)), "input: 0");
}

TEST(ExportEventsTest, TheBorderTakesWhatDoesNotDivide) {
  ObservedModule m = Observed(absl::StrCat("  %x = f32[6] parameter(0), ", Said("{'c'}"),
                                           "\n  ROOT %y = f32[6] sine(%x)\n"));
  const ExportEvents exported(*m.log);
  const SlotId x = SlotNamed(*m.log, "x");
  ASSERT_TRUE(pipeline::Finalize({}, m.sharded.get()).ok());
  exported.AddTo(m.sharded->program.get(), m.log.get());
  const Event& last = m.log->event(m.log->EventsOf(x).back());
  EXPECT_EQ(last.cause, EventCause::kBoundaryCut);
  EXPECT_EQ(last.before, m.log->PropagatedId(x));
  EXPECT_EQ(
      propagation::ToShort(m.sharded->program->shardings()[last.after], m.log->MeshOf(last.after)),
      "[{c:(1)2}]");
}

}  // namespace
}  // namespace tessera::sharding::explain
