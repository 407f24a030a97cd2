// Worklist: the stack of ops that are to be visited, with a flag for membership.
//
//   Worklist work(program.num_ops());
//   work.Fill();                              // all ops, the first of the program on top
//   while ((op = work.Pop(skip)) != kNone) {
//     work.Wake(other);                       // on top, unless it is on the stack or current
//   }
//
// Popping a full stack is walking through the program. Ops that the walk has not reached are on the
// stack already: waking one of them does nothing. So the stack is a cursor into the program plus a
// small stack of ops that were woken after the cursor had passed them:
//
//   woken_      add.7 mul.2        popped first; is_woken_ is their flag
//   cursor_     -> div.9 sub.10 .. all the rest of the program
//
// Mental model: a walk through the program; whenever a step changes something that ops already
// passed look at, those are redone, most recently woken first, before the walk goes on.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_WORKLIST_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_WORKLIST_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/propagation/numbered_program.h"

namespace tessera::sharding::propagation {

class Worklist {
 public:
  explicit Worklist(int num_ops) : is_woken_(num_ops), cursor_(num_ops) {}

  // Puts all ops on the stack, which must be empty.
  void Fill() { cursor_ = 0; }

  // Takes the op on top off the stack, and with it those above for which skip(op) is true. It is
  // current until the next call. kNone if there is none.
  template <typename Skip>
  OpId Pop(Skip skip) {
    do {
      at_work_ = woken_.empty() ? Walk(skip) : PopWoken();
    } while (at_work_ != kNone && skip(at_work_));
    return at_work_;
  }

  void Wake(OpId o) {
    if (o >= cursor_ || o == at_work_ || is_woken_[o]) return;
    is_woken_[o] = true;
    woken_.push_back(o);
  }

 private:
  template <typename Skip>
  OpId Walk(Skip skip) {
    const OpId end = static_cast<OpId>(is_woken_.size());
    OpId o = cursor_;
    while (o < end && skip(o)) ++o;
    cursor_ = o < end ? o + 1 : end;
    return o < end ? o : kNone;
  }
  OpId PopWoken() {
    const OpId top = woken_.back();
    woken_.pop_back();
    is_woken_[top] = false;
    return top;
  }

  std::vector<uint8_t> is_woken_;  // by op
  std::vector<OpId> woken_;
  OpId cursor_;
  OpId at_work_ = kNone;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_WORKLIST_H_
