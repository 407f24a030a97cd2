#include "tessera/target/gpu/reductions/tree_reduction_rewriter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/priority_fusion/op_facts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

constexpr int64_t kMostOfRow = 1024 * 16, kMostOfColumn = 32 * 128, kMostMajor = 8;

// What one reduction by tiles reduces.
struct Reduced {
  bool is_row = false;
  int64_t major = 1;  // of a row: elements along the major dimension that is reduced besides
  int64_t size = 1;   // elements of the row or column
  int64_t most() const { return is_row ? kMostOfRow : kMostOfColumn; }
};

Reduced ReducedOf(const OpFacts& facts) {
  Reduced reduced;
  const auto& runs = facts.runs;
  reduced.is_row = runs.back().first;
  reduced.size = reduced.is_row ? runs.back().second : runs[runs.size() - 2].second;
  if (reduced.is_row && runs.size() == 3) reduced.major = runs[0].second;
  return reduced;
}

// One of the two factors, or the other one, is what a thread reads at once.
bool AreSwapped(int64_t outer, int64_t inner, const Reduced& of) {
  if (outer > of.most()) return false;
  if (!of.is_row) return true;
  const bool is_even = of.size % 2 == 0;
  if (inner % 2 == 0 && is_even) return inner * 2 < outer || outer % 2 == 0;
  return is_even || outer % 2 != 0;
}

// Which is reduced last, and which first.
std::pair<int64_t, int64_t> FactorsOf(const Reduced& of) {
  const auto padding = [&](int64_t by) { return (by - of.size % by) % by; };
  const int64_t root =
      std::min(static_cast<int64_t>(std::sqrt(static_cast<double>(of.size))), of.most());
  int64_t best = root;
  for (int64_t k = root - 1; k > root / 2; --k) {
    const bool is_power = absl::has_single_bit(static_cast<uint64_t>(k));
    if (padding(k) < padding(best) || (padding(k) == padding(best) && is_power)) best = k;
  }
  const int64_t outer = (of.size + padding(best)) / best;
  return AreSwapped(outer, best, of) ? std::make_pair(best, outer) : std::make_pair(outer, best);
}

class Tree {
 public:
  Tree(DeviceProgram& program, InstructionId reduce)
      : program_(program), reduce_(reduce), operand_(program.operand(reduce, 0)) {
    GroupReduced();
  }

  // The minor one first.
  void ReduceInOrder() {
    Finish(Over({reduced_.back()}, operand_, sizes_),
           IntList(reduced_.begin(), reduced_.end() - 1));
  }

  void ReduceInParts(int64_t size, int64_t last, int64_t first) {
    const int64_t d = reduced_.back();
    if (size != first * last) Pad(d, first * last);
    sizes_[d] = last;
    sizes_.insert(sizes_.begin() + d + 1, first);
    ++reduced_.back();
    operand_ = AddBitcast(program_, operand_, Resized(program_.shape(operand_), sizes_));
    const auto in_front = static_cast<int64_t>(reduced_.size()) - 1;
    Finish(Over(reduced_, operand_, sizes_), {d - in_front});
  }

 private:
  // Dimensions side by side that are reduced become one.
  void GroupReduced() {
    const layout::Shape& shape = program_.shape(operand_);
    const IntList reduced = DimensionsOf(program_, reduce_);
    bool joins = false;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const bool is_reduced = absl::c_linear_search(reduced, d);
      if (is_reduced && joins) {
        sizes_.back() *= shape.dim(d);
      } else {
        if (is_reduced) reduced_.push_back(static_cast<int64_t>(sizes_.size()));
        sizes_.push_back(shape.dim(d));
      }
      joins = is_reduced;
    }
    if (static_cast<int64_t>(sizes_.size()) == shape.rank()) return;
    operand_ = AddBitcast(program_, operand_, Resized(shape, sizes_));
  }

  void Pad(int64_t d, int64_t size) {
    std::vector<std::string> padding(sizes_.size(), "0_0");
    padding[d] = absl::StrCat("0_", size - sizes_[d]);
    sizes_[d] = size;
    operand_ = program_.Add(program_.computation(reduce_), Opcode::kPad, "pad",
                            Resized(program_.shape(operand_), sizes_),
                            {operand_, program_.operand(reduce_, 1)});
    program_.SetAttribute(operand_, hlo::AttributeName::kPadding, absl::StrJoin(padding, "x"));
  }

  InstructionId Over(const IntList& dimensions, InstructionId operand, const IntList& sizes) {
    IntList kept;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (!absl::c_linear_search(dimensions, static_cast<int64_t>(d))) kept.push_back(sizes[d]);
    }
    const InstructionId made =
        program_.Clone(reduce_, {operand, program_.operand(reduce_, 1)},
                       Resized(program_.shape(reduce_), kept));
    program_.SetAttribute(made, hlo::AttributeName::kDimensions, Braces(dimensions));
    return made;
  }

  void Finish(InstructionId inner, const IntList& dimensions) {
    const auto dims = program_.shape(inner).dims();
    const InstructionId outer = Over(dimensions, inner, IntList(dims.begin(), dims.end()));
    program_.ReplaceUses(reduce_, outer);
    program_.RemoveDead(reduce_);
  }

  DeviceProgram& program_;
  const InstructionId reduce_;
  InstructionId operand_;
  IntList sizes_, reduced_;  // of the operand, and which of them
};

void RewriteTree(DeviceProgram& program, InstructionId reduce) {
  const OpFacts facts = FactsOf(program, reduce);
  if (!facts.is_tiled_reduce) return;
  const Reduced reduced = ReducedOf(facts);
  if (reduced.major > kMostMajor) {
    Tree(program, reduce).ReduceInOrder();
  } else if (reduced.size > reduced.most()) {
    const auto [last, first] = FactorsOf(reduced);
    Tree(program, reduce).ReduceInParts(reduced.size, last, first);
  }
}

}  // namespace

absl::Status RewriteTreeReductions(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (IsReduceOfOneArray(program, id) && !program.IsPinned(id)) RewriteTree(program, id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
