// Interned tensor shardings: equal shardings share one 32-bit id.
//
//   ShardingTable table;
//   ShardingId id = table.Intern(sharding);
//   table[id].dim(0);
//   table.Intern(sharding) == id;   // true; compare ids instead of shardings
//
// A module with a million tensors has a few thousand distinct shardings. Ids are dense, from 0;
// references stay valid as long as the table lives.

#ifndef TESSERA_SHARDING_SHARDING_TABLE_H_
#define TESSERA_SHARDING_SHARDING_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

using ShardingId = uint32_t;

// A tensor without a sharding.
inline constexpr ShardingId kNoSharding = 0xffffffffu;

class ShardingTable {
 public:
  ShardingTable() : index_(0, Hash{this}, Equal{this}) {}
  ShardingTable(const ShardingTable&) = delete;
  ShardingTable& operator=(const ShardingTable&) = delete;

  ShardingId Intern(const TensorSharding& sharding);
  const TensorSharding& operator[](ShardingId id) const { return shardings_[id]; }
  size_t size() const { return shardings_.size(); }

 private:
  // The index holds ids only and looks through to the shardings, each of which is stored once.
  struct Hash {
    using is_transparent = void;
    const ShardingTable* table;
    size_t operator()(ShardingId id) const { return (*this)(table->shardings_[id]); }
    size_t operator()(const TensorSharding& s) const { return absl::Hash<TensorSharding>()(s); }
  };
  struct Equal {
    using is_transparent = void;
    const ShardingTable* table;
    bool operator()(ShardingId a, ShardingId b) const { return a == b; }
    bool operator()(const TensorSharding& a, ShardingId b) const {
      return a == table->shardings_[b];
    }
    bool operator()(ShardingId a, const TensorSharding& b) const { return (*this)(b, a); }
  };

  std::deque<TensorSharding> shardings_;
  absl::flat_hash_set<ShardingId, Hash, Equal> index_;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_SHARDING_TABLE_H_
