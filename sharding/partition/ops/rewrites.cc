// Idea. A rewrite is found in the module before it is partitioned, and runs where its last instruction is
// visited (run_rewritten.cc). For an array x of n elements along a sharded dimension:
//
//   slice(pad(x))                            one pad, which may cut x
//   concatenate(x[k:], x[:k])                x rotated by n - k to the right
//   concatenate(x[n-a:], x, x[:b])           a pad whose two ends come from two rotations
//
// Cost: linear in the slices and concatenations of the module. Tested by partitioner_test.cc (UnevenRotation,
// PadWithWrap).
#include "tessera/sharding/partition/ops/rewrites.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::sharding::partition {
namespace {

class Finder {
 public:
  Finder(const ModuleView& view, const InstructionLeaves& leaves)
      : module_(view.module()), view_(view), leaves_(leaves) {}

  Rewrites Run(absl::Span<const hlo::InstructionId> slices_and_concatenations) {
    for (hlo::InstructionId id : slices_and_concatenations) {
      if (leaves_[id].empty() || !leaves_[id].front().IsTiled()) continue;
      if (opcode(id) == Opcode::kSlice) {
        TrySliceOfPad(id);
      } else {
        TryRotation(id);
        TryPadWithWrap(id);
      }
    }
    return std::move(out_);
  }

 private:
  Opcode opcode(hlo::InstructionId id) const { return module_.instruction(id).opcode; }

  size_t Uses(hlo::InstructionId id) const { return view_.users(id).size(); }

  // Of most concatenations this is all that is asked.
  bool AreSlices(hlo::InstructionId a, hlo::InstructionId b) const {
    return opcode(view_.SkipCopies(a)) == Opcode::kSlice &&
           opcode(view_.SkipCopies(b)) == Opcode::kSlice;
  }

  // The slice or pad after copies with one user each; nothing if it has other users itself.
  std::optional<hlo::InstructionId> SingleUse(hlo::InstructionId id, Opcode wanted) {
    if (opcode(view_.SkipCopies(id)) != wanted) return std::nullopt;
    while (Uses(id) == 1 && opcode(id) == Opcode::kCopy) id = module_.operands(id)[0];
    if (Uses(id) != 1 || opcode(id) != wanted) return std::nullopt;
    return id;
  }

  // The instructions from `id` to `end`, which are replaced.
  void Drop(hlo::InstructionId id, hlo::InstructionId end) {
    while (id != end) {
      out_.dropped.insert(id);
      id = module_.operands(id)[0];
    }
  }

  void TrySliceOfPad(hlo::InstructionId id) {
    const auto pad = SingleUse(module_.operands(id)[0], Opcode::kPad);
    if (!pad.has_value()) return;
    if (leaves_[*pad] != leaves_[id]) return;
    const auto slice = hlo::GetSlice(module_, id);
    auto padding = hlo::GetPadding(module_, *pad);
    const Shape& whole = module_.shape(*pad);
    bool twice = false;
    for (int64_t i = 0; i < whole.rank(); ++i) {
      hlo::PaddingDimension& p = At(padding, i);
      if (p.interior != 0 || At(slice, i).stride != 1) return;
      twice |= leaves_[id].front().dim(i) != 1 && (p.low != 0 || p.high != 0) &&
               module_.shape(id).dim(i) != whole.dim(i);
      const int64_t end = whole.dim(i) - p.high;
      p.low -= At(slice, i).start;
      p.high = At(slice, i).limit - end;
    }
    if (!twice) return;
    Drop(module_.operands(id)[0], *pad);
    out_.dropped.insert(*pad);
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kPad;
    rewrite.operands = {module_.operands(*pad)[0], module_.operands(*pad)[1]};
    rewrite.cause = *pad;
    rewrite.padding = std::move(padding);
  }

  void TryRotation(hlo::InstructionId id) {
    const auto operands = module_.operands(id);
    if (operands.size() != 2 || !AreSlices(operands[0], operands[1])) return;
    const int64_t dim = hlo::GetDimension(module_, id).value_or(0);
    if (leaves_[id].front().dim(dim) == 1) return;
    const hlo::InstructionId tail = view_.SkipCopies(operands[0]);
    const hlo::InstructionId head = view_.SkipCopies(operands[1]);
    const hlo::InstructionId whole = module_.operands(tail)[0];
    if (module_.operands(head)[0] != whole || leaves_[whole] != leaves_[id]) return;
    if (module_.shape(whole).dims() != module_.shape(id).dims()) return;
    const auto first = At(hlo::GetSlice(module_, tail), dim);
    const auto second = At(hlo::GetSlice(module_, head), dim);
    if (first.stride != 1 || second.stride != 1 || first.start != second.limit) return;
    // Users are asked for at last: those of the whole module are found then.
    if (!SingleUse(operands[0], Opcode::kSlice) || !SingleUse(operands[1], Opcode::kSlice)) return;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      Drop(module_.operands(id)[i], whole);
    }
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kRotate;
    rewrite.operands = {whole};
    rewrite.cause = id;
    rewrite.dim = dim;
    rewrite.amount = module_.shape(tail).dim(dim);
  }

  // The end of the array, the array, its beginning.
  void TryPadWithWrap(hlo::InstructionId id) {
    const auto operands = module_.operands(id);
    if (operands.size() != 3 || !AreSlices(operands[0], operands[2])) return;
    const int64_t dim = hlo::GetDimension(module_, id).value_or(0);
    if (leaves_[id].front().dim(dim) == 1) return;
    const hlo::InstructionId whole = module_.operands(id)[1];
    const int64_t size = module_.shape(whole).dim(dim);
    for (const size_t i : {size_t{0}, size_t{2}}) {
      const auto part = SingleUse(module_.operands(id)[i], Opcode::kSlice);
      if (!part.has_value()) return;
      const auto slice = At(hlo::GetSlice(module_, *part), dim);
      if (module_.operands(*part)[0] != whole || slice.stride != 1) return;
      if (i == 0 ? slice.limit != size : slice.start != 0) return;
    }
    for (const size_t i : {size_t{0}, size_t{2}}) Drop(module_.operands(id)[i], whole);
    Rewrite& rewrite = out_.rewritten[id];
    rewrite.kind = Rewrite::Kind::kPadWithWrap;
    rewrite.operands = {whole};
    rewrite.cause = id;
    rewrite.dim = dim;
    rewrite.amount = size;
    rewrite.padding.resize(static_cast<size_t>(module_.shape(id).rank()));
    At(rewrite.padding, dim).low = module_.shape(module_.operands(id)[0]).dim(dim);
    At(rewrite.padding, dim).high = module_.shape(module_.operands(id)[2]).dim(dim);
  }

  const hlo::Module& module_;
  const ModuleView& view_;
  const InstructionLeaves& leaves_;
  Rewrites out_;
};

}  // namespace

Rewrites FindRewrites(const ModuleView& view, const InstructionLeaves& leaves,
                      absl::Span<const hlo::InstructionId> slices_and_concatenations) {
  return Finder(view, leaves).Run(slices_and_concatenations);
}

}  // namespace tessera::sharding::partition
