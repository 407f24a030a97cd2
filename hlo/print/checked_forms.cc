// Open addressing over (hash, first instruction of the form); at most half full. Instructions are
// compared in full, so that no input can make two forms one. Plain forms stand in a table of their
// own with one place for each hash: one that was driven out is checked again.

#include "tessera/hlo/print/checked_forms.h"

#include <algorithm>
#include <iterator>

#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

constexpr size_t kFewSlots = 256;
constexpr size_t kPlainSlots = 4096;

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

// The number of a slot.
uint32_t PlainHash(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t mixed =
      (a * 0x9e3779b97f4a7c15u) ^ (b * 0xff51afd7ed558ccdu) ^ (c * 0xc4ceb9fe1a85ec53u);
  return static_cast<uint32_t>((mixed ^ (mixed >> 29)) >> 20) % kPlainSlots;
}

// No rule looks at common attributes (but for shardings, which are checked apart) or at names of
// computations: what those stand for is compared through Module::called.
constexpr AttributeName kCallees[] = {A::kBody, A::kCalls, A::kCondition, A::kToApply};
// Nor at these; a channel has another number in each instruction.
constexpr AttributeName kNotRead[] = {
    A::kApiVersion,       A::kChannelId, A::kCustomCallTarget, A::kDirection,
    A::kIndicesAreSorted, A::kIsStable,  A::kUniqueIndices,    A::kUseGlobalDeviceIds};

struct Kinds {
  uint8_t of[kNumAttributeNames] = {};
  constexpr Kinds() {
    for (int i = kNumCommonAttributes; i < kNumAttributeNames; ++i) of[i] = kOwnAttribute;
    for (const AttributeName name : kCallees) of[static_cast<int>(name)] = 0;
    for (const AttributeName name : kNotRead) of[static_cast<int>(name)] = 0;
    of[static_cast<int>(A::kSharding)] = kShardingAttribute;
  }
};
constexpr Kinds kKinds;

bool IsLookedAt(AttributeName name) { return kKinds.of[static_cast<int>(name)] == kOwnAttribute; }

// The next attribute at or behind `i` that counts.
size_t NextOwn(absl::Span<const Attribute> attributes, size_t i) {
  while (i < attributes.size() && !IsLookedAt(attributes[i].name())) ++i;
  return i;
}

bool OwnAttributesAreEqual(absl::Span<const Attribute> a, absl::Span<const Attribute> b) {
  size_t i = NextOwn(a, 0), k = NextOwn(b, 0);
  for (; i < a.size() && k < b.size(); i = NextOwn(a, i + 1), k = NextOwn(b, k + 1)) {
    if (a[i].name() != b[k].name() || !SameText(a[i].value(), b[k].value())) return false;
  }
  return i == a.size() && k == b.size();
}

}  // namespace

uint8_t KindsOf(absl::Span<const Attribute> attributes) {
  uint8_t kinds = 0;
  for (const Attribute& a : attributes) kinds |= kKinds.of[static_cast<int>(a.name())];
  return kinds;
}

CheckedForms::CheckedForms(const Module& module)
    : module_(module), slots_(kFewSlots), plain_forms_(kPlainSlots) {}

void CheckedForms::Expect(InstructionId id) const {
  for (const Attribute& a : module_.attributes(id)) {
    if (IsLookedAt(a.name())) __builtin_prefetch(a.value().data());
  }
}

uint32_t CheckedForms::HashOf(InstructionId id) const {
  const Instruction& instruction = module_.instruction(id);
  uint64_t hash = Mix(static_cast<uint64_t>(instruction.opcode), instruction.shape);
  for (InstructionId operand : module_.operands(id)) hash = Mix(hash, module_.shape_id(operand));
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

inline CheckedForms::PlainForm CheckedForms::PlainFormOf(const Module& module, InstructionId id) {
  const Instruction& instruction = module.instruction(id);
  const absl::Span<const InstructionId> operands = module.operands(id);
  const auto shape = [&](size_t i) {
    return i < operands.size() ? uint64_t{module.shape_id(operands[i])} : 0;
  };
  const uint64_t head = static_cast<uint64_t>(instruction.opcode) << 2 | operands.size();
  return {head << 32 | instruction.shape, shape(0) << 32 | shape(1), shape(2)};
}

bool CheckedForms::Contains(InstructionId id, bool has_own) {
  const Instruction& instruction = module_.instruction(id);
  is_plain_ = !has_own && instruction.called.size == 0 &&
              instruction.operands.size <= PlainForm::kMaxOperands;
  if (is_plain_) {
    const PlainForm form = plain_form_ = PlainFormOf(module_, id);
    hash_ = PlainHash(form.head_and_result, form.first_operands, form.last_operand);
    const PlainForm& known = plain_forms_[hash_];
    return known.head_and_result == form.head_and_result &&
           known.first_operands == form.first_operands && known.last_operand == form.last_operand;
  }
  hash_ = HashOf(id);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash_ & mask; slots_[i].id != kNoId; i = (i + 1) & mask) {
    if (slots_[i].hash == hash_ && AreEqual(slots_[i].id, id)) return true;
  }
  return false;
}

void CheckedForms::Put(Slot slot) {
  const size_t mask = slots_.size() - 1;
  size_t i = slot.hash & mask;
  while (slots_[i].id != kNoId) i = (i + 1) & mask;
  slots_[i] = slot;
}

void CheckedForms::Add(InstructionId id) {
  if (is_plain_) {
    plain_forms_[hash_] = plain_form_;
    return;
  }
  if (++count_ * 2 > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != kNoId) Put(slot);
    }
  }
  Put({hash_, id});
}

}  // namespace tessera::hlo
