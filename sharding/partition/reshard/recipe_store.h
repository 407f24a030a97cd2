// The recipes of a graph by number, and their tables.
//
//   Recipes recipes(/*are_kept=*/true);
//   RecipeId id = recipes.Keep([&] { return recipe::Dimensions{{1, 0}}; });
//   TableId table = recipes.Table(TableOfNumbers({0, 4, 8, 12}));     // equal numbers share a table
//
// If recipes are not kept, the function is not called and every id is kUnknown.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_STORE_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_STORE_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/opcode.h"
#include "tessera/sharding/partition/reshard/recipe.h"
#include "tessera/sharding/partition/tiling/kept_lists.h"
#include "tessera/sharding/partition/tiling/known_values.h"
#include "tessera/sharding/partition/tiling/numbering.h"

namespace tessera::sharding::partition {

using RecipeId = int32_t;
// A number for each device of the module: an s32, as in XLA.
using DeviceNumbers = std::vector<int32_t>;
// The partition id, in place of a table.
constexpr TableId kOwnId = -1;
// The same as the emitter reads them.
struct DeviceTable {
  std::string text;             // "{0, 4, 8, 12}"
  int32_t least = 0, most = 0;  // of the numbers of devices
  int64_t size = 0;             // of the list
  // How a device finds its number: a kDynamicSlice takes element a of the list, and a kConstant is what all elements
  // are. Other opcodes are arithmetic of a and b.
  hlo::Opcode opcode = hlo::Opcode::kConstant;
  TableId a = kOwnId, b = kOwnId;
  bool is_id = false;  // of a device in its group: a u32
};

class Recipes {
 public:
  // Of recipes without a value of their own.
  static constexpr RecipeId kUnknown = 0, kPlain = 1, kAsWritten = 2, kSliceAsWritten = 3,
                            kZero = 4;
  // 0 on every device.
  static constexpr TableId kZeros = 0;

  explicit Recipes(bool are_kept) : are_kept_(are_kept), tables_(1) {
    recipes_.push_back(recipe::DefaultSharding());
    recipes_.push_back(recipe::Plain());
    recipes_.push_back(recipe::AsWritten());
    recipes_.push_back(recipe::SliceAsWritten());
    recipes_.push_back(recipe::Fill());
  }

  bool are_kept() const { return are_kept_; }
  template <typename Make>
  RecipeId Keep(const Make& make) {
    if (!are_kept_) return kUnknown;
    recipes_.push_back(make());
    return static_cast<RecipeId>(recipes_.size()) - 1;
  }
  const Recipe& operator[](RecipeId id) const { return At(recipes_, id); }

  // The number of a table with an element for each device; equal ones have one.
  TableId Table(DeviceTable table) {
    if (table.least == 0 && table.most == 0) return kZeros;
    if (table.least != table.most) table.opcode = hlo::Opcode::kDynamicSlice;
    auto& alike = keys_->tables_by_hash[HashOf(table.text)];
    for (const TableId id : alike) {
      if (At(tables_, id).text == table.text) return id;
    }
    alike.push_back(Add(std::move(table)));
    return alike.back();
  }
  // A new number of a table.
  TableId Add(DeviceTable table) {
    tables_.push_back(std::move(table));
    return static_cast<TableId>(tables_.size()) - 1;
  }
  // The same, of what depends on `key` alone: `make` gives it, once for each key.
  template <typename Make>
  TableId TableOf(Numbering::Words key, const Make& make) {
    return keys_->tables.Of(key, make);
  }
  // Of numbers that depend on a list (below) and on some values alone.
  template <typename Make>
  TableId TableOfList(Numbering::Words key, const Make& make) {
    return keys_->tables_of_lists.Of(key, make);
  }
  // The number of a list that tables are made of and that depends on `key` alone; equal lists have
  // one. Until ForgetKeys().
  template <typename Make>
  uint32_t ListOf(Numbering::Words key, const Make& make) {
    return keys_->list_of_key.Of(key, [&] { return keys_->lists.Of(make()); });
  }
  const DeviceNumbers& list(uint32_t number) const { return keys_->lists[number].list(); }
  // Once no table is made any more.
  void ForgetKeys() { keys_.reset(); }
  const DeviceTable& table(TableId id) const { return At(tables_, id); }

 private:
  struct Keys {
    KeptLists<int32_t> lists;
    KnownValues<uint32_t> list_of_key;
    KnownValues<TableId> tables, tables_of_lists;
    absl::flat_hash_map<uint64_t, absl::InlinedVector<TableId, 1>> tables_by_hash;
  };

  // Of its size and its bytes, eight at a time.
  static uint64_t HashOf(absl::string_view text) {
    uint64_t hash = text.size(), word = 0;
    for (; text.size() >= sizeof(word); text.remove_prefix(sizeof(word))) {
      std::memcpy(&word, text.data(), sizeof(word));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }

  const bool are_kept_;
  std::deque<Recipe> recipes_;
  std::deque<DeviceTable> tables_;           // the first one is kZeros
  std::optional<Keys> keys_{std::in_place};  // until they are forgotten
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_RECIPE_STORE_H_
