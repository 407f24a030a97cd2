// The effect of a transpose or reshape on the leaves of a tree of elementwise operations
// (rearranged_tree.cc).

#ifndef TESSERA_TARGET_SIMPLIFY_REDUCTIONS_MOVES_H_
#define TESSERA_TARGET_SIMPLIFY_REDUCTIONS_MOVES_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {

// The effect of a transpose or reshape on broadcasts and iotas of the sizes of its operand.
class Move {
 public:
  virtual ~Move() = default;

  // Whether a broadcast to these dimensions goes after it: not where the move takes them apart.
  virtual bool MovesBroadcast(const IntList& dimensions) const = 0;
  // Where the dimensions of its operand go, in their order there, and in which order they are now. Before
  // they go, the operand is broadcast to `filled`. Its own dimensions are `kept` there, so that each part of
  // a reshape is there as a whole.
  struct Places {
    IntList order, filled, kept, sizes, places;
  };
  virtual Places OfBroadcast(const IntList& dimensions) const = 0;
  virtual std::optional<int64_t> OfIota(int64_t dimension) const = 0;
  // Where the dimension of a concatenate goes whose operands have this size; 0: they have different ones. Nothing where
  // it stays in front of the move.
  virtual std::optional<int64_t> OfConcatenate(int64_t dimension, int64_t each) const = 0;
  // Whether it goes after results of this kind in the first round, and their replacement.
  virtual bool GoesThrough(Opcode opcode) const = 0;
  virtual InstructionId Of(DeviceProgram& program, InstructionId x) const = 0;
  // Whether it undoes a reshape of an array of this shape.
  virtual bool Undoes(const layout::Shape& reshaped) const = 0;
};

class Transposition : public Move {
 public:
  Transposition(const layout::Shape& from, const IntList& order)
      : from_(from), order_(order), place_(order) {
    for (size_t k = 0; k < order.size(); ++k)
      place_[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  }

  bool MovesBroadcast(const IntList&) const override { return true; }
  Places OfBroadcast(const IntList& dimensions) const override {
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
    found.filled = found.sizes;
    return found;
  }

  std::optional<int64_t> OfIota(int64_t dimension) const override {
    return place_[static_cast<size_t>(dimension)];
  }

  std::optional<int64_t> OfConcatenate(int64_t, int64_t) const override { return std::nullopt; }
  bool GoesThrough(Opcode opcode) const override {
    return opcode == Opcode::kTranspose || opcode == Opcode::kDot;
  }
  InstructionId Of(DeviceProgram& program, InstructionId x) const override {
    return TransposeTo(program, x, order_);
  }
  bool Undoes(const layout::Shape&) const override { return false; }

 private:
  const layout::Shape& from_;
  const IntList order_;
  IntList place_;  // where each dimension goes
};

class Reshaping : public Move {
 public:
  // Of arrays with elements.
  Reshaping(const layout::Shape& from, const layout::Shape& to) : from_(from), to_(to) {}

  bool MovesBroadcast(const IntList& dimensions) const override {
    return absl::c_is_sorted(dimensions);
  }
  Places OfBroadcast(const IntList& dimensions) const override {
    Places found;
    found.order.resize(dimensions.size());
    std::iota(found.order.begin(), found.order.end(), 0);
    for (const ReshapePart& part : Parts()) {
      if (absl::c_none_of(dimensions,
                          [&](int64_t d) { return d >= part.from && d < part.from_end; })) {
        continue;
      }
      for (int64_t d = part.from; d < part.from_end; ++d) {
        if (absl::c_linear_search(dimensions, d)) {
          found.kept.push_back(static_cast<int64_t>(found.filled.size()));
        }
        found.filled.push_back(from_.dim(d));
      }
      for (int64_t d = part.to; d < part.to_end; ++d) {
        found.places.push_back(d);
        found.sizes.push_back(to_.dim(d));
      }
    }
    return found;
  }

  std::optional<int64_t> OfIota(int64_t dimension) const override {
    for (const ReshapePart& part : Parts()) {
      if (dimension < part.from || dimension >= part.from_end) continue;
      const bool stays = part.from_end - part.from == 1 && part.to_end - part.to == 1;
      return stays ? std::optional<int64_t>(part.to) : std::nullopt;
    }
    return std::nullopt;
  }

  // Of the last dimension also where it is split between operands of one size: so it is in 22 probes.
  std::optional<int64_t> OfConcatenate(int64_t dimension, int64_t each) const override {
    const std::optional<int64_t> kept = OfIota(dimension);
    if (kept.has_value() || each == 0 || dimension + 1 != from_.rank()) return kept;
    for (const ReshapePart& part : Parts()) {
      if (part.from != dimension || part.to == part.to_end) continue;
      const int64_t row = from_.dim(dimension) / to_.dim(part.to);
      if (each % row == 0) return part.to;
    }
    return std::nullopt;
  }

  bool GoesThrough(Opcode opcode) const override {
    return opcode == Opcode::kGather || opcode == Opcode::kReduce;
  }
  InstructionId Of(DeviceProgram& program, InstructionId x) const override {
    return ReshapeTo(program, x, Resized(program.shape(x), to_.dims()));
  }

  bool Undoes(const layout::Shape& reshaped) const override {
    return reshaped.dims() == to_.dims();
  }

 private:
  // Few trees ask for them: most cannot move.
  std::vector<ReshapePart> Parts() const { return *PartsOfReshape(from_, to_); }

  const layout::Shape& from_;
  const layout::Shape& to_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_REDUCTIONS_MOVES_H_
