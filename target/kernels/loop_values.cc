#include "tessera/target/kernels/loop_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int kMaxSteps = 16;  // views and loops that are looked through

// Elements of a tuple, by number; what is read otherwise is left out.
std::vector<std::vector<InstructionId>> ElementsOf(const hlo::Module& module,
                                                   const hlo::UserMap& users, InstructionId tuple,
                                                   size_t count) {
  std::vector<std::vector<InstructionId>> elements(count);
  const auto of = users.find(tuple);
  if (of == users.end()) return elements;
  for (const InstructionId user : of->second) {
    if (module.instruction(user).opcode != Opcode::kGetTupleElement) continue;
    const int64_t index = hlo::GetTupleIndex(module, user);
    if (index >= 0 && index < static_cast<int64_t>(count)) elements[index].push_back(user);
  }
  return elements;
}

// One loop, read with the loops inside of it known.
class LoopReader {
 public:
  LoopReader(const hlo::Module& module, const LoopValues& inner, InstructionId loop)
      : module_(module),
        inner_(inner),
        body_(module.computation(module.called(loop)[0])),
        users_(hlo::FindUsers(module, module.called(loop)[0])) {
    for (const InstructionId id : body_.instructions) AddHanded(id);
  }

  // `values`: with their starts.
  void Read(std::vector<LoopValue>* values) {
    if (body_.parameters.empty() || opcode(body_.root) != Opcode::kTuple) return;
    const auto next = module_.operands(body_.root);
    elements_ = ElementsOf(module_, users_, body_.parameters[0], values->size());
    for (size_t k = 0; k < values->size() && k < next.size(); ++k) {
      LoopValue& value = (*values)[k];
      value.next = next[k];
      value.is_invariant = absl::c_linear_search(elements_[k], next[k]);
      ReadUses(k, next[k], &value);
    }
  }

  // A stack and what is sliced from it, up to where it is converted.
  std::vector<InstructionId> SlicesOf(size_t k) const {
    std::vector<InstructionId> found = elements_[k];
    for (size_t at = 0; at < found.size(); ++at) {
      for (const InstructionId user : UsersOf(found[at])) {
        if (opcode(user) == Opcode::kDynamicSlice || IsView(opcode(user))) found.push_back(user);
      }
    }
    return found;
  }

 private:
  Opcode opcode(InstructionId id) const { return module_.instruction(id).opcode; }

  absl::Span<const InstructionId> UsersOf(InstructionId id) const {
    const auto of = users_.find(id);
    return of == users_.end() ? absl::Span<const InstructionId>() : of->second;
  }

  void ReadUses(size_t k, InstructionId next, LoopValue* value) const {
    bool is_filled = !value->is_invariant, is_narrowed = value->is_invariant, is_read = false;
    double width = 0;
    for (const InstructionId element : elements_[k]) {
      for (const InstructionId user : UsersOf(element)) {
        const bool hands_on = user == body_.root;
        const bool is_first = module_.operands(user)[0] == element;
        const bool is_slice = opcode(user) == Opcode::kDynamicSlice && is_first;
        const bool is_update = opcode(user) == Opcode::kDynamicUpdateSlice && is_first;
        const bool is_table = opcode(user) == Opcode::kScatter && is_first;
        const LoopValue* handed = HandedTo(user, element);
        value->is_stack |=
            is_slice || is_update || is_table || (handed != nullptr && handed->is_stack);
        is_filled = is_filled && is_update && user == next && IsInOrder(user);
        if (hands_on) continue;
        is_read = true;
        const double narrower = is_slice            ? NarrowerWidth(user)
                                : handed != nullptr ? handed->width
                                                    : 0;
        is_narrowed = is_narrowed && narrower > 0 && (width == 0 || width == narrower);
        width = narrower;
      }
    }
    value->begins_empty = is_filled && is_read;
    value->width = is_narrowed && is_read ? width : 0;
  }

  // What a tuple hands to a loop inside, where nobody else reads the tuple.
  void AddHanded(InstructionId loop) {
    if (opcode(loop) != Opcode::kWhile || inner_.Of(loop) == nullptr) return;
    const InstructionId tuple = module_.operands(loop)[0];
    if (opcode(tuple) != Opcode::kTuple || UsersOf(tuple).size() != 1) return;
    const std::vector<LoopValue>& values = *inner_.Of(loop);
    const auto operands = module_.operands(tuple);
    for (size_t k = 0; k < values.size() && k < operands.size(); ++k) {
      handed_.try_emplace({tuple, operands[k]}, &values[k]);
    }
  }

  // Of a loop inside to which a tuple hands an element; else null.
  const LoopValue* HandedTo(InstructionId tuple, InstructionId element) const {
    const auto handed = handed_.find({tuple, element});
    return handed == handed_.end() ? nullptr : handed->second;
  }

  // The slices of an update are those of a counter: each trip fills the next one.
  bool IsInOrder(InstructionId update) const {
    const auto operands = module_.operands(update);
    return absl::c_any_of(operands.subspan(2), [&](InstructionId index) {
      return opcode(index) == Opcode::kGetTupleElement &&
             module_.operands(index)[0] == body_.parameters[0];
    });
  }

  // Of what a slice is converted to by all that reads it; 0 for any other use.
  double NarrowerWidth(InstructionId slice) const {
    double width = 0;
    std::vector<InstructionId> work = {slice};
    for (size_t k = 0; k < work.size() && k < kMaxSteps; ++k) {
      if (work[k] == body_.root) return 0;
      for (const InstructionId user : UsersOf(work[k])) {
        if (IsView(opcode(user))) {
          work.push_back(user);
          continue;
        }
        const layout::Shape& to = module_.shape(user);
        if (opcode(user) != Opcode::kConvert || !layout::IsFloat(to.element_type())) return 0;
        const double narrower = ElementWidth(to);
        if (narrower >= ElementWidth(module_.shape(slice))) return 0;
        if (width != 0 && width != narrower) return 0;
        width = narrower;
      }
    }
    return width;
  }

  const hlo::Module& module_;
  const LoopValues& inner_;
  const hlo::Computation& body_;
  const hlo::UserMap users_;
  std::vector<std::vector<InstructionId>> elements_;
  absl::flat_hash_map<std::pair<InstructionId, InstructionId>, const LoopValue*> handed_;
};

}  // namespace

LoopValues::LoopValues(const hlo::Module& module, bool compiler_changes_them)
    : module_(module), compiler_changes_them_(compiler_changes_them) {
  std::vector<InstructionId> loops;
  for (const hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    for (const InstructionId id : module.computation(c).instructions) {
      if (module.instruction(id).opcode != Opcode::kWhile || module.operands(id).empty()) continue;
      AddLoop(id);
      loops.push_back(id);
    }
  }
  if (!compiler_changes_them) return;
  for (const InstructionId loop : loops) {
    for (const LoopValue& value : values_[loop]) {
      if (value.start == hlo::kNoId) continue;
      if (value.begins_empty || BroadcastAt(value) != hlo::kNoId) unwritten_.insert(value.start);
      if (value.width > 0) AddConverted(value);
    }
  }
  absl::c_stable_sort(converted_, [&](const ConvertedStack& a, const ConvertedStack& b) {
    return module.instruction(a.stack).computation < module.instruction(b.stack).computation;
  });
}

void LoopValues::AddLoop(InstructionId loop) {
  const InstructionId start = module_.operands(loop)[0];
  Values values(module_.shape(loop).is_tuple() ? module_.shape(loop).tuple_elements().size() : 0);
  if (module_.instruction(start).opcode == Opcode::kTuple) {
    const auto starts = module_.operands(start);
    for (size_t k = 0; k < values.size() && k < starts.size(); ++k) values[k].start = starts[k];
  }
  LoopReader reader(module_, *this, loop);
  reader.Read(&values);
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k].width == 0 || !compiler_changes_them_) continue;
    for (const InstructionId id : reader.SlicesOf(k)) widths_[id] = values[k].width;
  }
  const hlo::Computation& body = module_.computation(module_.called(loop)[0]);
  for (const InstructionId parameter : body.parameters) loops_[parameter] = loop;
  loops_[loop] = loop;
  loops_[body.root] = loop;
  values_[loop] = std::move(values);
}

void LoopValues::AddConverted(const LoopValue& value) {
  const LoopValue* outer = Find(value.start);
  if (outer != nullptr && outer->width > 0) return;
  if (!known_conversions_.emplace(value.start, value.width).second) return;
  converted_.push_back({value.start, value.width});
}

absl::Span<const ConvertedStack> LoopValues::ConvertedIn(hlo::ComputationId c) const {
  const auto computation = [this](const ConvertedStack& stack) {
    return module_.instruction(stack.stack).computation;
  };
  const auto begin =
      std::partition_point(converted_.begin(), converted_.end(),
                           [&](const ConvertedStack& stack) { return computation(stack) < c; });
  const auto end = std::partition_point(begin, converted_.end(), [&](const ConvertedStack& stack) {
    return computation(stack) == c;
  });
  return absl::MakeSpan(converted_).subspan(begin - converted_.begin(), end - begin);
}

const LoopValue* LoopValues::Find(InstructionId element) const {
  if (module_.instruction(element).opcode != Opcode::kGetTupleElement) return nullptr;
  const auto loop = loops_.find(module_.operands(element)[0]);
  if (loop == loops_.end()) return nullptr;
  const Values& values = values_.at(loop->second);
  const int64_t index = hlo::GetTupleIndex(module_, element);
  return index >= 0 && index < static_cast<int64_t>(values.size()) ? &values[index] : nullptr;
}

const std::vector<LoopValue>* LoopValues::Of(InstructionId id) const {
  const auto loop = loops_.find(id);
  return loop == loops_.end() ? nullptr : &values_.at(loop->second);
}

InstructionId LoopValues::Origin(InstructionId id) const {
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const LoopValue* value = Find(id);
    if (value != nullptr && value->is_invariant && value->start != hlo::kNoId) {
      id = value->start;
    } else if (IsView(module_.instruction(id).opcode)) {
      id = module_.operands(id)[0];
    } else {
      break;
    }
  }
  return id;
}

InstructionId LoopValues::BroadcastAt(const LoopValue& value) const {
  const bool is_handed_on = value.is_invariant && value.start != hlo::kNoId;
  if (!is_handed_on || !compiler_changes_them_) return hlo::kNoId;
  const InstructionId origin = Origin(value.start);
  const bool is_broadcast =
      module_.instruction(origin).opcode == Opcode::kBroadcast &&
      Elements(module_.shape(module_.operands(origin)[0])) < Elements(module_.shape(origin));
  return is_broadcast ? origin : hlo::kNoId;
}

InstructionId LoopValues::Broadcast(InstructionId element) const {
  const LoopValue* value = Find(element);
  return value == nullptr ? hlo::kNoId : BroadcastAt(*value);
}

double LoopValues::WidthOf(InstructionId id) const {
  const auto width = widths_.find(id);
  return width == widths_.end() ? 0 : width->second;
}

}  // namespace tessera::target
