// A sum that is only added to elements of the loop's tuple:
//
//   all-reduce -> (bitcast, convert, reshape, transpose, slice)* -> add with element k -> element k
//
// Element k may pass bitcasts, converts, reshapes and transposes. It may pass one dynamic-slice in
// front of the add if a dynamic-update-slice at the same place stands after it. The indices must
// be equal on all devices. Nothing else may read element k.
//
// Not modelled: sums that a select drops, scatters into element k, products with another sum.

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/loops/loop_match.h"

namespace tessera::target {
namespace {

bool IsPassive(Opcode opcode) {
  return opcode == Opcode::kBitcast || opcode == Opcode::kConvert || opcode == Opcode::kReshape ||
         opcode == Opcode::kTranspose;
}

// An add, and the way of the element to it and on.
struct Addition {
  InstructionId add = kNoId;
  size_t element = 0;
  InstructionId slice = kNoId, update = kNoId;  // kNoId: none
};

class AccumulationMatcher {
 public:
  AccumulationMatcher(const DeviceProgram& program, const Replication& replication,
                      const CarriedLoop& loop)
      : program_(program), replication_(replication), loop_(loop) {}

  std::optional<Accumulations> Match(InstructionId all_reduce) {
    work_ = {all_reduce};
    while (!work_.empty()) {
      const InstructionId value = work_.back();
      work_.pop_back();
      for (const InstructionId user : program_.Users(value)) {
        if (!Follow(value, user)) return std::nullopt;
      }
    }
    Accumulations found;
    for (const Addition& addition : additions_) {
      if (IsReadElsewhere(addition)) return std::nullopt;
      if (!absl::c_linear_search(found.elements, addition.element)) {
        found.elements.push_back(addition.element);
      }
    }
    if (found.elements.empty()) return std::nullopt;
    return found;
  }

 private:
  bool Follow(InstructionId value, InstructionId user) {
    const Opcode opcode = program_.opcode(user);
    if (IsPassive(opcode) || opcode == Opcode::kSlice) {
      work_.push_back(user);
      return true;
    }
    if (opcode != Opcode::kAdd || program_.operand(user, 0) == program_.operand(user, 1)) {
      return false;
    }
    Addition addition;
    addition.add = user;
    const bool is_first = program_.operand(user, 0) == value;
    if (!FindOrigin(program_.operand(user, is_first ? 1 : 0), &addition)) return false;
    if (!ReachesElement(&addition) || !SlicesFit(addition)) return false;
    additions_.push_back(addition);
    return true;
  }

  // The element that `id` is made of.
  bool FindOrigin(InstructionId id, Addition* addition) const {
    for (;; id = program_.operand(id, 0)) {
      const auto element = ElementRead(program_, loop_, id);
      if (element.has_value()) {
        addition->element = *element;
        return true;
      }
      const bool is_slice = program_.opcode(id) == Opcode::kDynamicSlice;
      if (is_slice && addition->slice != kNoId) return false;
      if (is_slice) addition->slice = id;
      if (!is_slice && !IsPassive(program_.opcode(id))) return false;
    }
  }

  // The add goes on to the same element only.
  bool ReachesElement(Addition* addition) const {
    std::vector<InstructionId> values = {addition->add};
    bool is_reached = false;
    while (!values.empty()) {
      const InstructionId value = values.back();
      values.pop_back();
      for (const InstructionId user : program_.Users(value)) {
        const Opcode opcode = program_.opcode(user);
        if (user == loop_.root) {
          if (is_reached || !IsNextOf(value, addition->element)) return false;
          is_reached = true;
        } else if (opcode == Opcode::kDynamicUpdateSlice && addition->update == kNoId) {
          addition->update = user;
          values.push_back(user);
        } else if (IsPassive(opcode) || opcode == Opcode::kSlice) {
          values.push_back(user);
        } else {
          return false;
        }
      }
    }
    return is_reached;
  }

  // `value` is the next one of that element and of no other.
  bool IsNextOf(InstructionId value, size_t element) const {
    const auto operands = program_.operands(loop_.root);
    return operands[element] == value && absl::c_count(operands, value) == 1;
  }

  bool SlicesFit(const Addition& addition) const {
    if ((addition.slice == kNoId) != (addition.update == kNoId)) return false;
    if (addition.slice == kNoId) return true;
    const auto from = program_.operands(addition.slice).subspan(1);
    const auto to = program_.operands(addition.update).subspan(2);
    return absl::c_equal(from, to) &&
           absl::c_all_of(to, [&](InstructionId id) { return replication_.IsTheSame(id); });
  }

  bool IsReadElsewhere(const Addition& addition) const {
    std::vector<InstructionId> values;
    bool elsewhere = false;
    program_.ForEachUse(loop_.parameter, [&](InstructionId user) {
      const auto element = ElementRead(program_, loop_, user);
      elsewhere |= !element.has_value();
      if (element == addition.element) values.push_back(user);
    });
    while (!values.empty() && !elsewhere) {
      const InstructionId value = values.back();
      values.pop_back();
      for (const InstructionId user : program_.Users(value)) {
        if (IsPassive(program_.opcode(user))) {
          values.push_back(user);
        } else {
          elsewhere |= user != addition.add && user != addition.slice && user != addition.update;
        }
      }
    }
    return elsewhere;
  }

  const DeviceProgram& program_;
  const Replication& replication_;
  const CarriedLoop& loop_;
  std::vector<InstructionId> work_;
  std::vector<Addition> additions_;
};

}  // namespace

std::optional<Accumulations> FindAccumulations(const DeviceProgram& program,
                                               const Replication& replication,
                                               const CarriedLoop& loop, InstructionId all_reduce) {
  return AccumulationMatcher(program, replication, loop).Match(all_reduce);
}

}  // namespace tessera::target
