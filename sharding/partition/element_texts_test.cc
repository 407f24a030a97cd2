#include "tessera/sharding/partition/element_texts.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::sharding::partition {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(ElementTextsTest, Elements) {
  EXPECT_THAT(ElementTexts("{{replicated}}"), Optional(ElementsAre("{replicated}")));
  EXPECT_THAT(ElementTexts("{{devices=[2,1]<=[2]}, {devices=[2,1]<=[2]}, {manual}}"),
              Optional(ElementsAre("{devices=[2,1]<=[2]}", "{devices=[2,1]<=[2]}", "{manual}")));
  EXPECT_THAT(ElementTexts("{{manual},{manual}, /*index=2*/{maximal device=1}}"),
              Optional(ElementsAre("{manual}", "{manual}", "{maximal device=1}")));
}

TEST(ElementTextsTest, BracesInside) {
  EXPECT_THAT(
      ElementTexts("{{devices=[2,2]<=[4] last_tile_dims={manual}}, {replicated}}"),
      Optional(ElementsAre("{devices=[2,2]<=[4] last_tile_dims={manual}}", "{replicated}")));
  EXPECT_THAT(ElementTexts(R"({{mesh["a"=2], [{"a}"}]}, {manual}})"),
              Optional(ElementsAre(R"({mesh["a"=2], [{"a}"}]})", "{manual}")));
  EXPECT_THAT(ElementTexts(R"({{metadata="}"}, {manual}})"),
              Optional(ElementsAre(R"({metadata="}"})", "{manual}")));
}

// Of an array, or of no form at all: every prefix of a text, too.
TEST(ElementTextsTest, OtherForms) {
  const absl::string_view text = "{{devices=[2,1]<=[2]}, /*index=1*/{replicated}}";
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(ElementTexts(text.substr(0, size)), std::nullopt) << size;
  }
  for (const char* other : {"{replicated}", "{}", "{{}", "{{replicated}} ", "{{replicated}x}"}) {
    EXPECT_EQ(ElementTexts(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace tessera::sharding::partition
