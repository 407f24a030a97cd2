// Values of attributes: read, and written again in XLA's form.

#include "tessera/hlo/values/values.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"

namespace tessera::hlo {
namespace {

using ::testing::ElementsAre;

template <typename T, bool (*Read)(Reader&, T*), std::string (*Print)(const T&)>
std::string Again(const std::string& text) {
  const std::string padded = text + std::string(64, '\0');
  Reader in(padded, 0, text.size());
  T value;
  if (!Read(in, &value) || !in.AtEnd()) return "error";
  return Print(value);
}

struct Case {
  const char* name;
  std::string (*again)(const std::string&);
  const char *text, *printed;
};

constexpr auto kWindow = Again<Window, ReadWindow, PrintWindow>;
constexpr auto kLabels =
    Again<ConvolutionDimensions, ReadConvolutionDimensions, PrintConvolutionDimensions>;
constexpr auto kPadding = Again<std::vector<PaddingDimension>, ReadPadding, PrintPadding>;
constexpr auto kSlice = Again<std::vector<SliceDimension>, ReadSlice, PrintSlice>;
constexpr auto kGroups = Again<ReplicaGroups, ReadReplicaGroups, PrintReplicaGroups>;
constexpr auto kAliasing = Again<std::vector<OperandAlias>, ReadAliasing, PrintAliasing>;
constexpr auto kStatistics = Again<Statistics, ReadStatistics, PrintStatistics>;
std::string BothSides(const Domain& domain) {
  return std::string(domain.entry) + std::string(domain.exit);
}
constexpr auto kDomain = Again<Domain, ReadDomain, BothSides>;
constexpr auto kOrigin = Again<OriginTree, ReadOrigin, PrintOrigin>;
constexpr auto kAccuracy = Again<ResultAccuracy, ReadResultAccuracy, PrintResultAccuracy>;
constexpr auto kSparsity = Again<SparsityConfig, ReadSparsity, PrintSparsity>;

class ValueTest : public ::testing::TestWithParam<Case> {};

TEST_P(ValueTest, Again) { EXPECT_EQ(GetParam().again(GetParam().text), GetParam().printed); }

const Case kCases[] = {
    {"Window", kWindow, "{pad=0_0x1_1 size=3x5 stride=1x1}", "{size=3x5 pad=0_0x1_1}"},
    {"WindowDilation", kWindow, "{size=3 lhs_dilate=2 rhs_dilate=4 rhs_reversal=1}",
     "{size=3 lhs_dilate=2 rhs_dilate=4 rhs_reversal=1}"},
    {"WindowUnequal", kWindow, "{size=3 stride=1x1}", "error"},
    {"WindowThreePads", kWindow, "{size=3 pad=1_1_1}", "error"},
    {"Labels", kLabels, "b01f_01io->b01f", "b01f_01io->b01f"},
    {"LabelsTrailingUnknown", kLabels, "bf0?_0io->bf0", "bf0_0io->bf0"},
    {"LabelsDigitTooLarge", kLabels, "bf1_0io->bf0", "error"},
    {"Padding", kPadding, "1_2x-1_0_0", "1_2x-1_0"},
    {"PaddingInterior", kPadding, "1_2x0_0_3", "1_2_0x0_0_3"},
    {"Slice", kSlice, "{[0:4:1],[1:3]}", "{[0:4], [1:3]}"},
    {"SliceStride", kSlice, "{[0:4:2], [1:3]}", "{[0:4:2], [1:3:1]}"},
    {"SliceOneNumber", kSlice, "{[4]}", "error"},
    {"GroupsList", kGroups, "{{0,1}, {2,3}}", "{{0,1},{2,3}}"},
    {"GroupsIotaMerges", kGroups, "[2,4]<=[2,4]T(0,1)", "[2,4]<=[8]"},
    {"GroupsIotaDropsOnes", kGroups, "[4,2]<=[1,2,4]T(2,0,1)", "[4,2]<=[2,4]T(1,0)"},
    {"GroupsIotaWrongCount", kGroups, "[2,3]<=[8]", "error"},
    {"GroupsIotaOverflow", kGroups, "[1,2]<=[4611686018427387904,4]T(0,1)", "error"},
    {"GroupsIotaOfNothing", kGroups, "[0,2]<=[0,2]T(1,0)", "error"},
    {"GroupsMesh", kGroups, "mesh[\"a\"=2,'b'=4] {'a','b':(1)2}",
     "mesh['a'=2,'b'=4] {'a','b':(1)2}"},
    {"GroupsMeshOfOneDeviceEach", kGroups, "mesh['one'=1,'x'=4] {'one'}",
     "mesh['one'=1,'x'=4] {'one'}"},
    {"GroupsMeshUnknownAxis", kGroups, "mesh['a'=2] {'z'}", "error"},
    {"GroupsMeshIdentity", kGroups, "mesh['a'=2,'b'=3], device_ids=([6]) {'b'}",
     "mesh['a'=2,'b'=3] {'b'}"},
    {"GroupsMeshIdentityTransposed", kGroups, "mesh['a'=2,'b'=3], device_ids=([6,1]T(1,0)) {'b'}",
     "mesh['a'=2,'b'=3] {'b'}"},
    {"GroupsMeshIdentityOfOtherSize", kGroups, "mesh['a'=6], device_ids=([3]) {'a'}",
     "mesh['a'=6] {'a'}"},
    {"GroupsMeshTransposed", kGroups, "mesh['a'=2,'b'=3], device_ids=([3,2]T(1,0)) {'b'}",
     "mesh['a'=2,'b'=3], device_ids=([3,2]T(1,0)) {'b'}"},
    {"GroupsMeshList", kGroups, "mesh['a'=3], device_ids=(0,2,1) {'a'}",
     "mesh['a'=3], device_ids=(0,2,1) {'a'}"},
    {"GroupsMeshListInOrder", kGroups, "mesh['a'=3], device_ids=(0,1,2) {'a'}", "error"},
    {"GroupsMeshIdTwice", kGroups, "mesh['a'=3], device_ids=(0,2,2) {'a'}", "error"},
    {"GroupsMeshIdTooLarge", kGroups, "mesh['a'=3], device_ids=(0,3,1) {'a'}", "error"},
    {"GroupsMeshNegativeId", kGroups, "mesh['a'=3], device_ids=(0,2,-1) {'a'}", "error"},
    {"Aliasing", kAliasing, "{{0}:(1,{}), {1}: (0, {2})}", "{{0}: (1, {}), {1}: (0, {2})}"},
    {"Statistics", kStatistics, "{foo=1,a=123456789}", "{visualizing_index=1,a=1.23457e+08}"},
    {"OriginEmpty", kOrigin, "{}", "{()}"},
    {"OriginTuple", kOrigin, "{({\"a\"},{\"b\" {0}})}", "{({\"a\"}, {\"b\" {0}})}"},
    {"OriginFirstMissing", kOrigin, "{(,{\"b\"})}", "{((), {\"b\"})}"},
    {"OriginLastMissing", kOrigin, "{({\"b\"}, )}", "{({\"b\"})}"},
    {"OriginMiddleMissing", kOrigin, "{({\"b\"},,{},,)}", "{({\"b\"}, (), {})}"},
    {"OriginAllMissing", kOrigin, "{(,((),))}", "{()}"},
    {"Domain", kDomain, "{exit={maximal device=1}, kind='sharding' entry={replicated}}",
     "{replicated}{maximal device=1}"},
    {"OriginSynthetic", kOrigin, "{[synthetic_call]}", "{[synthetic_call]}"},
    {"AccuracyDefault", kAccuracy, "{mode=DEFAULT}", ""},
    {"AccuracyTolerance", kAccuracy, "{tolerance={ulps=2, atol=0.5}}",
     "{tolerance={atol=0.5,rtol=0,ulps=2}}"},
    {"Sparsity", kSparsity, "{lhs={dimension=2 sparsity=1x4 stride=1}}",
     "{lhs={sparsity=1x4 dimension=2 stride=1}}"},
};
INSTANTIATE_TEST_SUITE_P(All, ValueTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(ReplicaGroupsTest, Expand) {
  EXPECT_THAT(*ParseReplicaGroups("[2,2]<=[2,2]T(1,0)")->Expand(),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  // Inside a group the listed axes count in the order written.
  EXPECT_THAT(*ParseReplicaGroups("mesh['a'=2,'b'=4] {'b':(2)2,'a'}")->Expand(),
              ElementsAre(ElementsAre(0, 4, 1, 5), ElementsAre(2, 6, 3, 7)));
  EXPECT_THAT(*ParseReplicaGroups("mesh['a'=2], device_ids=(1,0) {'a'}")->Expand(),
              ElementsAre(ElementsAre(1, 0)));
}

// Groups of a large mesh are not listed to know their size.
TEST(ReplicaGroupsTest, UniformSize) {
  const struct {
    const char* text;
    int64_t size;
  } cases[] = {{"mesh['x'=16777216] {'x'}", 16777216},
               {"mesh['a'=2,'b'=4] {'b':(2)2,'a'}", 4},
               {"mesh['x'=4096,'y'=4096], device_ids=([4096,4096]T(1,0)) {'y'}", 4096},
               {"[4,4194304]<=[4194304,4]T(1,0)", 4194304},
               {"{{0,1},{2,3}}", 2},
               {"{{0,1},{2}}", 0},
               {"{{}}", -1}};
  for (const auto& c : cases) {
    const auto groups = ParseReplicaGroups(c.text);
    ASSERT_TRUE(groups.has_value()) << c.text;
    EXPECT_EQ(groups->UniformSize(), c.size) << c.text;
    EXPECT_TRUE(groups->device_ids.empty()) << c.text;
  }
  EXPECT_THAT(*ParseReplicaGroups("mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}")->Expand(),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
}

TEST(StringsTest, Escapes) {
  EXPECT_EQ(UnquoteString("'a\\x41\\101\\u00e9\\''"), std::string("aAA\xc3\xa9'"));
  EXPECT_EQ(UnquoteString("\"\\q\""), std::nullopt);
  EXPECT_EQ(CEscape("caf\xc3\xa9\n\"'"), "caf\\303\\251\\n\\\"\\'");
}

TEST(StringsTest, Json) {
  EXPECT_TRUE(LexesAsJson(" {\"a\":\"}\"} // c"));
  EXPECT_FALSE(LexesAsJson("{} x"));
  EXPECT_FALSE(LexesAsJson("{\"a}"));
}

TEST(FrontendTest, Entries) {
  const auto entries = ParseFrontendEntries("{a=\"x\\n\", b={\"c\"=1}}");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].key, "a");
  EXPECT_EQ(DecodeFrontendValue(entries[0].value), "x\n");
  EXPECT_EQ(DecodeFrontendValue(entries[1].value), "{\"c\"=1}");
  EXPECT_EQ(FormatFrontendAttributes({{"a", "x\n"}, {"b", "{}"}}), "{a=\"x\\n\",b={}}");
}

// Nothing may be read after the end of a text (seen by AddressSanitizer).
TEST(TextTest, EndsWhereItEnds) {
  const auto exactly = [](absl::string_view text) {
    return std::vector<char>(text.begin(), text.end());
  };
  const std::vector<char> metadata = exactly("{op_name=\"a/b\" source_line=7}");
  EXPECT_EQ(ParseMetadata({metadata.data(), metadata.size()}).source_line, 7);
  const std::vector<char> entries = exactly("{a=\"1\"}");
  const auto found = ParseFrontendEntries({entries.data(), entries.size()});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value.data(), entries.data() + 3);
}

}  // namespace
}  // namespace tessera::hlo
