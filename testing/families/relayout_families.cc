// A plan moves bytes, a case names slots. So the numbers of the source's slots are moved, one bit
// plane at a time where elements are packed: the element of slot n holds bit b of n + 1, and the
// planes of the destination, put together, are the source slots (0 for padding, which is filled).

#include "tessera/testing/families/relayout_families.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"

namespace tessera::testing {
namespace {

using layout::Shape;
using layout::relayout::Plan;
using nlohmann::json;
using Bytes = std::vector<uint8_t>;

// Slots of the source for all slots of the destination; -1 for padding.
std::vector<int64_t> GatherBy(const Plan& plan, int64_t src_slots, int64_t dst_slots,
                              int64_t bits) {
  const int64_t plane_bits = std::min<int64_t>(bits, 32);
  std::vector<int64_t> gather(dst_slots, -1);
  for (int64_t low = 0; src_slots >> low != 0; low += plane_bits) {
    Bytes src(plan.src_bytes(), 0), dst(plan.dst_bytes(), 0);
    const auto bit = [&](int64_t slot, int64_t i) { return slot * bits + i; };
    for (int64_t slot = 0; slot < src_slots; ++slot) {
      for (int64_t i = 0; i < plane_bits; ++i) {
        const int64_t one = ((slot + 1) >> (low + i)) & 1;
        src[bit(slot, i) / 8] |= static_cast<uint8_t>(one << (bit(slot, i) % 8));
      }
    }
    plan.Run(src.data(), dst.data());
    for (int64_t slot = 0; slot < dst_slots; ++slot) {
      for (int64_t i = 0; i < plane_bits; ++i) {
        const int64_t one = (dst[bit(slot, i) / 8] >> (bit(slot, i) % 8)) & 1;
        gather[slot] += one << (low + i);
      }
    }
  }
  return gather;
}

int64_t Checksum(const std::vector<int64_t>& gather) {
  constexpr __int128 kModulus = (__int128{1} << 61) - 1;
  __int128 sum = 0;
  for (size_t i = 0; i < gather.size(); ++i) {
    sum += (__int128{gather[i]} + 1) * static_cast<int64_t>(i % 1000003 + 1) % kModulus;
  }
  return static_cast<int64_t>(sum % kModulus);
}

Outcome CompareSlots(const json& c, const std::vector<int64_t>& gather) {
  if (c.contains("gather")) return Expect("gather", json(gather), c["gather"]);
  for (const json& sample : c["samples"]) {
    const auto slot = sample[0].get<size_t>();
    const Outcome one =
        Expect(absl::StrCat("slot ", slot).c_str(), gather.at(slot), sample[1].get<int64_t>());
    if (one.verdict != Verdict::kPassed) return one;
  }
  return Passed();
}

Outcome CheckRelayout(const json& c) {
  const auto src = layout::ParseShape(c["src"].get<std::string>());
  const auto dst = layout::ParseShape(c["dst"].get<std::string>());
  if (!src.ok() || !dst.ok()) return Failed("a shape does not parse");
  layout::relayout::Options options;
  options.perm = c["perm"].get<std::vector<int64_t>>();
  options.fill = layout::relayout::Fill::kZero;
  const auto plan = Plan::Create(*src, *dst, options);
  if (!plan.ok()) return Failed(plan.status().ToString());
  const int64_t from = layout::IndexMap::Create(*src)->total();
  const int64_t to = layout::IndexMap::Create(*dst)->total();
  const auto gather = GatherBy(*plan, from, to, layout::StoredBits(*src));
  return First({Expect("total", to, c["total"].get<int64_t>()), CompareSlots(c, gather),
                Expect("checksum", Checksum(gather), c["checksum"].get<int64_t>())});
}

}  // namespace

std::vector<Family> RelayoutFamilies() { return {{"layout_relayout", CheckRelayout}}; }

}  // namespace tessera::testing
