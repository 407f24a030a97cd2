// Event logs of small modules.

#include "tessera/sharding/explain/event_log.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/testing/explain/checks.h"
#include "tessera/testing/explain/module_text.h"
#include "tessera/testing/explain/observed_module.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::explain {
namespace {

using propagation::ToShort;
using ::testing::ElementsAre;

const char* Name(EventCause cause) {
  static constexpr const char* kNames[] = {"annotation", "flow",        "overwritten", "pushed",
                                           "group_sync", "group_write", "hide",        "reveal",
                                           "open",       "boundary",    "closed",      "reshard"};
  return kNames[static_cast<int>(cause)];
}

std::string SlotName(const EventLog& log, SlotId slot) {
  if (log.IsOutput(slot)) return absl::StrCat("result ", log.OutputOf(slot));
  const passes::Value* value = log.numbered().values()[static_cast<size_t>(slot)];
  if (value->def() == nullptr) return absl::StrCat("arg ", value->index());
  return std::string(log.program().module().instruction(value->def()->source).name);
}

// "flow y [{?},{a,?}] dim 1 a from w.1"
std::string Line(const EventLog& log, const Event& event) {
  const Mesh& mesh = log.MeshOf(event.after);
  std::string line = absl::StrCat(Name(event.cause), " ", SlotName(log, event.target), " ",
                                  ToShort(log.program().shardings()[event.after], mesh));
  for (const Gain& gain : event.gains) {
    const auto add = [&](std::string* out, AxisRef a) {
      absl::StrAppend(out, ShortAxisText(a, mesh));
    };
    absl::StrAppend(&line, ", ", gain.dim, ":", absl::StrJoin(gain.axes, ",", add));
    for (const Endpoint& from : gain.from) {
      absl::StrAppend(&line, " < ", SlotName(log, from.slot), ".", from.dim);
    }
  }
  return line;
}

std::vector<std::string> Lines(const std::string& body) {
  const auto observed = ObserveText(ModuleText(body));
  EXPECT_TRUE(observed.ok()) << observed.status();
  if (!observed.ok()) return {};
  EXPECT_TRUE(CheckReplay(*observed->log).ok());
  std::vector<std::string> lines;
  for (const Event& event : observed->log->events()) lines.push_back(Line(*observed->log, event));
  return lines;
}

TEST(EventLogTest, ADotTakesAnAxisFromTheLargerOperand) {
  const std::string body = absl::StrCat(
      "  %x = f32[8,32] parameter(0), ", Said("{'a', ?}, {?}"),
      "\n  %w = f32[32,16] parameter(1), ", Said("{?}, {'a', ?}"),
      "\n  ROOT %y = f32[8,16] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  EXPECT_THAT(
      Lines(body),
      ElementsAre("annotation arg 0 [{a,?},{?}], 0:a", "annotation arg 1 [{?},{a,?}], 1:a",
                  "flow y [{?},{a,?}], 1:a < arg 1.1", "flow result 0 [{?},{a,?}], 1:a < y.1"));
}

TEST(EventLogTest, AClosedConstraintBindsItsOperand) {
  const std::string body = absl::StrCat(
      "  %x = f32[8,32] parameter(0)\n  %s = f32[8,32] sine(%x)\n"
      "  %c = f32[8,32] custom-call(%s), custom_call_target=\"Sharding\", ",
      SaidOfResult("{'a'}, {}"), "\n  ROOT %y = f32[8,32] cosine(%c)\n");
  EXPECT_THAT(Lines(body),
              ElementsAre("annotation c [{a},{}], 0:a", "pushed s [{a},{}], 0:a < c.0",
                          "flow arg 0 [{a,?},{?}], 0:a < s.0", "flow y [{a,?},{?}], 0:a < c.0",
                          "flow result 0 [{a,?},{?}], 0:a < y.0"));
}

TEST(EventLogTest, ALaterPriorityIsHiddenAndComesBack) {
  const std::string body = absl::StrCat("  %x = f32[8] parameter(0), ", Said("{'a'}p1"),
                                        "\n  ROOT %y = f32[8] sine(%x)\n");
  EXPECT_THAT(Lines(body), ElementsAre("annotation arg 0 [{a}p1], 0:a", "hide arg 0 [{}] repl{a}",
                                       "reveal arg 0 [{a}], 0:a", "flow y [{a,?}], 0:a < arg 0.0",
                                       "flow result 0 [{a,?}], 0:a < y.0"));
}

TEST(EventLogTest, PartsOfADimensionComeFromTheirFactors) {
  const std::string body =
      absl::StrCat("  %x = f32[2,2] parameter(0), ", Said("{'a', ?}, {'b', ?}"),
                   "\n  ROOT %y = f32[4] reshape(%x)\n");
  EXPECT_THAT(Lines(body), ElementsAre("annotation arg 0 [{a,?},{b,?}], 0:a, 1:b",
                                       "flow y [{a,b,?}], 0:a < arg 0.0, 0:b < arg 0.1",
                                       "flow result 0 [{a,b,?}], 0:a,b < y.0"));
}

}  // namespace
}  // namespace tessera::sharding::explain
