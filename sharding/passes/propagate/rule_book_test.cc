#include "tessera/sharding/passes/propagate/rule_book.h"

#include <memory>

#include "gtest/gtest.h"

namespace tessera::sharding::passes {
namespace {

TEST(RuleBooksTest, ABookComesBackToItsNextUser) {
  RuleBooks books;
  EXPECT_EQ(books.Take(), nullptr);
  std::shared_ptr<RuleBook> first = books.Lend(std::make_unique<RuleBook>(rules::RuleMode()));
  std::shared_ptr<RuleBook> second = books.Lend(std::make_unique<RuleBook>(rules::RuleMode()));
  RuleBook* const kept = first.get();
  EXPECT_EQ(books.Take(), nullptr);
  first = nullptr;
  EXPECT_EQ(books.Take().get(), kept);
  EXPECT_EQ(books.Take().get(), kept);
  EXPECT_NE(second.get(), kept);
}

}  // namespace
}  // namespace tessera::sharding::passes
