// Numbers of devices that are found by way of others: elements of lists, and arithmetic.
//
//   OffsetAt(recipes, {4, 2}, ordinals)          // of ordinals 0, 1, 2: 2, 6, 10, by a multiply and an add
//   ElementAt(recipes, {0, 4, 0}, ordinals)      // 0, 4, 0, from a list
//
// Equal ones have one number. If the recipes are not kept, every result is Recipes::kZeros. XLA: TableLookup,
// MultiplyAddDivideOffsetCalculation. Tested by testing/partition/device_run_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_COMPUTED_TABLES_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_COMPUTED_TABLES_H_

#include <cstdint>

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/partition/reshard/recipe_store.h"

namespace tessera::sharding::partition {

// (multiplier x shard + offset) / divisor, truncated toward zero.
struct Offset {
  int64_t multiplier = 0, offset = 0, divisor = 1;
  int64_t At(int64_t shard) const { return (shard * multiplier + offset) / divisor; }
  // The same without a divisor where it divides the others.
  Offset Simplified() const;
};

// What a key of TableOf() begins with: what the table depends on.
enum class TableKind : uint64_t { kIndices, kAlong, kStart, kGroup, kStartOfGroup, kComputed };

// As the emitter reads them; there is at least one.
DeviceTable TableOfNumbers(const DeviceNumbers& numbers);
// The same number on all devices.
TableId Same(Recipes& recipes, int64_t number);
TableId Computed(Recipes& recipes, hlo::Opcode opcode, TableId a, TableId b);
// A multiply, also by 1, as XLA writes it.
TableId Times(Recipes& recipes, TableId of, int64_t number);
TableId OffsetAt(Recipes& recipes, const Offset& offset, TableId of);
// The element of a list that another number says, or the partition id (kOwnId). `is_id`: it is a u32.
TableId ElementAt(Recipes& recipes, const DeviceNumbers& list, TableId at, bool is_id = false);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_COMPUTED_TABLES_H_
