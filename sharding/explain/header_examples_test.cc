// The examples at the head of the public headers, as they stand there: each compiles, and gives what
// its comment says.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/explain/annotations.h"
#include "tessera/sharding/explain/chain.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/export_events.h"
#include "tessera/sharding/explain/recorder.h"
#include "tessera/sharding/explain/sdy_records.h"
#include "tessera/sharding/explain/value_names.h"
#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/explain/whynot/frontier.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/requests.h"
#include "tessera/sharding/explain/whynot/shard_maps.h"
#include "tessera/sharding/explain/whynot/why_not.h"
#include "tessera/testing/explain/checks.h"
#include "tessera/testing/explain/module_text.h"

namespace tessera::sharding::explain {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// y = x @ w, w P(None, 'a')
class OfAProduct : public ::testing::Test {
 protected:
  void SetUp() override {
    hlo::Module module = *hlo::ParseModule(ModuleText(absl::StrCat(
        "  %x = f32[8,32] parameter(0)\n  %w = f32[32,15] parameter(1), ", Said("{?}, {'a', ?}"),
        "\n  ROOT %y = f32[8,15] dot(%x, %w), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n")));
    Recorder recorder;
    auto propagated = pipeline::Propagate(module, options, &recorder);
    ASSERT_TRUE(propagated.ok()) << propagated.status();
    sharded = *std::move(propagated);
    log = std::make_unique<EventLog>(*sharded->program, *sharded->run, sharded->book->table,
                                     std::move(recorder));
    names = std::make_unique<ValueNames>(*log);
  }
  hlo::InstructionId Instruction(const char* name) const {
    return log->program().module().FindInstruction(name);
  }
  SlotId Slot(const char* name) const { return log->SlotOf(names->ValueOf(Instruction(name), 0)); }

  pipeline::ShardOptions options;
  std::unique_ptr<pipeline::PropagatedModule> sharded;
  std::unique_ptr<EventLog> log;
  std::unique_ptr<ValueNames> names;
};

TEST_F(OfAProduct, EventLogAndChain) {
  const SlotId y = Slot("y");
  std::vector<EventCause> causes;
  for (int32_t e : log->EventsOf(y)) causes.push_back(log->event(e).cause);
  EXPECT_THAT(causes, ::testing::ElementsAre(EventCause::kFlow));
  EXPECT_TRUE(log->LastGain(y, /*dim=*/1, AxisRef::Full(0)).has_value());

  std::vector<Chain> chains = Why(*log, y, /*dim=*/1, AxisRef::Full(0));
  ASSERT_THAT(chains, SizeIs(1));
  EXPECT_EQ(log->event(chains[0].links.front().event).target, y);
  EXPECT_EQ(log->event(chains[0].links.back().event).target, Slot("w"));
  EXPECT_EQ(log->annotations()[static_cast<size_t>(chains[0].annotation)].number, 1);

  absl::Status status = CheckReplay(*log);
  EXPECT_TRUE(status.ok()) << status;
  status = CheckChains(*log);
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(OfAProduct, NamesAndRecords) {
  const propagation::ValueId value = names->ValueOf(Instruction("y"), 0);
  EXPECT_EQ(names->Of(value).instruction, Instruction("y"));
  EXPECT_EQ(names->Of(value).leaf, 0);

  SdyRecords records(*log);
  EXPECT_THAT(records.edges(), ::testing::Not(IsEmpty()));
  EXPECT_EQ(records.OriginText(Slot("y"), AxisRef::Full(0)), "input: 1");
}

TEST_F(OfAProduct, ExportEvents) {
  const size_t before = log->events().size();
  ExportEvents exported(*log);
  ASSERT_TRUE(pipeline::Finalize(options, sharded.get()).ok());
  exported.AddTo(sharded->program.get(), log.get());
  // 15 columns do not divide by 2: 'a' goes at both borders.
  ASSERT_GT(log->events().size(), before);
  EXPECT_EQ(log->events()[before].cause, EventCause::kBoundaryCut);
}

TEST_F(OfAProduct, WhyNot) {
  WhyNot why_not(*log);
  std::vector<std::string> kinds;
  for (const Verdict& v : why_not.Ask(Slot("y"), /*dim=*/0, {{"a"}, {"b"}})) {
    kinds.push_back(KindWord(v.headline.kind));
  }
  EXPECT_THAT(kinds, ::testing::ElementsAre("unreachable", "never_requested"));

  const int dim = 0;
  const SlotId slot = Slot("y");
  OpLinks links(*log);
  for (const OpLink& link : links.Of(slot)) {
    ASSERT_NE(links.RuleOf(link.actor), nullptr);
    EXPECT_EQ(links.Tensor(link.actor, link.tensor, dim).slot, slot);
  }
  AskedAxes asked(*log, {{"a"}, {"c", 2, 2}});
  EXPECT_EQ(asked.In(0, 1), AxisRef::Sub(2, 2, 2));
  Frontier frontier(*log, links);
  for (const Reached& r : frontier.Search(slot, dim, asked)) EXPECT_THAT(r.missed, IsEmpty());

  Requests requests(*log);
  EXPECT_EQ(requests.Nearest(slot, "a")->dim, 1);
  EXPECT_FALSE(requests.Nearest(slot, "b").has_value());
  EXPECT_EQ(requests.Ignored("b"), hlo::kNoId);
  ShardMaps maps(*log);
  EXPECT_EQ(maps.Around(slot, "a"), nullptr);
}

}  // namespace
}  // namespace tessera::sharding::explain
