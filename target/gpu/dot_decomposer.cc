#include "tessera/target/gpu/dot_decomposer.h"

#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::IntList;

bool IsRun(const IntList& dimensions) {
  for (size_t k = 1; k < dimensions.size(); ++k) {
    if (dimensions[k] != dimensions[k - 1] + 1) return false;
  }
  return true;
}

// 0, 1, ..
bool IsLeading(const IntList& dimensions) {
  return IsRun(dimensions) && (dimensions.empty() || dimensions[0] == 0);
}

bool IsCanonical(const DotSide& side) {
  return side.free.size() <= 1 && side.contracting.size() == 1 && IsLeading(side.batch);
}

int64_t Elements(const layout::Shape& shape, const IntList& dimensions) {
  int64_t elements = 1;
  for (const int64_t d : dimensions) elements *= shape.dim(d);
  return elements;
}

IntList Iota(size_t count) {
  IntList numbers;
  for (size_t k = 0; k < count; ++k) numbers.push_back(static_cast<int64_t>(k));
  return numbers;
}

// Both sides list what is contracted in the order of the left one.
void SortContracting(DotParts* parts) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t k = 0; k < parts->left.contracting.size(); ++k)
    pairs.emplace_back(parts->left.contracting[k], parts->right.contracting[k]);
  absl::c_sort(pairs);
  for (size_t k = 0; k < pairs.size(); ++k)
    std::tie(parts->left.contracting[k], parts->right.contracting[k]) = pairs[k];
}

// The operand with its dimensions in groups, which `side` then numbers.
InstructionId Grouped(DeviceProgram& program, InstructionId operand, bool frees_first,
                      DotSide* side) {
  const layout::Shape shape = program.shape(operand);
  const IntList batch = side->batch, free = side->free, contracting = side->contracting;
  const bool lies_so = IsLeading(batch) && IsRun(free) && IsRun(contracting);
  if (lies_so && !free.empty() && !contracting.empty()) frees_first = free[0] < contracting[0];
  if (!lies_so) {
    IntList order = batch;
    for (const IntList* group :
         {frees_first ? &free : &contracting, frees_first ? &contracting : &free})
      order.insert(order.end(), group->begin(), group->end());
    operand = TransposeTo(program, operand, order);
  }
  IntList sizes;
  for (const int64_t d : batch) sizes.push_back(shape.dim(d));
  *side = {Iota(batch.size()), {}, {}};
  const auto add = [&](const IntList& group, IntList* numbers, bool is_kept) {
    if (!is_kept) return;
    numbers->push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(Elements(shape, group));
  };
  const bool has_free = Elements(shape, free) > 1;
  if (frees_first) add(free, &side->free, has_free);
  add(contracting, &side->contracting, true);
  if (!frees_first) add(free, &side->free, has_free);
  const layout::Shape grouped = Resized(shape, sizes);
  return grouped == program.shape(operand).WithoutLayout() ? operand
                                                           : AddReshape(program, operand, grouped);
}

void Decompose(DeviceProgram& program, InstructionId dot) {
  DotParts parts = PartsOf(program, dot);
  SortContracting(&parts);
  const layout::Shape shape = program.shape(dot);
  const InstructionId left = Grouped(program, program.operand(dot, 0), true, &parts.left);
  const InstructionId right = Grouped(program, program.operand(dot, 1), false, &parts.right);
  IntList sizes;
  for (const int64_t d : parts.left.batch) sizes.push_back(program.shape(left).dim(d));
  for (const int64_t d : parts.left.free) sizes.push_back(program.shape(left).dim(d));
  for (const int64_t d : parts.right.free) sizes.push_back(program.shape(right).dim(d));
  const InstructionId made = CloneDot(program, dot, left, right, parts, Resized(shape, sizes));
  program.ReplaceUses(dot, AddReshape(program, made, shape));
  program.RemoveDead(dot);
}

}  // namespace

absl::Status DecomposeDots(Context& context) {
  DeviceProgram& program = context.program;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kDot || program.operands(id).size() != 2) continue;
      if (program.IsPinned(id)) continue;
      const DotParts parts = PartsOf(program, id);
      if (!IsCanonical(parts.left) || !IsCanonical(parts.right)) Decompose(program, id);
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
