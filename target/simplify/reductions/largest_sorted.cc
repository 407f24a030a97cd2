// topk(x[8,4,16]), k=2  ->  tuple(slice(s#0), slice(s#1)) of s = sort(x, iota), the largest first
//
// On TPUs, where the elements are sorted with their places. A kernel finds few of many elements in the
// rows of a matrix: 8 of 608, but not of 606. The borders were bisected for ten k; between them the line
// is straight. All dimensions but the last may stay cut.

#include <iterator>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

struct Border {
  int64_t k, size;  // as many elements and more: a kernel
};
constexpr Border kBorders[] = {{1, 2},     {2, 78},    {3, 205},   {4, 281},    {8, 607},
                               {16, 1150}, {40, 2622}, {64, 4100}, {100, 6066}, {128, 8084}};

bool HasKernel(int64_t k, int64_t size) {
  const Border* const last = std::end(kBorders) - 1;
  const Border* high = std::begin(kBorders);
  while (high != last && high->k < k) ++high;
  if (k >= last->k) return size * last->k >= k * last->size;
  if (high->k <= k) return size >= high->size;
  const Border& low = *(high - 1);
  return (size - low.size) * (high->k - low.k) >= (k - low.k) * (high->size - low.size);
}

// Of (value, other value, place, other place): whether the value is larger.
ComputationId AddIsLarger(DeviceProgram& program, ElementType values, ElementType places) {
  const ComputationId c = program.AddComputation("compare-greater-than");
  const auto scalar = [](ElementType type) { return layout::Shape::Array(type, {}, std::nullopt); };
  const InstructionId a = program.Add(c, Opcode::kParameter, "a", scalar(values), {});
  const InstructionId b = program.Add(c, Opcode::kParameter, "b", scalar(values), {});
  program.Add(c, Opcode::kParameter, "place", scalar(places), {});
  program.Add(c, Opcode::kParameter, "other", scalar(places), {});
  const InstructionId larger =
      program.Add(c, Opcode::kCompare, "larger", scalar(ElementType::kPred), {a, b});
  program.SetAttribute(larger, AttributeName::kDirection, "GT");
  program.SetRoot(c, larger);
  return c;
}

}  // namespace

InstructionId SortLargest(DeviceProgram& program, InstructionId topk) {
  const InstructionId x = program.operand(topk, 0);
  const layout::Shape from = program.shape(x), shape = program.shape(topk);
  const bool is_largest =
      program.module().FindAttribute(topk, AttributeName::kLargest).value_or("true") == "true";
  if (!is_largest || !shape.is_tuple() || shape.tuple_elements().size() != 2) return kNoId;
  const ComputationId c = program.computation(topk);
  const int64_t last = from.rank() - 1;
  const layout::Shape values = shape.tuple_elements()[0], places = shape.tuple_elements()[1];
  if (from.rank() == 2 && HasKernel(values.dim(last), from.dim(last))) return kNoId;
  const layout::Shape all = Resized(from, from.dims());
  const layout::Shape all_places = Resized(places, from.dims());
  const InstructionId iota = program.Add(c, Opcode::kIota, "iota", all_places, {});
  program.SetAttribute(iota, AttributeName::kIotaDimension, absl::StrCat(last));
  const InstructionId sort =
      program.Add(c, Opcode::kSort, "sort", layout::Shape::Tuple({all, all_places}), {x, iota});
  program.SetAttribute(sort, AttributeName::kDimensions, hlo::PrintInts({last}));
  program.SetCalled(sort, {AddIsLarger(program, from.element_type(), places.element_type())});
  const InstructionId first = AddSlice(program, program.AddGetTupleElement(sort, 0), values.dims());
  const InstructionId second =
      AddSlice(program, program.AddGetTupleElement(sort, 1), places.dims());
  return program.Add(c, Opcode::kTuple, "tuple", shape, {first, second});
}

}  // namespace tessera::target
