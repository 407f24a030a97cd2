#include "tessera/sharding/passes/propagate/rule_book.h"

#include <utility>

namespace tessera::sharding::passes {

std::shared_ptr<RuleBook> RuleBooks::Take() {
  std::unique_ptr<RuleBook> book;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (unused_.empty()) return nullptr;
    book = std::move(unused_.back());
    unused_.pop_back();
  }
  return Lend(std::move(book));
}

std::shared_ptr<RuleBook> RuleBooks::Lend(std::unique_ptr<RuleBook> book) {
  return {book.release(), [this](RuleBook* read) {
            std::unique_ptr<RuleBook> back(read);
            const std::lock_guard<std::mutex> lock(mutex_);
            unused_.push_back(std::move(back));
          }};
}

}  // namespace tessera::sharding::passes
