#include "tessera/target/gpu/dot_merger.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/heights.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr int64_t kMostBytes = int64_t{64} << 20;
constexpr int64_t kMostTimes = 16;

class Merger {
 public:
  Merger(DeviceProgram& program, ComputationId c)
      : program_(program), c_(c), heights_(program, c) {}

  void Run() {
    absl::btree_map<InstructionId, std::vector<InstructionId>> dots;  // by operand
    for (const InstructionId id : program_.module().computation(c_).instructions) {
      if (!IsReplaceableDot(program_, id)) continue;
      for (const InstructionId operand : program_.operands(id)) {
        std::vector<InstructionId>& row = dots[operand];
        if (row.empty() || row.back() != id) row.push_back(id);
      }
    }
    for (auto& [operand, row] : dots) MergeRow(row);
  }

 private:
  void MergeRow(std::vector<InstructionId>& row) {
    for (size_t a = 0; a < row.size(); ++a) {
      for (size_t b = a + 1; b < row.size(); ++b) {
        if (program_.IsRemoved(row[a])) break;
        if (program_.IsRemoved(row[b])) continue;
        const InstructionId merged = TryMerge(row[a], row[b]);
        if (merged != kNoId) row[a] = merged;
      }
    }
  }

  InstructionId TryMerge(InstructionId a, InstructionId b) {
    if (!AreAlike(a, b) || heights_.Needs(a, b) || heights_.Needs(b, a)) return kNoId;
    for (const size_t shared : {size_t{0}, size_t{1}}) {
      if (!ShareSide(a, b, shared)) continue;
      return ComesFirst(b, a, 1 - shared) ? Merge(b, a, shared, shared)
                                          : Merge(a, b, shared, shared);
    }
    if (ShareAcross(a, b)) return Merge(a, b, 0, 1);
    if (ShareAcross(b, a)) return Merge(b, a, 0, 1);
    return kNoId;
  }

  bool AreAlike(InstructionId a, InstructionId b) const {
    const hlo::Module& module = program_.module();
    for (const AttributeName name : {AttributeName::kOperandPrecision, AttributeName::kAlgorithm}) {
      if (module.FindAttribute(a, name) != module.FindAttribute(b, name)) return false;
    }
    return program_.shape(a).element_type() == program_.shape(b).element_type();
  }

  static const DotSide& SideOf(const DotParts& parts, size_t k) {
    return k == 0 ? parts.left : parts.right;
  }

  static bool AreEqual(const DotSide& a, const DotSide& b) {
    return a.batch == b.batch && a.contracting == b.contracting;
  }

  // Operand k is the same, and the others have one free dimension each.
  bool ShareSide(InstructionId a, InstructionId b, size_t k) const {
    if (program_.operand(a, k) != program_.operand(b, k)) return false;
    const DotParts of_a = PartsOf(program_, a), of_b = PartsOf(program_, b);
    if (!AreEqual(SideOf(of_a, k), SideOf(of_b, k))) return false;
    if (SideOf(of_a, 1 - k).free.size() != 1 || SideOf(of_b, 1 - k).free.size() != 1) return false;
    return HaveSizes(a, b, 1 - k, 1 - k);
  }

  // Matrices: the left one of `a` is the right one of `b`.
  bool ShareAcross(InstructionId a, InstructionId b) const {
    if (program_.operand(a, 0) != program_.operand(b, 1)) return false;
    const DotParts of_a = PartsOf(program_, a), of_b = PartsOf(program_, b);
    for (const DotSide* const side : {&of_a.left, &of_a.right, &of_b.left, &of_b.right}) {
      if (!side->batch.empty() || side->free.size() != 1 || side->contracting.size() != 1)
        return false;
    }
    return of_a.left.contracting == of_b.right.contracting && HaveSizes(a, b, 1, 0);
  }

  // What both do not share is operand `of_a` of the one and `of_b` of the other.
  bool HaveSizes(InstructionId a, InstructionId b, size_t of_a, size_t of_b) const {
    const InstructionId left = program_.operand(a, of_a), right = program_.operand(b, of_b);
    if (program_.shape(left).element_type() != program_.shape(right).element_type()) return false;
    const int64_t one = ResultBytes(program_, a) + ResultBytes(program_, left);
    const int64_t other = ResultBytes(program_, b) + ResultBytes(program_, right);
    const auto [less, more] = std::minmax(one, other);
    return less <= kMostBytes && more <= kMostTimes * less;
  }

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

  // Operand k of `a` stands in front of that of `b`: of a multiple of a higher power of two, or a larger one.
  bool ComesFirst(InstructionId a, InstructionId b, size_t k) const {
    const auto rank = [&](InstructionId dot) {
      const int64_t size =
          program_.shape(program_.operand(dot, k)).dim(SideOf(PartsOf(program_, dot), k).free[0]);
      return std::make_pair(size & -size, size);
    };
    return rank(a) > rank(b);
  }

  // Operand `shared` of `a` is operand `of_b` of `b`.
  InstructionId Merge(InstructionId a, InstructionId b, size_t shared, size_t of_b) {
    const DotParts parts = PartsOf(program_, a);
    const size_t other = 1 - shared;
    const int64_t free = SideOf(parts, other).free[0];
    const InstructionId both = Concatenated(a, other, free, b, 1 - of_b, SideOf(parts, other));
    // Of the result: batch dimensions, those of the left side, those of the right side.
    const auto d =
        static_cast<int64_t>(other == 0 ? parts.left.batch.size() : program_.shape(a).rank() - 1);
    const InstructionId x = program_.operand(a, shared);
    const InstructionId dot =
        CloneDot(program_, a, shared == 0 ? x : both, shared == 0 ? both : x, parts,
                 WithSize(program_.shape(a), d, program_.shape(both).dim(free)));
    added_ = {both, dot};
    absl::c_copy(program_.operands(both), std::back_inserter(added_));
    const int64_t end = program_.shape(a).dim(d);
    std::vector<Part> made;
    for (const Part& part : PartsOfResult(a, d)) made.push_back(Replace(part, dot, d, 0, false));
    for (const Part& part : PartsOfResult(b, shared == of_b ? d : 0))
      made.push_back(Replace(part, dot, d, end, shared != of_b));
    program_.RemoveDead(a);
    program_.RemoveDead(b);
    heights_.Raise(added_);
    results_[dot] = std::move(made);
    return dot;
  }

  // What makes one result: a product, or a slice of a merged one.
  struct Part {
    InstructionId id = kNoId;
    int64_t begin = 0, end = 0;
  };

  std::vector<Part> PartsOfResult(InstructionId dot, int64_t dimension) const {
    const auto found = results_.find(dot);
    if (found != results_.end()) return found->second;
    return {{dot, 0, program_.shape(dot).dim(dimension)}};
  }

  Part Replace(const Part& part, InstructionId dot, int64_t d, int64_t offset, bool is_transposed) {
    const Part made = {SliceAlong(program_, dot, d, offset + part.begin, offset + part.end),
                       offset + part.begin, offset + part.end};
    added_.push_back(made.id);
    if (is_transposed) added_.push_back(TransposeTo(program_, made.id, {1, 0}));
    program_.ReplaceUses(part.id, added_.back());
    program_.RemoveDead(part.id);
    return made;
  }

  // Operand k of `a`, and behind it along a dimension operand `of_b` of `b`.
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
    const InstructionId all = program_.Add(c_, Opcode::kConcatenate, "concatenate",
                                           WithSize(program_.shape(first), dimension, size), parts);
    program_.SetAttribute(all, AttributeName::kDimensions, Braces({dimension}));
    return all;
  }

  static layout::Shape WithSize(const layout::Shape& shape, int64_t d, int64_t size) {
    IntList sizes(shape.dims().begin(), shape.dims().end());
    sizes[d] = size;
    return Resized(shape, sizes);
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
