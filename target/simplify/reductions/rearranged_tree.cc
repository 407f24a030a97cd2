// transpose(select(compare(broadcast(x), iota), broadcast(y), 0))  ->  the same of transposed leaves
// reshape(convert(compare(broadcast(x[16,256,2]), iota)) of [16,256,2,8]) of [16,512,8]
//   ->  convert(compare(broadcast(reshape(x) of [16,512]), iota))
// reshape(multiply(reshape(x[8,64,1]) of [8,64], broadcast(y))) of [8,64,1]  ->  multiply(x, broadcast(y))
//
// On TPUs, where a few elementwise operations stand on nothing but broadcasts, iotas, constants and
// reshapes that are undone. Only the small operand of a broadcast moves, if anything. Other readers keep
// what they read, so that each reader may be cut in its own way. A reshape also goes in front of a
// concatenate whose dimension it keeps, or splits between operands of one size: each operand is reshaped. In the first
// round it goes after gathers and reductions, too, and a transpose after products and to other transposes, with
// which it is one.

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/reductions/moves.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// Elementwise operations in a row; six were seen in the gradient of a softmax.
constexpr int kDeep = 8;

// Beside leaves, it may end at joined arrays, or at results of the first round.
enum class Reach { kLeaves, kJoined, kResults };

class Tree {
 public:
  Tree(DeviceProgram& program, const Move& move, const layout::Shape& to, Reach reach)
      : program_(program), move_(move), to_(to), reach_(reach) {}

  // Whether all that `x` is computed of, a few steps back, are leaves that can move.
  bool CanMove(InstructionId x, int depth) {
    if (can_move_.contains(x)) return true;
    if (!IsLeafOrTree(x, depth)) return false;
    can_move_.insert(x);
    return true;
  }

  InstructionId Moved(InstructionId x) {
    const auto found = moved_.find(x);
    if (found != moved_.end()) return found->second;
    return moved_[x] = Add(x);
  }

 private:
  bool IsLeafOrTree(InstructionId x, int depth) {
    if (program_.opcode(x) == Opcode::kIota) return move_.OfIota(Along(x)).has_value();
    if (program_.opcode(x) == Opcode::kBroadcast)
      return move_.MovesBroadcast(DimensionsOf(program_, x));
    if (program_.opcode(x) == Opcode::kConcatenate && depth > 0)
      return reach_ == Reach::kJoined || OfConcatenate(x).has_value();
    if (IsUndone(x) || (IsResult(x) && depth > 0)) return true;
    if (depth == kDeep || !sharding::rules::IsElementWiseOpcode(program_.opcode(x))) return false;
    if (program_.IsPinned(x) || program_.operands(x).empty()) return false;
    return absl::c_all_of(program_.operands(x), [&](InstructionId operand) {
      return program_.shape(operand).is_array() &&
             program_.shape(operand).dims() == program_.shape(x).dims() &&
             CanMove(operand, depth + 1);
    });
  }

  InstructionId Add(InstructionId x) {
    const layout::Shape shape = Resized(program_.shape(x), to_.dims());
    if (program_.opcode(x) == Opcode::kIota) return MovedIota(x, shape);
    if (program_.opcode(x) == Opcode::kBroadcast) return MovedBroadcast(x, shape);
    if (program_.opcode(x) == Opcode::kConcatenate)
      return OfConcatenate(x).has_value() ? MovedConcatenate(x, shape) : move_.Of(program_, x);
    if (IsUndone(x)) return program_.operand(x, 0);
    if (IsResult(x)) return move_.Of(program_, x);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(x).size(); ++k)
      operands.push_back(Moved(program_.operand(x, k)));
    return program_.Clone(x, operands, shape);
  }

  bool IsResult(InstructionId x) const {
    return reach_ == Reach::kResults && move_.GoesThrough(program_.opcode(x));
  }

  bool IsUndone(InstructionId x) const {
    return program_.opcode(x) == Opcode::kReshape &&
           move_.Undoes(program_.shape(program_.operand(x, 0)));
  }

  int64_t Along(InstructionId iota) const {
    return hlo::GetInt(program_.module(), iota, AttributeName::kIotaDimension).value_or(0);
  }

  InstructionId MovedIota(InstructionId x, const layout::Shape& shape) {
    const int64_t along = *move_.OfIota(Along(x));
    const InstructionId made =
        program_.Add(program_.computation(x), Opcode::kIota, "iota", shape, {});
    program_.SetAttribute(made, AttributeName::kIotaDimension, absl::StrCat(along));
    return made;
  }

  InstructionId MovedBroadcast(InstructionId x, const layout::Shape& shape) {
    const Move::Places places = move_.OfBroadcast(DimensionsOf(program_, x));
    InstructionId in_order = TransposeTo(program_, program_.operand(x, 0), places.order);
    if (places.filled.size() != places.order.size()) {
      const layout::Shape filled = Resized(program_.shape(in_order), places.filled);
      in_order = AddBroadcast(program_, in_order, filled, places.kept);
    }
    const layout::Shape small = Resized(program_.shape(in_order), places.sizes);
    return AddBroadcast(program_, ReshapeTo(program_, in_order, small), shape, places.places);
  }

  std::optional<int64_t> OfConcatenate(InstructionId x) const {
    const int64_t along = DimensionsOf(program_, x)[0];
    const auto size = [&](InstructionId operand) { return program_.shape(operand).dim(along); };
    const int64_t first = size(program_.operand(x, 0));
    const bool is_even = absl::c_all_of(
        program_.operands(x), [&](InstructionId operand) { return size(operand) == first; });
    return move_.OfConcatenate(along, is_even ? first : 0);
  }

  InstructionId MovedConcatenate(InstructionId x, const layout::Shape& shape) {
    const int64_t from = DimensionsOf(program_, x)[0], to = *OfConcatenate(x);
    const int64_t row = program_.shape(x).dim(from) / shape.dim(to);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(x).size(); ++k) {
      const InstructionId operand = program_.operand(x, k);
      layout::Shape part = shape;
      part.set_dim(to, program_.shape(operand).dim(from) / row);
      operands.push_back(ReshapeTo(program_, operand, part));
    }
    const InstructionId made = program_.Clone(x, operands, shape);
    program_.SetAttribute(made, AttributeName::kDimensions, absl::StrCat("{", to, "}"));
    return made;
  }

  DeviceProgram& program_;
  const Move& move_;
  const layout::Shape& to_;
  const Reach reach_;
  absl::flat_hash_set<InstructionId> can_move_;
  absl::flat_hash_map<InstructionId, InstructionId> moved_;
};

InstructionId Rearranged(DeviceProgram& program, const Move& move, InstructionId x,
                         const layout::Shape& to, Reach reach) {
  Tree tree(program, move, to, reach);
  return tree.CanMove(x, 0) ? tree.Moved(x) : kNoId;
}

InstructionId Reshaped(DeviceProgram& program, InstructionId x, const layout::Shape& to,
                       Reach reach) {
  const layout::Shape& from = program.shape(x);
  if (absl::c_linear_search(from.dims(), 0)) return kNoId;
  return Rearranged(program, Reshaping(from, to), x, to, reach);
}

InstructionId RearrangedBy(DeviceProgram& program, InstructionId moved, Reach reach) {
  const InstructionId x = program.operand(moved, 0);
  const layout::Shape &from = program.shape(x), &to = program.shape(moved);
  if (program.opcode(moved) == Opcode::kReshape) return Reshaped(program, x, to, reach);
  const Transposition transposition(from, DimensionsOf(program, moved));
  return Rearranged(program, transposition, x, to, reach);
}

}  // namespace

InstructionId ReshapeLeaves(DeviceProgram& program, InstructionId x, const layout::Shape& to) {
  return Reshaped(program, x, to, Reach::kJoined);
}

InstructionId RearrangeLeaves(DeviceProgram& program, InstructionId moved) {
  return RearrangedBy(program, moved, Reach::kLeaves);
}

InstructionId RearrangeToResults(DeviceProgram& program, InstructionId moved) {
  return RearrangedBy(program, moved, Reach::kResults);
}

}  // namespace tessera::target
