#include "tessera/hlo/values/value_form.h"

#include "gtest/gtest.h"

namespace tessera::hlo {
namespace {

TEST(ValueFormTest, ListsOfIntegersAsXlaWritesThem) {
  EXPECT_TRUE(IsCanonicalIntLists("{{0}}"));
  EXPECT_TRUE(IsCanonicalIntLists("{{0,10},{511,0}}"));
  EXPECT_TRUE(IsCanonicalIntLists("{{123456789012345678}}"));
}

TEST(ValueFormTest, ListsThatAreWrittenOtherwise) {
  for (const char* text : {"", "{", "{}", "{{}}", "{{0,1}", "{0,1}", "{{0,1}}}", "{{0,1}} ",
                           "{{0, 1}}", "{{0,1}, {2}}", "{{0,1}{2}}", "{{0,,1}}", "{{0,}}", "{{01}}",
                           "{{-1}}", "{{1234567890123456789}}"}) {
    EXPECT_FALSE(IsCanonicalIntLists(text)) << text;
  }
}

TEST(ValueFormTest, VectorsOfIntegersAsXlaWritesThem) {
  EXPECT_TRUE(IsCanonicalIntVector("{7}", /*is_signed=*/false));
  EXPECT_TRUE(IsCanonicalIntVector("{0, 10, 999999999}", /*is_signed=*/false));
  EXPECT_TRUE(IsCanonicalIntVector("{0, -10}", /*is_signed=*/true));
}

TEST(ValueFormTest, VectorsThatAreWrittenOtherwise) {
  for (const char* text :
       {"", "{", "{}", "7", "{0, 1", "{0,1}", "{0,  1}", "{0, 1, }", "{0, 01}", "{0, -0}", "{0, -}",
        "{0, --1}", "{0, 1.5}", "{0, 1}}", "{...}", "{1234567890}", "{ 0, 1 }", "{true, false}"}) {
    EXPECT_FALSE(IsCanonicalIntVector(text, /*is_signed=*/true)) << text;
  }
  EXPECT_FALSE(IsCanonicalIntVector("{0, -10}", /*is_signed=*/false));
}

}  // namespace
}  // namespace tessera::hlo
