#include "tessera/text/formats/json.h"

#include <limits>

#include "gtest/gtest.h"

namespace tessera::text {
namespace {

TEST(JsonWriterTest, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a").Ints({1, -2}).Key("b").BeginArray();
  json.BeginObject().Key("c").Null().EndObject().BeginObject().EndObject();
  json.EndArray().Key("d").Bool(true).Key("e").Double(0.5).Key("f").Ints({});
  json.EndObject();
  EXPECT_EQ(json.text(), R"({"a":[1,-2],"b":[{"c":null},{}],"d":true,"e":0.5,"f":[]})");
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

}  // namespace
}  // namespace tessera::text
