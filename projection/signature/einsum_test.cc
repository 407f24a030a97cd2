#include "tessera/projection/signature/einsum.h"

#include "gtest/gtest.h"
#include "tessera/projection/core/error.h"

namespace tessera::projection {
namespace {

TEST(EinsumTest, MistakesAreFound) {
  const auto code = [](const char* text) {
    return ErrorCodeOf(SignatureFromText(text, {{2, 3}}, {{2}}).status());
  };
  EXPECT_EQ(code("ij->i"), std::nullopt);
  EXPECT_EQ(code("ij,k->i"), ErrorCode::kParse);
  EXPECT_EQ(code("i->i"), ErrorCode::kRankMismatch);
  EXPECT_EQ(code("ij"), ErrorCode::kParse);
  EXPECT_EQ(code("i+k:0 j->i"), ErrorCode::kParse);
  EXPECT_EQ(code("ij->*"), ErrorCode::kParse);
}

TEST(EinsumTest, AnAxisHasOneExtent) {
  const auto code = [](const char* text, const std::vector<ZPoint>& operands,
                       const std::vector<ZPoint>& results) {
    return ErrorCodeOf(SignatureFromText(text, operands, results).status());
  };
  EXPECT_EQ(code("ij,jk->ik", {{4, 8}, {6, 6}}, {{4, 6}}), ErrorCode::kBadShape);
  EXPECT_EQ(code("ij->ij", {{4, 8}}, {{4, 6}}), ErrorCode::kBadShape);
  EXPECT_EQ(code("x*2+k:3,k->x", {{9}, {3}}, {{4}}), std::nullopt);
}

}  // namespace
}  // namespace tessera::projection
