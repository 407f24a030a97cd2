#include "tessera/sharding/program/value.h"

#include "tessera/sharding/program/op.h"

namespace tessera::sharding::program {

void Use::Unlink() {
  if (value_ == nullptr) return;
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
  value_ = nullptr;
  next_ = nullptr;
  link_ = nullptr;
}

void Use::Set(Value* value) {
  Unlink();
  if (value != nullptr) LinkTo(value);
}

void Value::ReplaceAllUsesWith(Value* other) {
  if (other == this) return;
  while (has_uses()) first_use_->Set(other);
}

Value* Value::Resolve() {
  Value* value = this;
  while (value->is_forwarded_) value = value->forward_;
  return value->is_gone_ ? nullptr : value;
}

}  // namespace tessera::sharding::program
