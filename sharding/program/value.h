// Values of a program and the ordered lists of their uses.
//
//   Value* x = ...;
//   for (Use* use = x->first_use(); use != nullptr; use = use->next()) {
//     use->user();      // the op that reads x
//     use->number();    // as which operand
//   }
//   use->Set(y);                  // that operand now reads y
//   x->ReplaceAllUsesWith(y);     // every operand that read x reads y
//
// The order of a use list decides in which order propagation wakes ops, and so, in rare conflicts,
// who wins. It is history, not program order, and follows from three operations alone:
//
//   an op is made      each operand, first to last, goes to the FRONT of its value's list
//   use->Set(y)        the use leaves its list and goes to the FRONT of y's
//   ReplaceAllUses..   Set() for each use of the old list, front to back: the block arrives
//   reversed
//
// All of them cost O(1) a use. A use is removed without trace when its op is erased.

#ifndef TESSERA_SHARDING_PROGRAM_VALUE_H_
#define TESSERA_SHARDING_PROGRAM_VALUE_H_

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "tessera/layout/shape.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::program {

struct Op;
struct Block;
class Value;

// One operand of one op, and a link of its value's use list.
class Use {
 public:
  Value* value() const { return value_; }
  Op* user() const { return user_; }
  // Position among the operands of user().
  int number() const;
  // The use that was put into the list just before this one, or null.
  Use* next() const { return next_; }

  // Makes the operand read `value` (null: nothing), at the front of its list; also when it reads
  // `value` already.
  void Set(Value* value);

 private:
  friend class Program;
  void Unlink();
  // To the front of the value's list; the use must be in none.
  void LinkTo(Value* value);

  Value* value_ = nullptr;
  Op* user_ = nullptr;
  Use* next_ = nullptr;
  Use** link_ = nullptr;  // the pointer that points here
};

// An array or a token: result `index` of op `def`, or argument `index` of block `owner`. 32 bytes:
// where it stands in memory says the op or the block.
class Value {
 public:
  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  const layout::Shape& shape() const { return *shape_; }
  // It must live as long as the program.
  void set_shape(const layout::Shape* shape) { shape_ = shape; }
  int rank() const { return static_cast<int>(shape_->rank()); }
  // Tokens and handles can carry a sharding, but take no part in propagation.
  bool is_array() const { return shape_->is_array(); }

  // The op that makes the value; null for a block argument.
  Op* def() const;
  // The block whose argument this is; null for a result.
  Block* owner() const;
  int index() const { return static_cast<int>(index_); }

  // The sharding slot, kNoSharding if empty. Raw: an op with several results, a loop or an edge may
  // demand more of who reads or writes it, see sharding_access.h.
  ShardingId sharding() const { return sharding_; }
  bool has_sharding() const { return sharding_ != kNoSharding; }
  void set_sharding(ShardingId id) { sharding_ = id; }

  Use* first_use() const { return is_forwarded_ ? nullptr : first_use_; }
  bool has_uses() const { return first_use() != nullptr; }
  bool has_one_use() const { return has_uses() && first_use_->next() == nullptr; }

  void ReplaceAllUsesWith(Value* other);
  // Only the uses for which `keep(const Use&)` is false.
  template <typename Keep>
  void ReplaceAllUsesExcept(Value* other, Keep keep) {
    for (Use *use = first_use(), *next; use != nullptr; use = next) {
      next = use->next();
      if (!keep(*use)) use->Set(other);
    }
  }

  // Readers of the value read `made` now, which an op makes of it: all uses but that op's.
  void ReplaceOtherUsesWith(Value* made) {
    ReplaceAllUsesExcept(made, [&](const Use& use) { return use.user() == made->def(); });
  }

  // When the program drops a value for another one (a reshape that changes nothing, a loop element
  // that never changes), the dropped one remembers who took over. It must have no uses, and gets
  // none.
  void ForwardTo(Value* other) {
    assert(!has_uses());
    is_forwarded_ = true;
    forward_ = other;
  }
  // Marks a value that was erased without a replacement.
  void MarkGone() { is_gone_ = true; }
  // The value that stands for this one now; null if it is gone.
  Value* Resolve();

  // A number for the running pass.
  int32_t number() const { return number_; }
  void set_number(int32_t number) { number_ = number; }

 private:
  friend class Program;
  friend class Use;

  const layout::Shape* shape_ = nullptr;
  union {
    Use* first_use_ = nullptr;
    Value* forward_;  // if is_forwarded_
  };
  ShardingId sharding_ = kNoSharding;
  int32_t number_ = -1;
  uint32_t index_ = 0;
  bool is_argument_ = false;
  bool is_forwarded_ = false;
  bool is_gone_ = false;
};

static_assert(sizeof(Value) == 32);

// An argument in memory.
struct Argument {
  Block* owner = nullptr;
  Value value;
};

inline Block* Value::owner() const {
  if (!is_argument_) return nullptr;
  const char* const begin = reinterpret_cast<const char*>(this) - offsetof(Argument, value);
  return reinterpret_cast<const Argument*>(begin)->owner;
}

inline void Use::LinkTo(Value* value) {
  assert(!value->is_forwarded_);
  value_ = value;
  next_ = value->first_use_;
  link_ = &value->first_use_;
  if (next_ != nullptr) next_->link_ = &next_;
  value->first_use_ = this;
}

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_VALUE_H_
