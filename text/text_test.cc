#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/edit_distance.h"
#include "tessera/text/fingerprint.h"
#include "tessera/text/interner.h"
#include "tessera/text/near_names.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::text {
namespace {

TEST(Source, FindsLinesAndColumns) {
  const auto source = Source::FromString("a.hlo", "one\ntwo\r\n\nfour");
  struct Case {
    size_t offset;
    int line, column;
    absl::string_view text;
  };
  for (const Case& c : {Case{0, 1, 1, "one"}, Case{3, 1, 4, "one"}, Case{4, 2, 1, "two"},
                        Case{9, 3, 1, ""}, Case{12, 4, 3, "four"}, Case{99, 4, 5, "four"}}) {
    const Position at = source->PositionOf(c.offset);
    EXPECT_EQ(at.line, c.line) << c.offset;
    EXPECT_EQ(at.column, c.column) << c.offset;
    EXPECT_EQ(source->LineAt(c.offset), c.text) << c.offset;
  }
}

// The first question makes the table of lines. Mostly seen with -fsanitize=thread.
TEST(Source, PositionsAreFoundByManyThreads) {
  constexpr int kSources = 200, kThreads = 8, kLines = 10'000;
  std::string text;
  for (int i = 0; i < kLines; ++i) text += "line\n";
  for (int s = 0; s < kSources; ++s) {
    const auto source = Source::FromString("a.hlo", text);
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const size_t offset = static_cast<size_t>(5 * (kLines - 1 - t) + 2);
        const Position at = source->PositionOf(offset);
        right += at.line == kLines - t && at.column == 3 && source->LineAt(offset) == "line";
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(right, kThreads);
  }
}

TEST(Source, TextIsFollowedByZeros) {
  const auto source = Source::FromString("a", "xy");
  EXPECT_EQ(source->text().data()[2], '\0');
  EXPECT_EQ(source->text().data()[1 + Source::kPadding], '\0');
}

TEST(Source, TakesABufferWithoutACopy) {
  std::string text;
  text.reserve(1000 + Source::kPadding);
  text.append(1000, 'x');
  const char* const begin = text.data();
  const auto source = Source::FromBuffer("a", std::move(text));
  EXPECT_EQ(source->text(), std::string(1000, 'x'));
  EXPECT_EQ(source->text().data(), begin);
  EXPECT_EQ(source->text().data()[1000], '\0');
}

TEST(Source, MissingFileSaysWhy) {
  const auto source = Source::FromFile("no/such/file.hlo");
  EXPECT_EQ(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(source.status().message()), testing::HasSubstr("No such file"));
}

TEST(Source, WhatCannotBeReadIsThereAllTheSame) {
  const auto source = Source::FromFile("/");
  EXPECT_NE(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(source.status().message()), testing::HasSubstr("Is a directory"));
}

TEST(Source, WhatHasNoEndIsRefused) {
  const auto source = Source::FromFile("/dev/zero");
  EXPECT_EQ(source.status().message(),
            "/dev/zero: begins with a zero byte: neither text nor binary HLO");
}

TEST(Diagnostics, RenderWithLineAndCaret) {
  const auto source = Source::FromString("a.hlo", "x\n\ty = dott(x)\n");
  Diagnostics found;
  found.Error(7, "unknown opcode 'dott'");
  found.Add({Severity::kNote, 0, "x is here"});
  EXPECT_EQ(found.Render(*source),
            "a.hlo:2:6: error: unknown opcode 'dott'\n   y = dott(x)\n       ^\n"
            "a.hlo:1:1: note: x is here\n  x\n  ^\n");
  EXPECT_EQ(found.errors(), 1u);
}

TEST(Diagnostics, LongLinesAreCut) {
  const auto source = Source::FromString("a", std::string(1000, 'x'));
  const std::string text = Render(*source, {Severity::kError, 500, "here"});
  EXPECT_LT(text.size(), 300u);
  EXPECT_THAT(text, testing::HasSubstr("a:1:501: error: here\n  ..."));
}

TEST(Diagnostics, AreBounded) {
  Diagnostics found;
  for (int i = 0; i < 250; ++i) found.Error(0, "bad");
  EXPECT_EQ(found.all().size(), Diagnostics::kMost);
  EXPECT_THAT(found.Render(*Source::FromString("a", "")),
              testing::EndsWith("and 150 more errors\n"));
}

TEST(Status, OffsetsSurviveRebase) {
  const absl::Status inner = ErrorAt(3, "expected ']'");
  EXPECT_EQ(ErrorOffset(Rebase(inner, 10)), 13u);
  EXPECT_EQ(ErrorOffset(absl::InternalError("x")), 0u);
  EXPECT_TRUE(Rebase(absl::OkStatus(), 4).ok());
}

TEST(Cursor, ConsumesOrStays) {
  Cursor in("  [4, -2] name-1.x \"a\\\"b\"");
  int64_t a = 0, b = 0;
  absl::string_view name, quoted;
  EXPECT_FALSE(in.ConsumeInt(a));
  EXPECT_TRUE(in.Consume('['));
  EXPECT_TRUE(in.ConsumeInt(a) && in.Consume(',') && in.ConsumeInt(b) && in.Consume("]"));
  EXPECT_EQ(a, 4);
  EXPECT_EQ(b, -2);
  EXPECT_TRUE(in.ConsumeIdentifier(name));
  EXPECT_EQ(name, "name-1.x");
  EXPECT_TRUE(in.ConsumeQuoted(quoted));
  EXPECT_EQ(quoted, "a\\\"b");
  EXPECT_TRUE(in.AtEnd());
}

TEST(Cursor, IntegersStopAtTheEdgeOfInt64) {
  int64_t value = 0;
  EXPECT_TRUE(Cursor("-9223372036854775808").ConsumeInt(value));
  EXPECT_EQ(value, INT64_MIN);
  EXPECT_FALSE(Cursor("9223372036854775808").ConsumeInt(value));
}

TEST(NearNames, AreThoseWithFewChangesTheNearestFirst) {
  EXPECT_EQ(NearNames("dott.7", {"dot.17", "add.2", "dot.7", "dot.7"}),
            (std::vector<std::string>{"dot.7", "dot.17"}));
  EXPECT_EQ(NearNames("priority", {"import", "user-priority-propagate"}),
            std::vector<std::string>{"user-priority-propagate"});  // a part
  EXPECT_EQ(NearNames("xyz", {"dot"}), std::vector<std::string>{});
  EXPECT_EQ(NearNames(std::string(300, 'x'), {std::string(300, 'x')}), std::vector<std::string>{});
  EXPECT_EQ(DidYouMean("negat", {"negate", "not"}), ", did you mean 'negate'?");
  EXPECT_EQ(DidYouMean("memroy", {"member", "cost"}), "");  // more than a third
}

TEST(EditDistance, CountsChangedLetters) {
  EXPECT_EQ(EditDistance("negat", "negate"), 1u);
  EXPECT_EQ(EditDistance("dot.3", "bot.13"), 2u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("same", "same"), 0u);
}

TEST(Interner, EqualValuesShareANumber) {
  Interner<std::string> names;
  EXPECT_EQ(names.Intern("a"), 0u);
  for (int i = 0; i < 1000; ++i) names.Intern("n" + std::to_string(i));
  EXPECT_EQ(names.Intern("a"), 0u);
  EXPECT_EQ(names.Intern("n41"), 42u);
  Interner<std::string> moved = std::move(names);
  EXPECT_EQ(moved.Intern("n41"), 42u);
  EXPECT_EQ(moved[42], "n41");
}

TEST(Interner, ReferencesStayGoodWhileItGrowsAndMoves) {
  Interner<std::string> names;
  const std::string& first = names[names.Intern("a name that needs memory of its own")];
  const std::string* const place = &first;
  for (int i = 0; i < 1000; ++i) names.Intern("n" + std::to_string(i));
  EXPECT_EQ(names.Intern(first), 0u);
  const Interner<std::string> moved = std::move(names);
  EXPECT_EQ(&moved[0], place);
  EXPECT_EQ(*place, "a name that needs memory of its own");
}

// FNV-1a of "a;1;b;1;", from another program.
TEST(Fingerprint, IsOfTextsAndTheirLengths) {
  EXPECT_EQ(FingerprintText(Fingerprint({"a", "b"})), "819f472600659b4f062686bb9b096976");
  EXPECT_NE(Fingerprint({"a", "b"}), Fingerprint({"ab"}));
  EXPECT_EQ(FingerprintText(Fingerprint({})), "6c62272e07bb014262b821756295c58d");
}

}  // namespace
}  // namespace tessera::text
