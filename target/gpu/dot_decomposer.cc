// dot_decomposer: every product has at most one free and one contracted dimension on each side.
//
//   f32[4,8,6] dot(x: f32[4,8,2,3], w: f32[2,3,6])          contracts the last two of x
//   ->  f32[4,8,6] reshape(f32[32,6] dot(f32[32,6] reshape(x), f32[6,6] reshape(w)))
//
// A side is transposed to batch, free and contracted on the left, and to batch, contracted and free on
// the right; reshapes then make one dimension of each group. A side with one dimension in each keeps
// its order: XLA folds such a transpose into the product.
//
// Cost: linear. Tested by dot_decomposer_test.cc.

#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/layouts/order.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::IntList;

// 0, 1, ..
bool IsLeading(const IntList& dimensions) { return dimensions == DefaultOrder(dimensions.size()); }

bool AreConsecutive(const IntList& dimensions) {
  const auto [least, most] = absl::c_minmax_element(dimensions);
  return *most - *least + 1 == static_cast<int64_t>(dimensions.size());
}

// JAX's lowering gives a transpose the order in memory that it reads. The partitioner's text names none.
bool LiesInDefaultOrder(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& shape = program.shape(id);
  if (!shape.has_layout()) return program.opcode(id) != Opcode::kTranspose;
  return absl::c_is_sorted(shape.layout().minor_to_major, std::greater<>());
}

// dot_dimension_sorter: whether the contracted dimensions of a side are listed in their order, and those of
// the other one in the same.
bool SortsBy(const IntList& side, const IntList& other) {
  if (!AreConsecutive(side) || absl::c_is_sorted(side)) return false;
  return !AreConsecutive(other) || !absl::c_is_sorted(other);
}

void SortContracting(const DeviceProgram& program, InstructionId dot, DotParts* parts) {
  IntList &left = parts->left.contracting, &right = parts->right.contracting;
  for (const InstructionId operand : program.operands(dot)) {
    if (!LiesInDefaultOrder(program, operand)) return;
  }
  const bool by_left = SortsBy(left, right);
  if (!by_left && !SortsBy(right, left)) return;
  IntList &key = by_left ? left : right, &other = by_left ? right : left;
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t k = 0; k < key.size(); ++k) pairs.emplace_back(key[k], other[k]);
  absl::c_sort(pairs);
  for (size_t k = 0; k < pairs.size(); ++k) std::tie(key[k], other[k]) = pairs[k];
}

// XLA folds the transpose of such a side into the product, if it is not one with that of the operand before.
bool IsFolded(const DotSide& side) {
  return side.free.size() <= 1 && side.contracting.size() <= 1 && IsLeading(side.batch);
}

bool IsCanonical(const DotSide& side) { return IsFolded(side) && side.contracting.size() == 1; }

IntList InGroups(const DotSide& side, bool frees_first) {
  IntList order = side.batch;
  const IntList& first = frees_first ? side.free : side.contracting;
  const IntList& second = frees_first ? side.contracting : side.free;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  return order;
}

// The operand with one dimension for each group, which `side` then numbers. What is free goes where it
// has one element.
InstructionId Grouped(DeviceProgram& program, InstructionId operand, bool frees_first,
                      DotSide* side) {
  const layout::Shape shape = program.shape(operand);
  const DotSide given = *side;
  if (!IsFolded(given) || program.opcode(operand) == Opcode::kTranspose) {
    operand = TransposeTo(program, operand, InGroups(given, frees_first));
  } else if (!given.free.empty() && !given.contracting.empty()) {
    frees_first = given.free[0] < given.contracting[0];
  }
  IntList sizes;
  for (const int64_t d : given.batch) sizes.push_back(shape.dim(d));
  *side = {DefaultOrder(sizes.size()), {}, {}};
  const auto add = [&](const IntList& group, IntList* numbers) {
    numbers->push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(ElementsAlong(shape, group));
  };
  const bool has_free = ElementsAlong(shape, given.free) != 1;
  if (has_free && frees_first) add(given.free, &side->free);
  add(given.contracting, &side->contracting);
  if (has_free && !frees_first) add(given.free, &side->free);
  return ReshapeTo(program, operand, Resized(shape, sizes));
}

void Decompose(DeviceProgram& program, InstructionId dot) {
  DotParts parts = PartsOf(program, dot);
  if (!parts.left.contracting.empty()) SortContracting(program, dot, &parts);
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
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsReplaceableDot(program, id)) continue;
    const DotParts parts = PartsOf(program, id);
    if (!IsCanonical(parts.left) || !IsCanonical(parts.right)) Decompose(program, id);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
