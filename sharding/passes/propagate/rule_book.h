// The rules of a module's ops, with what was worked out for them, and books that are read again.
//
//   RuleBooks books;                      // of one module and one set of options
//   std::shared_ptr<RuleBook> book = books.Take();           // null: nobody has given one back yet
//   book = books.Lend(std::make_unique<RuleBook>(mode));     // comes back when nobody holds it
//
// Rules do not depend on shardings: variants of a module have the same. A book has one user at a time, so
// that looking into it needs no lock. Tested by rule_book_test.cc.

#ifndef TESSERA_SHARDING_PASSES_PROPAGATE_RULE_BOOK_H_
#define TESSERA_SHARDING_PASSES_PROPAGATE_RULE_BOOK_H_

#include <memory>
#include <mutex>
#include <vector>

#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::passes {

struct RuleBook {
  explicit RuleBook(const rules::RuleMode& mode) : registry(&table, mode) {}
  RuleBook(const RuleBook&) = delete;
  RuleBook& operator=(const RuleBook&) = delete;

  factors::RuleTable table;
  rules::RuleRegistry registry;
};

// Safe from many threads. Must outlive the books that it lends.
class RuleBooks {
 public:
  std::shared_ptr<RuleBook> Take();
  std::shared_ptr<RuleBook> Lend(std::unique_ptr<RuleBook> book);

 private:
  // Of all below. absl::Mutex allocates, and ends the process where memory is short.
  std::mutex mutex_;
  std::vector<std::unique_ptr<RuleBook>> unused_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROPAGATE_RULE_BOOK_H_
