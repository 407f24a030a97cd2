#include "tessera/target/buffers/tuple_tables.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/target/union_find.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int64_t kPointer = 8;

int64_t BytesOf(const layout::Shape& tuple) {
  return kPointer * static_cast<int64_t>(tuple.tuple_elements().size());
}

// The instruction that makes a table stands for it.
class Tables {
 public:
  Tables(const hlo::Module& module, const LiveValues& values)
      : module_(module),
        values_(values),
        table_(module.num_instructions(), hlo::kNoId),
        parent_(module.num_instructions()) {
    std::iota(parent_.begin(), parent_.end(), InstructionId{0});
  }

  // In the order in which all runs, operands and what is called come first.
  std::vector<int64_t> Run() {
    for (const InstructionId id : values_.steps) {
      if (module_.shape(id).is_tuple()) table_[id] = TableOf(id);
    }
    absl::flat_hash_set<InstructionId> counted = {Find(table_[module_.entry().root])};
    for (const InstructionId id : values_.steps) {
      if (table_[id] == hlo::kNoId || !counted.insert(Find(table_[id])).second) continue;
      bytes_.push_back(BytesOf(module_.shape(id)));
    }
    absl::c_sort(bytes_, std::greater<>());
    return std::move(bytes_);
  }

 private:
  InstructionId TableOf(InstructionId id) {
    switch (module_.instruction(id).opcode) {
      case Opcode::kGetTupleElement:
        return hlo::kNoId;  // a part of what makes the tuple around it
      case Opcode::kParameter:
        return GivenTo(id);
      case Opcode::kWhile:
        return OneOf(module_.operands(id)[0], id, /*count=*/1);
      case Opcode::kCall:
      case Opcode::kConditional:
        return OneOf(RootOf(id, 0), id, module_.called(id).size());
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
        return table_[module_.operands(id)[0]];
      default:
        return Made(id);
    }
  }

  InstructionId RootOf(InstructionId id, size_t k) const {
    return module_.computation(module_.called(id)[k]).root;
  }

  // The table of `first`, which those of the first computations called share.
  InstructionId OneOf(InstructionId first, InstructionId id, size_t count) {
    for (size_t k = 0; k < count; ++k) Join(table_[first], table_[RootOf(id, k)]);
    return table_[first];
  }

  InstructionId GivenTo(InstructionId parameter) const {
    const hlo::Instruction& i = module_.instruction(parameter);
    const InstructionId caller = values_.callers[i.computation];
    if (caller == hlo::kNoId) return hlo::kNoId;
    size_t operand = i.parameter_number;
    if (module_.instruction(caller).opcode == Opcode::kConditional) {
      const auto branches = module_.called(caller);
      operand = 1 + (absl::c_find(branches, i.computation) - branches.begin());
    }
    return operand < module_.operands(caller).size() ? table_[module_.operands(caller)[operand]]
                                                     : hlo::kNoId;
  }

  InstructionId Made(InstructionId id) {
    if (module_.instruction(id).opcode != Opcode::kTuple) AddInner(module_.shape(id));
    return id;
  }

  void AddInner(const layout::Shape& tuple) {
    for (const layout::Shape& element : tuple.tuple_elements()) {
      if (!element.is_tuple()) continue;
      bytes_.push_back(BytesOf(element));
      AddInner(element);
    }
  }

  InstructionId Find(InstructionId id) {
    return id == hlo::kNoId ? id : target::RootOf(id, &parent_);
  }

  void Join(InstructionId a, InstructionId b) {
    a = Find(a);
    b = Find(b);
    if (a != hlo::kNoId && b != hlo::kNoId) parent_[std::max(a, b)] = std::min(a, b);
  }

  const hlo::Module& module_;
  const LiveValues& values_;
  std::vector<InstructionId> table_;   // by InstructionId: what made it; kNoId without one
  std::vector<InstructionId> parent_;  // by InstructionId: a table that is the same; first itself
  std::vector<int64_t> bytes_;
};

}  // namespace

std::vector<int64_t> TablesOf(const hlo::Module& module, const LiveValues& values) {
  return Tables(module, values).Run();
}

}  // namespace tessera::target
