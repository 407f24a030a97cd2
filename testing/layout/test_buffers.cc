#include "tessera/testing/layout/test_buffers.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"
#include "tessera/testing/layout/slow_map.h"

namespace tessera::layout::relayout {
namespace {

constexpr size_t kGuard = 64;
using Bytes = std::vector<uint8_t>;

Bytes Noise(size_t size, uint32_t seed) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<uint8_t>(seed >> 24);
  }
  return bytes;
}

bool BitAt(const Bytes& bytes, size_t bit) { return (bytes[bit / 8] >> (bit % 8)) & 1; }

void SetBit(Bytes* bytes, size_t bit, bool value) {
  const uint8_t mask = static_cast<uint8_t>(1u << (bit % 8));
  (*bytes)[bit / 8] =
      static_cast<uint8_t>(value ? (*bytes)[bit / 8] | mask : (*bytes)[bit / 8] & ~mask);
}

// Slot of the source for each element, by its row-major number in the destination.
std::vector<int64_t> SourceSlots(const Shape& src, const std::vector<int64_t>& perm) {
  const std::vector<int64_t> dims(src.dims().begin(), src.dims().end());
  const SlowArray moved = SlowTranspose(SlowIota(dims), perm);
  const std::vector<int64_t> memory = SlowMemory(src);
  std::vector<int64_t> slot_of(moved.values.size());
  for (size_t slot = 0; slot < memory.size(); ++slot) {
    if (memory[slot] >= 0) slot_of[memory[slot]] = static_cast<int64_t>(slot);
  }
  std::vector<int64_t> slots;
  for (const int64_t element : moved.values) slots.push_back(slot_of[element]);
  return slots;
}

// `count` bits of `from`, zeros after its `kept` first ones.
void CopyBits(const Bytes& from, size_t at, size_t kept, Bytes* to, size_t place, size_t count) {
  if ((at | kept | place | count) % 8 == 0 && kept == count) {
    std::memcpy(to->data() + place / 8, from.data() + at / 8, count / 8);
    return;
  }
  for (size_t bit = 0; bit < count; ++bit) {
    SetBit(to, place + bit, bit < kept && BitAt(from, at + bit));
  }
}

// The bit pattern of fill_value, lowest byte first.
Bytes FillOf(const Options& options) {
  Bytes bytes(sizeof(options.fill_value), 0);
  if (options.fill == Fill::kValue) {
    std::memcpy(bytes.data(), &options.fill_value, sizeof(options.fill_value));
  }
  return bytes;
}

// Changes `buffer`, whose array begins at byte kGuard, element by element.
void Expect(const Shape& src, const Shape& dst, const Options& options, const Bytes& source,
            Bytes* buffer) {
  const auto src_bits = static_cast<size_t>(StoredBits(src));
  const auto dst_bits = static_cast<size_t>(StoredBits(dst));
  std::vector<int64_t> perm = options.perm;
  for (int64_t i = 0; options.perm.empty() && i < src.rank(); ++i) perm.push_back(i);
  const std::vector<int64_t> slots = SourceSlots(src, perm), memory = SlowMemory(dst);
  const Bytes fill = FillOf(options);
  size_t to = kGuard * 8;
  for (const int64_t element : memory) {
    if (element >= 0) {
      CopyBits(source, slots[element] * src_bits, src_bits, buffer, to, dst_bits);
    } else if (options.fill != Fill::kLeave) {
      CopyBits(fill, 0, std::min<size_t>(dst_bits, 64), buffer, to, dst_bits);
    }
    to += dst_bits;
  }
  for (; to % 8 != 0; ++to) SetBit(buffer, to, false);
}

}  // namespace

std::string CheckAgainstSlowMap(const Shape& src, const Shape& dst, const Options& options) {
  const absl::StatusOr<Plan> plan = Plan::Create(src, dst, options);
  if (!plan.ok()) return "";
  const Bytes source = Noise(plan->src_bytes(), 1);
  Bytes actual = Noise(plan->dst_bytes() + 2 * kGuard, 2), expected = actual;
  plan->Run(source.data(), actual.data() + kGuard);
  Expect(src.array(), dst.array(), options, source, &expected);
  if (actual == expected) return "";
  size_t at = 0;
  while (actual[at] == expected[at]) ++at;
  return absl::StrCat("byte ", static_cast<int64_t>(at) - static_cast<int64_t>(kGuard),
                      " differs after\n", plan->Explain());
}

}  // namespace tessera::layout::relayout
