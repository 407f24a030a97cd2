// dot-merger: products of one operand become one product.
//
//   a = f32[8,4] dot(x, v)           c = f32[64,6] concatenate(v, w), dimensions={1}
//   b = f32[8,2] dot(x, w)      ->   d = f32[8,6] dot(x, c),   and a and b are slices of it
//
// Also if one has x on the left and the other on the right, maybe as rows and as columns of one array. Then x is on the
// right. Rows that were several dimensions before a reshape are so again when the results are cut. Result and other
// operand of one product have at most 64 MiB, those of the other at most 16 times as much. Neither may need the other's
// result. An operand whose size is a multiple of a higher power of two comes first, then the larger one. The limits and
// the order were found from outside (jax-cuda12-plugin 0.12.0.1).
//
// Cost: for each product of an operand, what lies between it and the others; and their pairs. Tested by
// dot_merger_test.cc.

#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/dot_pairs.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/heights.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

layout::Shape WithSize(const layout::Shape& shape, int64_t d, int64_t size) {
  IntList sizes(shape.dims().begin(), shape.dims().end());
  sizes[d] = size;
  return Resized(shape, sizes);
}

class Merger {
 public:
  Merger(DeviceProgram& program, ComputationId c)
      : program_(program), c_(c), heights_(program, c) {}

  void Run() {
    const std::vector<InstructionId> order = program_.PostOrder(c_);
    absl::flat_hash_map<InstructionId, size_t> places;
    for (size_t k = 0; k < order.size(); ++k) places[order[k]] = k;
    absl::btree_map<size_t, std::vector<InstructionId>> dots;  // by the place of an operand
    for (const InstructionId id : order) {
      if (!IsReplaceableDot(program_, id)) continue;
      for (const InstructionId operand : program_.operands(id)) {
        std::vector<InstructionId>& row = dots[places[SourceOf(program_, operand)]];
        if (row.empty() || row.back() != id) row.push_back(id);
      }
    }
    for (auto& [operand, row] : dots) MergeRow(row);
    for (const auto& [dot, parts] : results_) JoinReshapes(parts);
  }

 private:
  void MergeRow(std::vector<InstructionId>& row) {
    for (size_t a = 0; a < row.size(); ++a) {
      if (a + 1 < row.size() && !program_.IsRemoved(row[a])) heights_.MarkBeside(row[a], row);
      for (size_t b = a + 1; b < row.size(); ++b) {
        if (program_.IsRemoved(row[a])) break;
        if (program_.IsRemoved(row[b])) continue;
        const InstructionId merged = TryMerge(row[a], row[b]);
        if (merged == kNoId) continue;
        row[a] = merged;
        heights_.MarkBeside(merged, row);
      }
    }
  }

  // After MarkBeside(a).
  InstructionId TryMerge(InstructionId a, InstructionId b) {
    if (!HaveEqualPrecision(program_, a, b) || heights_.IsMarked(b)) return kNoId;
    for (const size_t shared : {size_t{0}, size_t{1}}) {
      if (!ShareSide(program_, a, b, shared)) continue;
      const bool turns = SortKey(program_, b, 1 - shared) > SortKey(program_, a, 1 - shared);
      const Member one = {a, shared}, other = {b, shared};
      return turns ? Merge(other, one, shared) : Merge(one, other, shared);
    }
    for (const size_t of_a : {size_t{0}, size_t{1}}) {
      if (!(of_a == 0 ? ShareAcross(program_, a, b) : ShareAcross(program_, b, a))) continue;
      const Member one = {a, of_a}, other = {b, 1 - of_a};
      return SortKey(program_, b, of_a) > SortKey(program_, a, 1 - of_a) ? Merge(other, one, 1)
                                                                         : Merge(one, other, 1);
    }
    return kNoId;
  }

  // A product, and its operand that both share.
  struct Member {
    InstructionId dot = kNoId;
    size_t shared = 0;
  };

  // Operand k of `dot` with its dimensions as `like` numbers those of an operand.
  InstructionId Ordered(InstructionId dot, size_t k, const DotSide& like) {
    const DotParts parts = PartsOf(program_, dot);
    const DotSide& side = SideOf(parts, k);
    IntList order(program_.shape(program_.operand(dot, k)).rank());
    const auto place = [&](const IntList& from, const IntList& to) {
      for (size_t d = 0; d < from.size(); ++d) order[to[d]] = from[d];
    };
    place(side.batch, like.batch);
    place(side.contracting, like.contracting);
    place(side.free, like.free);
    return TransposeTo(program_, program_.operand(dot, k), order);
  }

  // The shared operand on side `side`, as it is where it was not transposed.
  InstructionId SharedOf(const Member& a, const Member& b, DotSide* side) {
    const InstructionId of_a = program_.operand(a.dot, a.shared);
    const InstructionId of_b = program_.operand(b.dot, b.shared);
    const Member& from = of_a != of_b && IsTransposed(program_, of_a, of_b) ? b : a;
    *side = SideOf(PartsOf(program_, from.dot), from.shared);
    return program_.operand(from.dot, from.shared);
  }

  // Of the result of a product: batch dimensions, those of the left side, those of the right side.
  int64_t CutOf(InstructionId dot, size_t shared) const {
    if (shared == 0) return program_.shape(dot).rank() - 1;
    return static_cast<int64_t>(PartsOf(program_, dot).left.batch.size());
  }

  // One product with what they share on side `shared`. Of `a`, the other operand stands in front.
  InstructionId Merge(const Member& a, const Member& b, size_t shared) {
    DotParts parts;
    DotSide& side = shared == 0 ? parts.left : parts.right;
    DotSide& of_both = shared == 0 ? parts.right : parts.left;
    const InstructionId x = SharedOf(a, b, &side);
    of_both = SideOf(PartsOf(program_, a.dot), 1 - a.shared);
    const InstructionId both =
        Concatenated(a.dot, 1 - a.shared, of_both.free[0], b.dot, 1 - b.shared, of_both);
    layout::Shape shape = program_.shape(a.dot);
    if (shared != a.shared) shape = Resized(shape, {shape.dim(1), shape.dim(0)});
    const int64_t d = shared == 0 ? shape.rank() - 1 : static_cast<int64_t>(side.batch.size());
    const InstructionId dot =
        CloneDot(program_, a.dot, shared == 0 ? x : both, shared == 0 ? both : x, parts,
                 WithSize(shape, d, program_.shape(both).dim(of_both.free[0])));
    added_ = {both, dot};
    absl::c_copy(program_.operands(both), std::back_inserter(added_));
    const Rows rows = RowsOf(dot, x, side, shared, d);
    std::vector<Part> made;
    int64_t end = 0;
    for (const Member* const member : {&a, &b}) {
      const int64_t cut = CutOf(member->dot, member->shared);
      const int64_t size = program_.shape(member->dot).dim(cut);
      for (const Part& part : PartsOfResult(member->dot, cut)) {
        made.push_back(Replace(part, rows, d, end, member->shared != shared));
      }
      end += size;
    }
    program_.RemoveDead(a.dot);
    program_.RemoveDead(b.dot);
    heights_.Raise(added_);
    results_[dot] = std::move(made);
    return dot;
  }

  // The source of one result: a product, or a slice of a merged one.
  struct Part {
    InstructionId id = kNoId;
    int64_t begin = 0, end = 0;
  };

  std::vector<Part> PartsOfResult(InstructionId dot, int64_t dimension) const {
    const auto found = results_.find(dot);
    if (found != results_.end()) return found->second;
    return {{dot, 0, program_.shape(dot).dim(dimension)}};
  }

  // As simplification-2 does after the pass.
  void JoinReshapes(const std::vector<Part>& parts) {
    for (const Part& part : parts) {
      if (program_.IsRemoved(part.id) || program_.opcode(part.id) != Opcode::kReshape) continue;
      const InstructionId slice = program_.operand(part.id, 0);
      for (const InstructionId user : program_.Users(part.id)) {
        if (program_.opcode(user) == Opcode::kReshape) program_.SetOperand(user, 0, slice);
      }
      program_.RemoveDead(part.id);
    }
  }

  // The result of a merged product, with the rows of `x` as they were before a reshape made them one dimension.
  struct Rows {
    InstructionId id = kNoId;
    int64_t dimension = 0;  // along which it is cut
  };

  Rows RowsOf(InstructionId dot, InstructionId x, const DotSide& side, size_t shared, int64_t d) {
    const bool is_matrix =
        side.batch.empty() && side.free.size() == 1 && side.contracting.size() == 1;
    if (!is_matrix || program_.opcode(x) != Opcode::kReshape) return {dot, d};
    const auto before = program_.shape(program_.operand(x, 0)).dims();
    const size_t contracted = side.contracting[0] == 0 ? 0 : before.size() - 1;
    const bool is_kept =
        before.size() > 2 && before[contracted] == program_.shape(x).dim(side.contracting[0]);
    if (!is_kept) return {dot, d};
    IntList sizes(before.begin(), before.end());
    sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(contracted));
    const int64_t cut = shared == 0 ? static_cast<int64_t>(sizes.size()) : 0;
    sizes.insert(sizes.begin() + cut, program_.shape(dot).dim(d));
    added_.push_back(AddReshape(program_, dot, Resized(program_.shape(dot), sizes)));
    return {added_.back(), cut};
  }

  Part Replace(const Part& part, const Rows& rows, int64_t d, int64_t offset, bool is_transposed) {
    Part made = {
        SliceAlong(program_, rows.id, rows.dimension, offset + part.begin, offset + part.end),
        offset + part.begin, offset + part.end};
    added_.push_back(made.id);
    if (program_.opcode(rows.id) == Opcode::kReshape) {
      const layout::Shape& shape = program_.shape(program_.operand(rows.id, 0));
      made.id = AddReshape(program_, made.id, WithSize(shape, d, part.end - part.begin));
      added_.push_back(made.id);
    }
    if (is_transposed) added_.push_back(TransposeTo(program_, made.id, {1, 0}));
    program_.ReplaceUses(part.id, added_.back());
    program_.RemoveDead(part.id);
    return made;
  }

  // Operand k of `a`, and after it along a dimension operand `of_b` of `b`.
  InstructionId Concatenated(InstructionId a, size_t k, int64_t dimension, InstructionId b,
                             size_t of_b, const DotSide& like) {
    const InstructionId first = program_.operand(a, k), second = Ordered(b, of_b, like);
    std::vector<InstructionId> parts;
    for (const auto& [dot, operand] : {std::pair(a, first), std::pair(b, second)}) {
      const bool is_made =
          results_.contains(dot) && program_.opcode(operand) == Opcode::kConcatenate;
      const auto operands = program_.operands(operand);
      if (is_made) parts.insert(parts.end(), operands.begin(), operands.end());
      if (!is_made) parts.push_back(operand);
    }
    const int64_t size =
        program_.shape(first).dim(dimension) + program_.shape(second).dim(dimension);
    return AddConcatenate(program_, parts, WithSize(program_.shape(first), dimension, size),
                          dimension);
  }

  DeviceProgram& program_;
  const ComputationId c_;
  Heights heights_;
  absl::flat_hash_map<InstructionId, std::vector<Part>> results_;  // of merged products
  std::vector<InstructionId> added_;
};

bool HasTwoDots(const DeviceProgram& program, ComputationId c) {
  const auto& instructions = program.module().computation(c).instructions;
  return absl::c_count_if(instructions, [&](InstructionId id) {
           return !program.IsRemoved(id) && program.opcode(id) == Opcode::kDot;
         }) > 1;
}

}  // namespace

absl::Status MergeDots(Context& context) {
  for (const ComputationId c : context.program.Computations()) {
    if (HasTwoDots(context.program, c)) Merger(context.program, c).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
