// transpose(select(compare(broadcast(x), iota), broadcast(y), 0))  ->  the same of transposed leaves
// reshape(convert(compare(broadcast(x[16,256,2]), iota)) of [16,256,2,8]) of [16,512,8]
//   ->  convert(compare(broadcast(reshape(x) of [16,512]), iota))
// reshape(multiply(reshape(x[8,64,1]) of [8,64], broadcast(y))) of [8,64,1]  ->  multiply(x, broadcast(y))
//
// On TPUs, where a few elementwise operations stand on nothing but broadcasts, iotas, constants and
// reshapes that are undone. Only the small operand of a broadcast moves, if anything. Other readers keep
// what they read, so that each reader may be cut in its own way. A reshape also goes in front of a
// concatenate whose dimension it keeps: each operand is reshaped.

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int kDeep = 4;

// What a transpose or a reshape does to broadcasts and iotas of the sizes of its operand.
class Move {
 public:
  virtual ~Move() = default;

  // Where the dimensions of a broadcast's operand go, in their order there, and in which order they are
  // now; nothing where the move takes them apart.
  struct Places {
    IntList order, sizes, places;
  };
  virtual std::optional<Places> OfBroadcast(const IntList& dimensions) const = 0;
  virtual std::optional<int64_t> OfIota(int64_t dimension) const = 0;
  // Where the dimension of a concatenate goes; nothing where it stays in front of the move.
  virtual std::optional<int64_t> OfConcatenate(int64_t dimension) const = 0;
  // Whether it undoes a reshape of an array of this shape.
  virtual bool Undoes(const layout::Shape& reshaped) const = 0;
};

class Transposition : public Move {
 public:
  Transposition(const layout::Shape& from, const IntList& order) : from_(from), place_(order) {
    for (size_t k = 0; k < order.size(); ++k)
      place_[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  }

  std::optional<Places> OfBroadcast(const IntList& dimensions) const override {
    Places found;
    found.order.resize(dimensions.size());
    std::iota(found.order.begin(), found.order.end(), 0);
    const auto place = [&](int64_t k) {
      return place_[static_cast<size_t>(dimensions[static_cast<size_t>(k)])];
    };
    absl::c_sort(found.order, [&](int64_t a, int64_t b) { return place(a) < place(b); });
    for (const int64_t k : found.order) {
      found.places.push_back(place(k));
      found.sizes.push_back(from_.dim(dimensions[static_cast<size_t>(k)]));
    }
    return found;
  }

  std::optional<int64_t> OfIota(int64_t dimension) const override {
    return place_[static_cast<size_t>(dimension)];
  }

  std::optional<int64_t> OfConcatenate(int64_t) const override { return std::nullopt; }
  bool Undoes(const layout::Shape&) const override { return false; }

 private:
  const layout::Shape& from_;
  IntList place_;  // where each dimension goes
};

class Reshaping : public Move {
 public:
  Reshaping(const layout::Shape& to, std::vector<ReshapePart> parts)
      : to_(to), parts_(std::move(parts)) {}

  // Each part is in the operand as a whole, or not at all.
  std::optional<Places> OfBroadcast(const IntList& dimensions) const override {
    if (!absl::c_is_sorted(dimensions)) return std::nullopt;
    Places found;
    found.order.resize(dimensions.size());
    std::iota(found.order.begin(), found.order.end(), 0);
    for (const ReshapePart& part : parts_) {
      const auto count = absl::c_count_if(
          dimensions, [&](int64_t d) { return d >= part.from && d < part.from_end; });
      if (count == 0) continue;
      if (count != part.from_end - part.from) return std::nullopt;
      for (int64_t d = part.to; d < part.to_end; ++d) {
        found.places.push_back(d);
        found.sizes.push_back(to_.dim(d));
      }
    }
    return found;
  }

  std::optional<int64_t> OfIota(int64_t dimension) const override {
    for (const ReshapePart& part : parts_) {
      if (dimension < part.from || dimension >= part.from_end) continue;
      const bool stays = part.from_end - part.from == 1 && part.to_end - part.to == 1;
      return stays ? std::optional<int64_t>(part.to) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<int64_t> OfConcatenate(int64_t dimension) const override {
    return OfIota(dimension);
  }

  bool Undoes(const layout::Shape& reshaped) const override {
    return reshaped.dims() == to_.dims();
  }

 private:
  const layout::Shape& to_;
  const std::vector<ReshapePart> parts_;
};

class Tree {
 public:
  Tree(DeviceProgram& program, const Move& move, const layout::Shape& to)
      : program_(program), move_(move), to_(to) {}

  // Whether all that `x` is computed of, a few steps back, are leaves that can move.
  bool CanMove(InstructionId x, int depth) const {
    if (program_.opcode(x) == Opcode::kIota) return move_.OfIota(Along(x)).has_value();
    if (program_.opcode(x) == Opcode::kBroadcast)
      return move_.OfBroadcast(DimensionsOf(program_, x)).has_value();
    if (program_.opcode(x) == Opcode::kConcatenate && depth > 0)
      return move_.OfConcatenate(DimensionsOf(program_, x)[0]).has_value();
    if (IsUndone(x)) return true;
    if (depth == kDeep || !sharding::rules::IsElementWiseOpcode(program_.opcode(x))) return false;
    if (program_.IsPinned(x) || program_.operands(x).empty()) return false;
    return absl::c_all_of(program_.operands(x), [&](InstructionId operand) {
      return program_.shape(operand).is_array() &&
             program_.shape(operand).dims() == program_.shape(x).dims() &&
             CanMove(operand, depth + 1);
    });
  }

  InstructionId Moved(InstructionId x) {
    const layout::Shape shape = Resized(program_.shape(x), to_.dims());
    if (program_.opcode(x) == Opcode::kIota) return MovedIota(x, shape);
    if (program_.opcode(x) == Opcode::kBroadcast) return MovedBroadcast(x, shape);
    if (program_.opcode(x) == Opcode::kConcatenate) return MovedConcatenate(x, shape);
    if (IsUndone(x)) return program_.operand(x, 0);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(x).size(); ++k)
      operands.push_back(Moved(program_.operand(x, k)));
    return program_.Clone(x, operands, shape);
  }

 private:
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
    const Move::Places places = *move_.OfBroadcast(DimensionsOf(program_, x));
    const InstructionId in_order = TransposeTo(program_, program_.operand(x, 0), places.order);
    const layout::Shape small = Resized(program_.shape(in_order), places.sizes);
    return AddBroadcast(program_, ReshapeTo(program_, in_order, small), shape, places.places);
  }

  InstructionId MovedConcatenate(InstructionId x, const layout::Shape& shape) {
    const int64_t from = DimensionsOf(program_, x)[0], to = *move_.OfConcatenate(from);
    std::vector<InstructionId> operands;
    for (size_t k = 0; k < program_.operands(x).size(); ++k) {
      const InstructionId operand = program_.operand(x, k);
      layout::Shape part = shape;
      part.set_dim(to, program_.shape(operand).dim(from));
      operands.push_back(ReshapeTo(program_, operand, part));
    }
    const InstructionId made = program_.Clone(x, operands, shape);
    program_.SetAttribute(made, AttributeName::kDimensions, absl::StrCat("{", to, "}"));
    return made;
  }

  DeviceProgram& program_;
  const Move& move_;
  const layout::Shape to_;
};

}  // namespace

InstructionId ReshapeLeaves(DeviceProgram& program, InstructionId x, const layout::Shape& to) {
  std::optional<std::vector<ReshapePart>> parts = PartsOfReshape(program.shape(x), to);
  if (!parts.has_value()) return kNoId;
  const Reshaping reshaping(to, *std::move(parts));
  Tree tree(program, reshaping, to);
  return tree.CanMove(x, 0) ? tree.Moved(x) : kNoId;
}

InstructionId RearrangeLeaves(DeviceProgram& program, InstructionId moved) {
  const InstructionId x = program.operand(moved, 0);
  if (program.opcode(moved) == Opcode::kReshape) {
    return ReshapeLeaves(program, x, program.shape(moved));
  }
  const layout::Shape from = program.shape(x);
  const Transposition transposition(from, DimensionsOf(program, moved));
  Tree tree(program, transposition, program.shape(moved));
  return tree.CanMove(x, 0) ? tree.Moved(x) : kNoId;
}

}  // namespace tessera::target
