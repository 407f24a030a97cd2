#include "tessera/projection/signature/projection_json.h"

#include <random>

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/enumerate.h"

namespace tessera::projection {
namespace {

TEST(ProjectionJsonTest, TheTriple) {
  const ZProjection p =
      *ZProjection::Plain(*ZMatrix::Create({{1, 0}, {0, 1}, {1, 1}}, 2), {10, 20, 30}, {4, 4, 1});
  constexpr char kJson[] =
      R"({"affineMap":{"projection":[[1,0],[0,1],[1,1]],"offset":[10,20,30]},"shape":[4,4,1]})";
  EXPECT_EQ(ToJson(p), kJson);
  EXPECT_EQ(*ProjectionFromJson(kJson), p);
  EXPECT_EQ(*ProjectionFromJson(R"({"affineMap":{"projection_t":[[1,0,1],[0,1,1]],)"
                                R"("offset":[10,20,30]},"shape":[4,4,1]})"),
            p);
}

TEST(ProjectionJsonTest, WritesAndReadsBack) {
  std::mt19937 random(9);
  for (int round = 0; round < 500; ++round) {
    ProjectionSpec spec = RandomProjection(random).spec();
    if (spec.matrix.rows() == 0 || spec.matrix.cols() == 0) continue;
    spec.offsets.Set(OffsetRole::kRelative, ZPoint::Filled(spec.matrix.rows(), -1));
    spec.offsets.AddUser("mine", ZPoint::Filled(spec.matrix.rows(), 2));
    const ZProjection p = *ZProjection::Create(spec);
    const absl::StatusOr<ZProjection> again = ProjectionFromJson(ToJson(p));
    ASSERT_TRUE(again.ok()) << ToJson(p) << again.status();
    EXPECT_EQ(*again, p) << ToJson(p);
    EXPECT_EQ(ToJson(*again), ToJson(p));
  }
}

TEST(ProjectionJsonTest, Mistakes) {
  for (const char* text :
       {"{", R"({"affinMap":{}})", R"({"affineMap":{"projection":[[1.5]],"offset":[0]}})",
        R"({"affineMap":{"projection":[["1"]],"offset":[0]}})",
        R"({"affineMap":{"projection":[[1]],"offset":[0]},"policy":"bounce"})",
        R"({"affineMap":{"projection":[[1]]},"offsets":{"middle":[0]}})"}) {
    EXPECT_EQ(ErrorCodeOf(ProjectionFromJson(text).status()), ErrorCode::kParse) << text;
  }
  EXPECT_EQ(
      ErrorCodeOf(ProjectionFromJson(R"({"affineMap":{"projection":[[1],[1,2]],"offset":[0,0]}})")
                      .status()),
      ErrorCode::kRankMismatch);
}

}  // namespace
}  // namespace tessera::projection
