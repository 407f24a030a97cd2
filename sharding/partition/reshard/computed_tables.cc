#include "tessera/sharding/partition/reshard/computed_tables.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {

using hlo::Opcode;

namespace {

// The numbers that arithmetic may give. On devices they are s32, which wraps around.
std::pair<int32_t, int32_t> RangeOf(Opcode opcode, const DeviceTable& a, const DeviceTable& b) {
  const auto in_s32 = [](int64_t least, int64_t most) {
    return std::pair(static_cast<int32_t>(least), static_cast<int32_t>(most));
  };
  const int64_t least = a.least, most = a.most, by = b.least;
  switch (opcode) {
    case Opcode::kAdd:
      return in_s32(least + by, most + b.most);
    case Opcode::kSubtract:
      return in_s32(least - b.most, most - by);
    case Opcode::kMultiply:
      return in_s32(std::min(least * by, most * by), std::max(least * by, most * by));
    default:                                    // kDivide
      if (by == 0) return in_s32(least, most);  // a divisor beyond s32
      return in_s32(std::min(least / by, most / by), std::max(least / by, most / by));
  }
}

}  // namespace

Offset Offset::Simplified() const {
  const bool is_multiple = multiplier % divisor == 0;
  if (!is_multiple || (offset % divisor != 0 && offset * multiplier <= 0)) return *this;
  return {multiplier / divisor, offset / divisor, 1};
}

DeviceTable TableOfNumbers(const DeviceNumbers& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return {NumbersText(numbers), *least, *most, Size(numbers)};
}

TableId Computed(Recipes& recipes, Opcode opcode, TableId a, TableId b) {
  if (!recipes.are_kept()) return Recipes::kZeros;
  const uint64_t key[] = {static_cast<uint64_t>(TableKind::kComputed),
                          static_cast<uint64_t>(opcode), static_cast<uint64_t>(a),
                          static_cast<uint64_t>(b)};
  return recipes.TableOf(key, [&] {
    DeviceTable table;
    std::tie(table.least, table.most) = RangeOf(opcode, recipes.table(a), recipes.table(b));
    table.opcode = opcode;
    table.a = a;
    table.b = b;
    return recipes.Add(std::move(table));
  });
}

TableId Same(Recipes& recipes, int64_t number) {
  if (!recipes.are_kept()) return Recipes::kZeros;
  const auto value = static_cast<int32_t>(number);
  return recipes.Table({absl::StrCat(number), value, value, 0});
}

TableId Times(Recipes& recipes, TableId of, int64_t number) {
  return Computed(recipes, Opcode::kMultiply, of, Same(recipes, number));
}

TableId OffsetAt(Recipes& recipes, const Offset& offset, TableId of) {
  const Offset by = offset.Simplified();
  if (by.multiplier == 0) return Same(recipes, by.offset / by.divisor);
  const auto with = [&](Opcode opcode, int64_t number, int64_t without) {
    if (number != without) of = Computed(recipes, opcode, of, Same(recipes, number));
  };
  with(Opcode::kMultiply, by.multiplier, 1);
  with(Opcode::kAdd, by.offset, 0);
  with(Opcode::kDivide, by.divisor, 1);
  return of;
}

TableId ElementAt(Recipes& recipes, const DeviceNumbers& list, TableId at, bool is_id) {
  if (!recipes.are_kept()) return Recipes::kZeros;
  // No key begins as those of other lists.
  absl::InlinedVector<uint64_t, 16> key = {~uint64_t{0}, static_cast<uint64_t>(at), is_id};
  key.insert(key.end(), list.begin(), list.end());
  return recipes.TableOfList(key, [&] {
    DeviceTable table = TableOfNumbers(list);
    table.opcode = Opcode::kDynamicSlice;
    table.a = at;
    table.is_id = is_id;
    return recipes.Add(std::move(table));
  });
}

}  // namespace tessera::sharding::partition
