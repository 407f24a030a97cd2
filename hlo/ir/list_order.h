// The fast path of PostOrder: it returns the list of a computation that already is XLA's post-order,
// as in every dump, without a walk.
//
//   std::vector<InstructionId> room;
//   const auto* order = ListOrder(module, computation).Find(&room);     // null: a walk must tell
//
// Elements that the text names in place (`x#1`) stand in front of their first user in the list; in
// the post-order they stand where the walk first comes upon one.

#ifndef TESSERA_HLO_IR_LIST_ORDER_H_
#define TESSERA_HLO_IR_LIST_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::hlo {

class ListOrder {
 public:
  // With at least one instruction.
  ListOrder(const Module& module, const Computation& computation)
      : module_(module), computation_(computation), list_(computation.instructions) {}

  // The list itself, or `room`.
  const std::vector<InstructionId>* Find(std::vector<InstructionId>* room);

 private:
  // Of an element the number is that of its tuple.
  struct Line {
    uint32_t number : 31;
    bool is_element : 1;
  };
  // The walk comes upon the element when it has finished so many lines.
  struct Named {
    uint32_t finished;
    InstructionId element;
  };

  bool NumberLines();
  template <typename LineOf>
  bool FollowWalk(LineOf line_of);
  void PutElements(std::vector<InstructionId>* order);

  const Module& module_;
  const Computation& computation_;
  const std::vector<InstructionId>& list_;
  std::vector<Line> lines_;       // by place in the list; empty where no element is named
  std::vector<size_t> elements_;  // places of all, in order
  std::vector<Named> named_;      // from the last user to the first
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_IR_LIST_ORDER_H_
