// Where the walk comes upon a line, the lines in front of some other one are finished, and no others.
// When it leaves it, all up to its own are. So one can follow the walk from the last line to the first
// without making it. The root is entered when nothing is finished. An operand that is not finished is
// entered with what is finished then, after which all up to the operand is.
//
//   0: a = f32[] parameter(0)       // entered by c: 0 are finished
//   1: b = f32[] parameter(1)       // entered by c: 1 is, a
//   2: c = f32[] add(a, b)          // the root; after its operands 2 are finished, as there must be
//
// An element stands for its tuple, since the walk goes through it, and its place is where it is come
// upon first. Of several at one place those of outer users, which stand later, come first.
//
// Cost: some machine instructions an operand; elements are sorted. Tested by order_test.cc.

#include "tessera/hlo/ir/list_order.h"

#include <algorithm>
#include <cstddef>

namespace tessera::hlo {

const std::vector<InstructionId>* ListOrder::Find(std::vector<InstructionId>* room) {
  if (computation_.root != list_.back()) return nullptr;
  if (!computation_.names_elements) {
    const auto line_of = [](size_t place) { return Line{static_cast<uint32_t>(place), false}; };
    return FollowWalk(line_of) ? &list_ : nullptr;
  }
  if (!NumberLines()) return nullptr;
  const Line* const lines = lines_.data();
  if (!FollowWalk([lines](size_t place) { return lines[place]; })) return nullptr;
  PutElements(room);
  return room;
}

// False: there is an element of an element.
bool ListOrder::NumberLines() {
  lines_.reserve(list_.size());
  uint32_t count = 0;
  for (const InstructionId id : list_) {
    const Instruction& instruction = module_.instruction(id);
    if (!instruction.is_implied || instruction.opcode != Opcode::kGetTupleElement) {
      lines_.push_back({count++, false});
      continue;
    }
    const size_t tuple = module_.operands(id)[0] - list_.front();
    if (tuple >= lines_.size() || lines_[tuple].is_element) return false;
    elements_.push_back(lines_.size());
    lines_.push_back({lines_[tuple].number, true});
  }
  return true;
}

// False if the list is not in post-order, or its ids do not count up from the first one. Also if
// control edges order it, too.
template <typename LineOf>
bool ListOrder::FollowWalk(LineOf line_of) {
  constexpr uint32_t kNever = 0xffffffffu;
  const InstructionId first = list_.front();
  // By line: how many are finished when the walk comes upon it.
  std::vector<uint32_t> entered(list_.size(), kNever);
  entered[line_of(list_.size() - 1).number] = 0;
  for (size_t place = list_.size(); place-- > 0;) {
    const InstructionId id = list_[place];
    if (id != first + place || !module_.control_predecessors(id).empty()) return false;
    const Line line = line_of(place);
    if (line.is_element) continue;
    uint32_t finished = entered[line.number];
    if (finished == kNever) return false;
    const auto operands = module_.operands(id);
    for (const InstructionId *at = operands.data(), *end = at + operands.size(); at != end; ++at) {
      if (*at - first >= place) return false;
      const Line operand = line_of(*at - first);
      if (operand.number >= finished) {
        if (entered[operand.number] != kNever) return false;
        entered[operand.number] = finished;
        finished = operand.number + 1;
      }
      if (operand.is_element) named_.push_back({finished, *at});
    }
    if (finished != line.number) return false;
  }
  return true;
}

// Lines that no element comes between are copied at once.
void ListOrder::PutElements(std::vector<InstructionId>* order) {
  std::stable_sort(named_.begin(), named_.end(),
                   [](const Named& a, const Named& b) { return a.finished < b.finished; });
  order->reserve(list_.size());
  size_t place = 0;
  auto skipped = elements_.begin();
  const auto put_lines = [&](size_t finished) {
    while (true) {
      const size_t end = skipped == elements_.end() ? list_.size() : *skipped;
      const size_t most = place == end ? 0 : finished - lines_[place].number;
      const auto from = list_.begin() + static_cast<ptrdiff_t>(place);
      const size_t count = std::min(most, end - place);
      order->insert(order->end(), from, from + static_cast<ptrdiff_t>(count));
      place += count;
      if (place != end || skipped == elements_.end()) return;
      ++place;
      ++skipped;
    }
  };
  std::vector<bool> is_put(list_.size());
  for (const Named& named : named_) {
    put_lines(named.finished);
    const size_t element = named.element - list_.front();
    if (!is_put[element]) order->push_back(named.element);
    is_put[element] = true;
  }
  put_lines(list_.size() - elements_.size());
}

}  // namespace tessera::hlo
