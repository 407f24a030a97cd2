// The recipes of a graph by number, and their tables.
//
//   Recipes recipes(/*are_kept=*/true);
//   RecipeId id = recipes.Keep([&] { return recipe::Dimensions{{1, 0}}; });
//   TableId table = recipes.Table({0, 4, 8, 12});     // equal numbers share a table
//
// If recipes are not kept, the function is not called and every id is kUnknown.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RECIPES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RECIPES_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/reshard/recipe.h"
#include "tessera/sharding/partition/tiling/kept_lists.h"
#include "tessera/sharding/partition/tiling/known_values.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

using RecipeId = int32_t;

class Recipes {
 public:
  // Of recipes without a value of their own.
  static constexpr RecipeId kUnknown = 0, kPlain = 1, kAsWritten = 2, kSliceAsWritten = 3,
                            kZero = 4;
  // 0 on every device.
  static constexpr TableId kZeros = 0;

  explicit Recipes(bool are_kept) : are_kept_(are_kept) {
    recipes_.push_back(recipe::DefaultSharding());
    recipes_.push_back(recipe::Plain());
    recipes_.push_back(recipe::AsWritten());
    recipes_.push_back(recipe::SliceAsWritten());
    recipes_.push_back(recipe::Fill());
    tables_.Of({});
  }

  bool are_kept() const { return are_kept_; }
  template <typename Make>
  RecipeId Keep(const Make& make) {
    if (!are_kept_) return kUnknown;
    recipes_.push_back(make());
    return static_cast<RecipeId>(recipes_.size()) - 1;
  }
  const Recipe& operator[](RecipeId id) const { return At(recipes_, id); }

  // A number for each device.
  TableId Table(std::vector<int64_t> numbers) {
    if (std::all_of(numbers.begin(), numbers.end(), [](int64_t n) { return n == 0; })) {
      return kZeros;
    }
    return static_cast<TableId>(tables_.Of(std::move(numbers)));
  }
  // The same, of numbers that depend on `key` alone: `make` gives them, once for each key.
  template <typename Make>
  TableId TableOf(Numbering::Words key, const Make& make) {
    const auto [number, is_new] = keys_->tables.Of(key);
    if (is_new) keys_->table_of.push_back(Table(make()));
    return At(keys_->table_of, number);
  }
  // A list that tables are made of and that depends on `key` alone; good until ForgetKeys().
  template <typename Make>
  const std::vector<int64_t>& ListOf(Numbering::Words key, const Make& make) {
    return keys_->lists.Of(key, make);
  }
  // Once no table is made any more.
  void ForgetKeys() { keys_.reset(); }
  // Empty: zeros.
  const std::vector<int64_t>& table(TableId id) const {
    return tables_[static_cast<uint32_t>(id)].list();
  }

 private:
  struct Keys {
    KnownValues<std::vector<int64_t>> lists;
    Numbering tables;
    std::vector<TableId> table_of;  // by number of the key
  };

  const bool are_kept_;
  std::deque<Recipe> recipes_;
  KeptLists<int64_t> tables_;
  std::optional<Keys> keys_{std::in_place};  // until they are forgotten
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RECIPES_H_
