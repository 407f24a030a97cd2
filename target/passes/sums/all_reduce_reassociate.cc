// all-reduce-reassociate: sums are added before devices exchange them, so that they do so once.
//
//   add(all-reduce(x), all-reduce(y))  ->  all-reduce(add(x, y))
//
// The operation is the reduction of both, which have the same groups and one user each. Between them
// and the operation may stand
//   - a dynamic-slice on each side, the same one: the sum of the whole arrays is reduced, then
//     sliced; a reduce-scatter is made of that later;
//   - reshapes, slices, converts, and pads with what adds nothing, of one user each. Converts right
//     on an all-reduce must keep values; then the wider type is reduced. On TPUs no converts.
// Nothing is done that makes devices exchange more elements than before. Instructions are looked at
// operands first, so that ((a + b) + c) becomes one all-reduce. On TPUs they are looked at again: sums over
// two axes, one after the other, both become one.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kAllReduceReassociate[] = "all-reduce-reassociate";

// Reductions of an all-reduce that XLA knows.
bool IsReduction(Opcode opcode) { return IsCommutative(opcode) && opcode != Opcode::kXor; }

// A pad with it adds nothing: 0 for sums; others the partitioner does not pad with.
bool IsIdentity(const DeviceProgram& program, InstructionId value, Opcode operation) {
  if (program.opcode(value) != Opcode::kConstant || operation != Opcode::kAdd) return false;
  const auto literal = hlo::ParseLiteral(program.module().LiteralText(value), program.shape(value));
  return literal.ok() && !literal->elided &&
         absl::c_all_of(literal->bits, [](uint64_t bits) { return bits == 0; });
}

// A value of the first type is the same in the second.
bool KeepsValues(layout::ElementType from, layout::ElementType to) {
  using layout::ElementType;
  if (from == to) return true;
  if (to == ElementType::kF64)
    return from == ElementType::kF32 || from == ElementType::kF16 || from == ElementType::kBf16;
  return to == ElementType::kF32 && (from == ElementType::kF16 || from == ElementType::kBf16);
}

// One side of the operation.
struct Side {
  InstructionId found = kNoId;  // the all-reduce, or a dynamic-slice of it
  InstructionId all_reduce = kNoId;
  InstructionId convert = kNoId;  // right between the all-reduce and the operation
  bool is_sliced() const { return found != all_reduce; }
};

class Reassociation {
 public:
  Reassociation(Context* context, InstructionId operation)
      : context_(*context), program_(context->program), operation_(operation) {}

  absl::StatusOr<bool> Run() {
    if (!program_.shape(operation_).is_array() || program_.IsPinned(operation_)) return false;
    const auto left = Look(program_.operand(operation_, 0));
    const auto right = Look(program_.operand(operation_, 1));
    if (!left.has_value() || !right.has_value()) return false;
    left_ = *left;
    right_ = *right;
    TESSERA_ASSIGN_OR_RETURN(const bool may, MayBeOne());
    if (!may) return false;
    if (left_.is_sliced()) {
      ReduceThenSlice();
    } else if (left_.convert != kNoId || right_.convert != kNoId) {
      ReduceWider();
    } else {
      ReduceInPlace();
    }
    return true;
  }

 private:
  bool IsGpu() const { return context_.target.chip->platform == Platform::kGpu; }

  bool HasOneUser(InstructionId id) const { return program_.OnlyUser(id) != kNoId; }

  std::optional<Side> Look(InstructionId id) const {
    Side side;
    side.found = id;
    if (!HasOneUser(id)) return std::nullopt;
    if (program_.opcode(id) == Opcode::kDynamicSlice) {
      side.all_reduce = program_.operand(id, 0);
      const bool is_sum =
          program_.opcode(side.all_reduce) == Opcode::kAllReduce && HasOneUser(side.all_reduce);
      return is_sum ? std::optional<Side>(side) : std::nullopt;
    }
    if (program_.opcode(id) == Opcode::kConvert &&
        program_.opcode(program_.operand(id, 0)) == Opcode::kAllReduce) {
      side.convert = id;
    }
    while (program_.opcode(id) != Opcode::kAllReduce) {
      if (!HasOneUser(id) || !IsLookedThrough(id)) return std::nullopt;
      id = program_.operand(id, 0);
    }
    if (!HasOneUser(id)) return std::nullopt;
    side.found = side.all_reduce = id;
    return side;
  }

  bool IsLookedThrough(InstructionId id) const {
    switch (program_.opcode(id)) {
      case Opcode::kReshape:
      case Opcode::kSlice:
        return true;
      case Opcode::kConvert:
        return IsGpu();
      case Opcode::kPad:
        return IsIdentity(program_, program_.operand(id, 1), program_.opcode(operation_));
      default:
        return false;
    }
  }

  absl::StatusOr<bool> MayBeOne() {
    if (left_.is_sliced() != right_.is_sliced()) return false;
    if (program_.operands(left_.all_reduce).size() != 1) return false;
    if (program_.operands(right_.all_reduce).size() != 1) return false;
    if (left_.is_sliced() && !SlicesAreTheSame()) return false;
    if (!IsProfitable() || !ConvertsFit()) return false;
    if (ReductionOf(program_, left_.all_reduce) != program_.opcode(operation_)) return false;
    if (program_.IsPinned(left_.all_reduce) || program_.IsPinned(right_.all_reduce)) return false;
    return ReduceAlike(context_, left_.all_reduce, right_.all_reduce);
  }

  bool SlicesAreTheSame() const {
    const auto a = program_.operands(left_.found), b = program_.operands(right_.found);
    return program_.module().shape_id(a[0]) == program_.module().shape_id(b[0]) &&
           program_.module().shape_id(left_.found) == program_.module().shape_id(right_.found) &&
           absl::c_equal(a.subspan(1), b.subspan(1));
  }

  bool IsProfitable() const {
    const auto elements = [&](InstructionId id) {
      return program_.shape(id).NumElements().value_or(0);
    };
    const int64_t before = left_.found == right_.found
                               ? elements(left_.found)
                               : elements(left_.found) + elements(right_.found);
    return before >= elements(operation_);
  }

  bool ConvertsFit() const {
    const auto type = [&](const Side& side) {
      return program_.shape(side.all_reduce).element_type();
    };
    const bool is_widened = left_.convert != kNoId || right_.convert != kNoId;
    if (!is_widened) return type(left_) == type(right_);
    if (!IsGpu() || !context_.flags.gpu_reassociation_for_converted_all_reduce) return false;
    const layout::ElementType wide = program_.shape(operation_).element_type();
    for (const Side* side : {&left_, &right_}) {
      if (side->convert != kNoId && !KeepsValues(type(*side), wide)) return false;
    }
    const bool both = left_.convert != kNoId && right_.convert != kNoId;
    return !both || type(left_) == type(right_);
  }

  // The all-reduces drop out where they stand; one follows the operation.
  void ReduceInPlace() {
    for (const Side& side : {left_, right_}) {
      program_.ReplaceUses(side.all_reduce, program_.operand(side.all_reduce, 0));
    }
    const InstructionId sum = AddSum(program_.shape(operation_));
    program_.ReplaceUses(operation_, sum);
    program_.SetOperand(sum, 0, operation_);
    RemoveBoth();
  }

  void ReduceWider() {
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < 2; ++k) {
      const Side& side = k == 0 ? left_ : right_;
      const InstructionId partial = program_.operand(side.all_reduce, 0);
      if (side.convert != kNoId) program_.SetOperand(side.convert, 0, partial);
      operands.push_back(side.convert != kNoId ? side.convert : partial);
    }
    const InstructionId added = program_.Clone(operation_, operands, program_.shape(operation_));
    const InstructionId sum = AddSum(program_.shape(operation_));
    program_.SetOperand(sum, 0, added);
    SetReducer(context_.program, sum, program_.opcode(operation_));
    program_.ReplaceUses(operation_, sum);
    program_.RemoveDead(operation_);
    RemoveBoth();
  }

  void ReduceThenSlice() {
    const layout::Shape whole = program_.shape(left_.all_reduce);
    const std::vector<InstructionId> partials = {program_.operand(left_.all_reduce, 0),
                                                 program_.operand(right_.all_reduce, 0)};
    const InstructionId added = program_.Clone(operation_, partials, whole);
    const InstructionId sum = AddSum(whole);
    program_.SetOperand(sum, 0, added);
    std::vector<InstructionId> operands(program_.operands(left_.found).begin(),
                                        program_.operands(left_.found).end());
    operands[0] = sum;
    const InstructionId slice = program_.Clone(left_.found, operands, program_.shape(operation_));
    program_.ReplaceUses(operation_, slice);
    program_.RemoveDead(operation_);
  }

  InstructionId AddSum(const layout::Shape& shape) {
    const InstructionId sum =
        program_.Add(program_.computation(operation_), Opcode::kAllReduce, "all-reduce", shape,
                     {program_.operand(left_.all_reduce, 0)});
    CopyCollectiveAttributes(context_, left_.all_reduce, sum);
    context_.origins.Set(kAllReduceReassociate, program_, sum,
                         {left_.all_reduce, right_.all_reduce});
    return sum;
  }

  void RemoveBoth() {
    program_.RemoveDead(left_.all_reduce);
    program_.RemoveDead(right_.all_reduce);
  }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId operation_;
  Side left_, right_;
};

}  // namespace

absl::Status ReassociateAllReduces(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.IsRemoved(id) || !IsReduction(program.opcode(id))) continue;
    bool is_changed = true;
    while (is_changed && !program.IsRemoved(id)) {
      TESSERA_ASSIGN_OR_RETURN(is_changed, Reassociation(&context, id).Run());
      is_changed &= context.target.chip->platform == Platform::kTpu;
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
