#include "tessera/layout/advise.h"

#include <string>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Advice AdviceFor(const char* text, const char* rules) {
  const absl::StatusOr<Advice> advice = Advise(ShapeFrom(text), *NamedTileRules(rules));
  EXPECT_TRUE(advice.ok()) << advice.status();
  return *advice;
}

struct Incident {
  const char* where;  // the public report
  const char* text;
  const char* rules;
  const char* current;
  const char* best;
  const char* best_bytes;
};

constexpr Incident kIncidents[] = {
    {"flowpm#27", "s32[8388608,8,4]{2,1,0:T(8,128)}", "tpu", "32 GiB",
     "s32[8388608,8,4]{0,1,2:T(8,128)}", "1 GiB"},
    {"pytorch/xla#6674", "bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", "tpu", "4 GiB",
     "bf16[2048,1,2048,128]{0,3,1,2:T(8,128)(2,1)}", "1 GiB"},
    {"tensorflow#30803", "f32[256,512,128,2]{3,2,1,0:T(8,128)}", "tpu", "8 GiB",
     "f32[256,512,128,2]{2,1,3,0:T(8,128)}", "128 MiB"},
    {"tensorflow#30803", "f32[32,128,32,64]{3,0,2,1:T(8,128)}", "tpu", "64 MiB",
     "f32[32,128,32,64]{1,3,0,2:T(8,128)}", "32 MiB"},
    {"pytorch/xla#1965", "u32[12582912,1]{1,0:T(8,128)}", "tpu", "6 GiB",
     "u32[12582912,1]{0,1:T(1,128)}", "48 MiB"},
    {"pytorch/xla#3041", "f32[29184,1,2560]{2,1,0:T(2,128)}", "tpu", "570 MiB",
     "f32[29184,1,2560]{2,0,1:T(8,128)}", "285 MiB"},
    {"flax#1733", "f32[1,8,2176,1056,2]{4,3,2,1,0:T(8,128)}", "tpu", "8.77 GiB",
     "f32[1,8,2176,1056,2]{2,3,4,1,0:T(8,128)}", "140.25 MiB"},
    {"tt-xla#4761", "f32[1,4096,5,64,1,2]{5,4,3,2,1,0:T(32,32)}", "tile:32x32", "5 GiB",
     "f32[1,4096,5,64,1,2]{3,1,5,4,2,0:T(32,32)}", "10 MiB"},
};

TEST(AdviseTest, Incidents) {
  for (const Incident& incident : kIncidents) {
    const Advice advice = AdviceFor(incident.text, incident.rules);
    EXPECT_EQ(FormatBytes(advice.current_bytes), incident.current) << incident.where;
    EXPECT_EQ(ShapeToString(advice.best), incident.best) << incident.where;
    EXPECT_EQ(FormatBytes(advice.best_bytes), incident.best_bytes) << incident.where;
    EXPECT_FALSE(advice.already_optimal) << incident.where;
  }
}

// The layout that the report itself proposes is one of the best.
TEST(AdviseTest, EqualsHoldTheReportsFix) {
  const Advice advice = AdviceFor("s32[8388608,8,4]{2,1,0:T(8,128)}", "tpu");
  EXPECT_THAT(advice.equals, Contains(ShapeFrom("s32[8388608,8,4]{0,2,1:T(4,128)}")));
  EXPECT_EQ(advice.equals.size(), 7u);
  EXPECT_EQ(advice.same_order_bytes, advice.current_bytes);
}

TEST(AdviseTest, RemarksSayWhatPadsAndWhatHelps) {
  const Advice advice = AdviceFor("s32[8388608,8,4]{2,1,0:T(8,128)}", "tpu");
  EXPECT_EQ(absl::StrJoin(advice.remarks, "\n"),
            "dimension 2 (minor) of size 4 is padded to 128: 32x\n"
            "making dimension 0 minor helps\n"
            "other users of the array are not considered: a dot, say, may want its operand's "
            "order");
}

struct Remark {
  const char* text;
  const char* rules;
  const char* remark;
};

constexpr Remark kRemarks[] = {
    {"f32[8,128]{1,0:T(8,128)}", "tpu", "already optimal"},
    {"f32[3,5]{1,0:T(2,2)}", "tpu", "takes less than any that these rules allow"},
    {"f32[8,128]", "tpu", "already optimal"},
    {"f32[2,128]{1,0:T(8,128)}", "tpu", "another tile suffices"},
    {"f32[64,3,128]{2,1,0:T(8,128)}", "tpu+min2", "making dimension 0 second minor helps"},
    {"f32[5,6,7]{2,1,0:T(8,128)}", "tpu", "become one of size"},
    {"f64[64,256]{1,0:T(8,128)}", "tpu", "parts of 32 bits"},
    {"f32[2,3,4]{2,1,0:T(*,5)}", "tpu", "combined or added dimension of size 12"},
};

TEST(AdviseTest, Remarks) {
  for (const Remark& row : kRemarks) {
    const Advice advice = AdviceFor(row.text, row.rules);
    EXPECT_THAT(advice.remarks, Contains(HasSubstr(row.remark))) << row.text;
  }
}

TEST(AdviseTest, WithoutTilesOrdersAreEqual) {
  const Advice advice = AdviceFor("f32[3,5]{0,1}", "none");
  EXPECT_TRUE(advice.already_optimal);
  EXPECT_EQ(ShapeToString(advice.best), "f32[3,5]{0,1}");
}

TEST(AdviseTest, MemorySpaceIsKept) {
  EXPECT_EQ(ShapeToString(AdviceFor("f32[8]{0:T(8)S(5)}", "tile:1x8").best),
            "f32[8]{0:T(1,8)S(5)}");
}

TEST(AdviseTest, Errors) {
  const TileRules rules = *NamedTileRules("tpu");
  EXPECT_EQ(ErrorCode(Advise(ShapeFrom("(f32[2])"), rules).status()), "kNotArray");
  EXPECT_EQ(ErrorCode(Advise(ShapeFrom("f32[?]"), rules).status()), "kUnbounded");
}

TEST(FormatBytesTest, Table) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(int64_t{7} << 60), "7 EiB");
  EXPECT_EQ(FormatBytes(-2048), "-2 KiB");
  EXPECT_EQ(FormatRatio(5, 10), "0.5x");
  EXPECT_EQ(FormatRatio(64, 1), "64x");
  EXPECT_EQ(FormatRatio(0, 0), "1x");
  EXPECT_EQ(FormatRatio(3, 0), "infx");
}

}  // namespace
}  // namespace tessera::layout
