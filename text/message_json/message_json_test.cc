#include "tessera/text/message_json/message_json.h"

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "tessera/text/message_json/test_message.pb.h"

namespace tessera::text {
namespace {

TEST(MessageJsonTest, MembersStandInTheOrderOfTheirDeclaration) {
  TestMessage m;
  m.set_wide(std::numeric_limits<int64_t>::max());
  m.set_name("a \"b\"");
  m.set_narrow(-3);
  m.set_factor(0.5);
  m.set_known(false);
  EXPECT_EQ(JsonOf(m),
            "{\"name\":\"a \\\"b\\\"\",\"wide\":9223372036854775807,\"narrow\":-3,\"factor\":0.5,"
            "\"known\":false,\"sizes\":[],\"words\":[]}");
}

TEST(MessageJsonTest, WhatIsNotSetIsAbsentAndListsAreThere) {
  EXPECT_EQ(JsonOf(TestMessage()), "{\"words\":[]}");
  TestMessage m;
  m.mutable_inner();
  m.add_words("x");
  m.add_words("y");
  EXPECT_EQ(JsonOf(m), "{\"inner\":{\"words\":[]},\"words\":[\"x\",\"y\"],\"of_words\":[]}");
}

TEST(MessageJsonTest, NumbersThatAreNotFiniteAreNull) {
  TestMessage m;
  m.set_factor(std::numeric_limits<double>::infinity());
  EXPECT_EQ(JsonOf(m), "{\"factor\":null,\"words\":[]}");
}

TEST(MessageJsonTest, IfAny) {
  TestMessage m;
  m.set_note("");
  m.set_given(false);
  m.set_padding(0);
  EXPECT_EQ(JsonOf(m), "{\"words\":[]}");
  m.set_note("n");
  m.set_given(true);
  m.set_padding(7);
  m.add_rows()->set_name("r");
  EXPECT_EQ(JsonOf(m),
            "{\"words\":[],\"rows\":[{\"name\":\"r\",\"words\":[]}],\"note\":\"n\",\"given\":true,"
            "\"padding\":7}");
}

TEST(MessageJsonTest, AListWithAnotherField) {
  TestMessage m;
  m.set_wide(1);
  EXPECT_EQ(JsonOf(m), "{\"wide\":1,\"sizes\":[],\"words\":[]}");
  m.clear_wide();
  m.add_sizes(4);
  EXPECT_EQ(JsonOf(m), "{\"sizes\":[4],\"words\":[]}");
}

TEST(MessageJsonTest, AListWithAnotherList) {
  TestMessage m;
  m.add_words("x");
  EXPECT_EQ(JsonOf(m), "{\"words\":[\"x\"],\"of_words\":[]}");
}

TEST(MessageJsonTest, NullInPlaceOfAbsent) {
  TestNulls m;
  EXPECT_EQ(JsonOf(m), "{\"limit\":null,\"index\":null}");
  m.set_limit(0);
  m.set_has_index(true);
  EXPECT_EQ(JsonOf(m), "{\"limit\":0,\"index\":[]}");
  m.add_index(3);
  EXPECT_EQ(JsonOf(m), "{\"limit\":0,\"index\":[3]}");
}

TEST(MessageJsonTest, RowsOneAfterTheOther) {
  TestMessage m, row;
  m.set_name("m");
  const auto fill = [&](size_t k) {
    if (k == 0) row.set_note("only of the first");
    row.set_wide(static_cast<int64_t>(k));
  };
  EXPECT_EQ(JsonOf(m, {"rows", &row, 2, fill}),
            "{\"name\":\"m\",\"words\":[],\"rows\":["
            "{\"wide\":0,\"sizes\":[],\"words\":[],\"note\":\"only of the first\"},"
            "{\"wide\":1,\"sizes\":[],\"words\":[]}]}");
}

TEST(MessageJsonTest, Lines) {
  TestMessage row;
  EXPECT_EQ(JsonLines(&row, 2, [&](size_t k) { row.add_words(k == 0 ? "a" : "b"); }),
            "{\"words\":[\"a\"],\"of_words\":[]}\n{\"words\":[\"b\"],\"of_words\":[]}\n");
}

}  // namespace
}  // namespace tessera::text
