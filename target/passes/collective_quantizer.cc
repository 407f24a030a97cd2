// collective-quantizer: an array that is only moved is moved in the narrower of its two types.
//
//   all-gather(convert(x: bf16) to f32)          ->  convert(all-gather(x: bf16)) to f32
//   convert(all-gather(x: f32)) to bf16          ->  all-gather(convert(x) to bf16)
//
// Of all-gathers, all-to-alls, collective-permutes and collective-broadcasts of one array. Between
// the convert and the collective may stand reshapes, slices, copies and bitcasts. They are done on
// the narrow array, on the same side of the collective as before. What widens in front is looked for
// first; what narrows after counts only if nothing else reads the collective, nor what stands
// between, nor several instructions the convert. A collective that something else reads too stays
// beside the new one.
//
// Not modelled: products and quotients with a scale that all devices share.

#include <optional>
#include <vector>

#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

constexpr char kCollectiveQuantizer[] = "collective-quantizer";

// A convert, and what stands between it and the collective, from operand to user.
struct Conversion {
  InstructionId convert = kNoId;
  std::vector<InstructionId> between;
};

class Quantizer {
 public:
  explicit Quantizer(Context* context) : context_(*context), program_(context->program) {}

  void Run(InstructionId collective) {
    if (auto widening = FindInFront(program_.operand(collective, 0)); widening.has_value()) {
      MoveInFront(collective, *widening);
    } else if (auto narrowing = FindAfter(program_.OnlyUser(collective)); narrowing.has_value()) {
      MoveAfter(collective, *narrowing);
    }
  }

 private:
  bool IsPassive(InstructionId id) const {
    switch (program_.opcode(id)) {
      case Opcode::kBitcast:
        return TypeOf(id) == TypeOf(program_.operand(id, 0));
      case Opcode::kCopy:
      case Opcode::kReshape:
      case Opcode::kSlice:
        return true;
      default:
        return false;
    }
  }

  layout::ElementType TypeOf(InstructionId id) const { return program_.shape(id).element_type(); }

  // Of the result minus that of the operand.
  int BytesMore(InstructionId convert) const {
    return static_cast<int>(layout::ByteWidth(TypeOf(convert))) -
           static_cast<int>(layout::ByteWidth(TypeOf(program_.operand(convert, 0))));
  }

  std::optional<Conversion> FindInFront(InstructionId id) const {
    Conversion found;
    for (; IsPassive(id); id = program_.operand(id, 0)) {
      found.between.insert(found.between.begin(), id);
    }
    if (program_.opcode(id) != Opcode::kConvert || BytesMore(id) <= 0) return std::nullopt;
    found.convert = id;
    return found;
  }

  std::optional<Conversion> FindAfter(InstructionId id) const {
    Conversion found;
    for (; id != kNoId && IsPassive(id); id = program_.OnlyUser(id)) found.between.push_back(id);
    if (id == kNoId || program_.opcode(id) != Opcode::kConvert || BytesMore(id) >= 0) {
      return std::nullopt;
    }
    if (program_.HasUsers(id) && program_.OnlyUser(id) == kNoId) return std::nullopt;
    found.convert = id;
    return found;
  }

  // The same ones, on an array of another type.
  InstructionId Redo(InstructionId operand, const std::vector<InstructionId>& steps) {
    for (const InstructionId step : steps) {
      operand = program_.Clone(step, {operand}, Retyped(program_.shape(step), TypeOf(operand)));
    }
    return operand;
  }

  InstructionId Move(InstructionId collective, InstructionId operand) {
    const InstructionId moved =
        program_.Clone(collective, {operand}, Retyped(program_.shape(collective), TypeOf(operand)));
    context_.origins.Set(kCollectiveQuantizer, program_, moved, {collective});
    return moved;
  }

  void MoveInFront(InstructionId collective, const Conversion& widening) {
    const layout::ElementType wide = TypeOf(widening.convert);
    const InstructionId narrow = Redo(program_.operand(widening.convert, 0), widening.between);
    const InstructionId moved = Move(collective, narrow);
    program_.ReplaceUses(collective, AddConvert(program_, moved, wide));
  }

  void MoveAfter(InstructionId collective, const Conversion& narrowing) {
    const InstructionId narrow =
        AddConvert(program_, program_.operand(collective, 0), TypeOf(narrowing.convert));
    const InstructionId moved = Redo(Move(collective, narrow), narrowing.between);
    program_.ReplaceUses(narrowing.convert, moved);
  }

  Context& context_;
  DeviceProgram& program_;
};

bool IsQuantized(const DeviceProgram& program, InstructionId id) {
  switch (program.opcode(id)) {
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
      return program.operands(id).size() == 1 && program.shape(id).is_array() &&
             !program.IsPinned(id);
    default:
      return false;
  }
}

}  // namespace

absl::Status QuantizeCollectives(Context& context) {
  DeviceProgram& program = context.program;
  Quantizer quantizer(&context);
  for (const InstructionId id : AllInstructions(program)) {
    if (IsQuantized(program, id)) quantizer.Run(id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
