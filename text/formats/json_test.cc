#include "tessera/text/formats/json.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace tessera::text {
namespace {

TEST(JsonWriterTest, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a").BeginArray().Int(1).Int(-2).EndArray().Key("b").BeginArray();
  json.BeginObject().Key("c").Null().EndObject().BeginObject().EndObject();
  json.EndArray().Key("d").Bool(true).Key("e").Double(0.5).Key("f").BeginArray().EndArray();
  json.EndObject();
  EXPECT_EQ(json.text(), R"({"a":[1,-2],"b":[{"c":null},{}],"d":true,"e":0.5,"f":[]})");
}

TEST(JsonWriterTest, Texts) {
  JsonWriter json;
  json.BeginArray().String("y").String("").EndArray();
  EXPECT_EQ(json.text(), R"(["y",""])");
}

TEST(JsonWriterTest, OnlyFiniteNumbers) {
  JsonWriter json;
  json.BeginArray().Double(std::numeric_limits<double>::infinity());
  json.Int(std::numeric_limits<int64_t>::min()).EndArray();
  EXPECT_EQ(json.text(), "[null,-9223372036854775808]");
}

TEST(JsonQuoteTest, Escapes) {
  EXPECT_EQ(JsonQuote("a\"b\\c\n\t\x01\xC3\xA9"), "\"a\\\"b\\\\c\\n\\t\\u0001\xC3\xA9\"");
}

// The pieces are those of the table "U+FFFD for maximal subparts" of the standard.
TEST(JsonQuoteTest, WhatIsNoUtf8IsReplaced) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(JsonQuote("a\377b"), "\"a" + r + "b\"");
  EXPECT_EQ(JsonQuote("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  EXPECT_EQ(JsonQuote("\xC0\xAF\xE0\x80\xBF"), "\"" + r + r + r + r + r + "\"");  // too long
  EXPECT_EQ(JsonQuote("\xED\xA0\x80"), "\"" + r + r + r + "\"");                  // a surrogate
  EXPECT_EQ(JsonQuote("\xF4\x90\x80\x80"), "\"" + r + r + r + r + "\"");          // above U+10FFFF
  EXPECT_EQ(JsonQuote("\xE1\x80\xE2\xF0\x91\x92"), "\"" + r + r + r + "\"");      // cut short
}

}  // namespace
}  // namespace tessera::text
