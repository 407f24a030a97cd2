// Open addressing over (hash, first instruction of the form); at most half full. Instructions are
// compared in full, so that no input can make two forms one. Plain forms, and the last of each
// opcode and shapes, have direct-mapped tables of their own: an evicted entry is verified, or looked
// up, again.

#include "tessera/hlo/print/checked_forms.h"

#include <algorithm>

#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

constexpr size_t kFewSlots = 256;

// A power of two.
size_t PlacesFor(size_t instructions, size_t most) {
  size_t places = 64;
  while (places < instructions && places < most) places *= 2;
  return places;
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

// No rule looks at common attributes (but for shardings) or at names of computations: what those
// stand for is compared through Module::called.
constexpr AttributeName kCallees[] = {A::kBody, A::kCalls, A::kCondition, A::kToApply};
// Nor at these.
constexpr AttributeName kNotRead[] = {
    A::kApiVersion, A::kCustomCallTarget, A::kDirection,         A::kIndicesAreSorted,
    A::kIsStable,   A::kUniqueIndices,    A::kUseGlobalDeviceIds};

constexpr AttributeKinds MakeKinds() {
  AttributeKinds kinds = {};
  for (int i = kNumCommonAttributes; i < kNumAttributeNames; ++i) kinds.of[i] = kOwnAttribute;
  for (const AttributeName name : kCallees) kinds.of[static_cast<int>(name)] = 0;
  for (const AttributeName name : kNotRead) kinds.of[static_cast<int>(name)] = 0;
  kinds.of[static_cast<int>(A::kSharding)] = kOwnAttribute | kShardingAttribute;
  kinds.of[static_cast<int>(A::kMetadata)] = kMetadataAttribute;
  kinds.of[static_cast<int>(A::kChannelId)] = kNumberAttribute;
  return kinds;
}

bool IsLookedAt(AttributeName name) {
  return (kAttributeKinds.of[static_cast<size_t>(name)] & kOwnAttribute) != 0;
}

// The next attribute at or after `i` that counts.
size_t NextOwn(absl::Span<const Attribute> attributes, size_t i) {
  while (i < attributes.size() && !IsLookedAt(attributes[i].name())) ++i;
  return i;
}

bool OwnAttributesAreEqual(absl::Span<const Attribute> a, absl::Span<const Attribute> b) {
  size_t i = NextOwn(a, 0), k = NextOwn(b, 0);
  for (; i < a.size() && k < b.size(); i = NextOwn(a, i + 1), k = NextOwn(b, k + 1)) {
    if (a[i].name() != b[k].name() || a[i].value() != b[k].value()) return false;
  }
  return i == a.size() && k == b.size();
}

}  // namespace

constexpr AttributeKinds kAttributeKinds = MakeKinds();

CheckedForms::CheckedForms(const Module& module)
    : module_(module),
      slots_(kFewSlots),
      mask_(PlacesFor(module.num_instructions(), kMostPlaces) - 1),
      plain_forms_(std::make_unique<PlainForm[]>(mask_ + 1)),
      latest_(mask_ + 1, kNoId) {}

uint64_t CheckedForms::HashOfNumbers(InstructionId id) const {
  const Instruction& instruction = module_.instruction(id);
  uint64_t hash = Mix(static_cast<uint64_t>(instruction.opcode), instruction.shape);
  for (InstructionId operand : module_.operands(id)) hash = Mix(hash, module_.shape_id(operand));
  return hash;
}

uint32_t CheckedForms::HashOf(InstructionId id, uint64_t numbers) const {
  uint64_t hash = numbers;
  for (const Attribute& a : module_.attributes(id)) {
    if (!IsLookedAt(a.name())) continue;
    hash = Mix(hash, WideHashText(a.value()) + static_cast<uint64_t>(a.name()));
  }
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

bool CheckedForms::CalleesAreEqual(InstructionId a, InstructionId b) const {
  const auto x = module_.called(a), y = module_.called(b);
  const auto same_shape = [&](InstructionId p, InstructionId q) {
    return module_.shape_id(p) == module_.shape_id(q);
  };
  return std::equal(x.begin(), x.end(), y.begin(), [&](ComputationId c, ComputationId d) {
    const Computation &l = module_.computation(c), &r = module_.computation(d);
    return c == d ||
           (same_shape(l.root, r.root) && l.parameters.size() == r.parameters.size() &&
            std::equal(l.parameters.begin(), l.parameters.end(), r.parameters.begin(), same_shape));
  });
}

bool CheckedForms::AreEqual(InstructionId a, InstructionId b) const {
  const Instruction &x = module_.instruction(a), &y = module_.instruction(b);
  const auto p = module_.operands(a), q = module_.operands(b);
  if (x.opcode != y.opcode || x.shape != y.shape || p.size() != q.size() ||
      x.called.size != y.called.size) {
    return false;
  }
  for (size_t i = 0; i < p.size(); ++i) {
    if (module_.shape_id(p[i]) != module_.shape_id(q[i])) return false;
  }
  return OwnAttributesAreEqual(module_.attributes(a), module_.attributes(b)) &&
         (x.called.size == 0 || CalleesAreEqual(a, b));
}

bool CheckedForms::ContainsTexts(InstructionId id) {
  const uint64_t numbers = HashOfNumbers(id);
  InstructionId& latest = latest_[numbers & mask_];
  if (latest != kNoId && AreEqual(latest, id)) return true;
  const uint32_t hash = HashOf(id, numbers);
  plain_place_ = nullptr;
  latest_place_ = &latest;
  texts_hash_ = hash;
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask; slots_[i].id != kNoId; i = (i + 1) & mask) {
    if (slots_[i].hash != hash || !AreEqual(slots_[i].id, id)) continue;
    latest = slots_[i].id;
    return true;
  }
  return false;
}

void CheckedForms::Put(Slot slot) {
  const size_t mask = slots_.size() - 1;
  size_t i = slot.hash & mask;
  while (slots_[i].id != kNoId) i = (i + 1) & mask;
  slots_[i] = slot;
}

void CheckedForms::AddTexts(InstructionId id) {
  if (++count_ * 2 > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != kNoId) Put(slot);
    }
  }
  Put({texts_hash_, id});
  *latest_place_ = id;
}

}  // namespace tessera::hlo
