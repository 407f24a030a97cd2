#include "tessera/target/tpu/space_to_batch/split_arrays.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/tpu/copies/copies.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::Shape;

constexpr size_t kLongMask = 1 << 16;  // longer constants are left out, as in dumps of XLA

IntList DimsOf(const Shape& shape) { return IntList(shape.dims().begin(), shape.dims().end()); }

}  // namespace

IntList Split::Order(int64_t rank) const {
  IntList order;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == width) order.push_back(batch);
    if (d != batch) order.push_back(d);
  }
  return order;
}

int64_t Split::At(int64_t d, int64_t rank) const {
  const IntList order = Order(rank);
  return absl::c_find(order, d) - order.begin();
}

IntList Split::Sizes(const Shape& array) const {
  IntList sizes;
  for (const int64_t d : Order(array.rank())) {
    sizes.push_back(d == batch ? array.dim(d) * kParts : d == width ? part : array.dim(d));
  }
  return sizes;
}

std::string Split::Permuted(const std::string& labels) const {
  std::string permuted;
  for (const int64_t d : Order(static_cast<int64_t>(labels.size()))) permuted += labels[d];
  return permuted;
}

InstructionId SplitArrays::Make(InstructionId x, const Split& split, int64_t before) {
  const Shape shape = program_.shape(x);
  const int64_t width = shape.dim(split.width);
  InstructionId made = TransposeTo(program_, x, split.Order(shape.rank()));
  made =
      Pad(made, split.At(split.width, shape.rank()), before, split.part * kParts - width - before);
  made = AddCopy(program_, made, "split-copy");
  return ReshapeTo(program_, made, Resized(shape, split.Sizes(shape)));
}

InstructionId SplitArrays::Join(InstructionId x, const Split& split, const Shape& shape) {
  IntList order(static_cast<size_t>(shape.rank()), 0);
  IntList sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) order[d] = split.At(d, shape.rank());
  for (const int64_t d : split.Order(shape.rank()))
    sizes.push_back(d == split.width ? split.part * kParts : shape.dim(d));
  const int64_t at = split.At(split.width, shape.rank());
  InstructionId joined = ReshapeTo(program_, x, Resized(program_.shape(x), sizes));
  if (sizes[at] != shape.dim(split.width))
    joined = SliceAlong(program_, joined, at, 0, shape.dim(split.width));
  joined = AddCopy(program_, joined, "join-copy");
  return TransposeTo(program_, joined, order);
}

InstructionId SplitArrays::Repart(InstructionId x, const Split& from, const Split& to,
                                  const Shape& shape) {
  const int64_t at = from.At(from.width, shape.rank());
  IntList sizes = DimsOf(program_.shape(x));
  sizes[at - 1] = shape.dim(from.batch);
  sizes[at] = from.part * kParts;
  InstructionId made = ReshapeTo(program_, x, Resized(program_.shape(x), sizes));
  const int64_t width = shape.dim(from.width), wanted = to.part * kParts;
  if (sizes[at] > width) made = SliceAlong(program_, made, at, 0, width);
  made = AddCopy(program_, Pad(made, at, 0, wanted - width), "split-copy");
  return ReshapeTo(program_, made, Resized(program_.shape(made), to.Sizes(shape)));
}

InstructionId SplitArrays::WithNeighbours(InstructionId x, const Split& split, int64_t low,
                                          int64_t high, InstructionId fill) {
  if (low == 0 && high == 0) return x;
  const int64_t at = split.At(split.width, program_.shape(x).rank());
  const InstructionId parts = Parts(x, split);
  std::vector<InstructionId> pieces;
  if (low > 0) pieces.push_back(Neighbour(parts, at, low, true, fill));
  pieces.push_back(parts);
  if (high > 0) pieces.push_back(Neighbour(parts, at, high, false, fill));
  return Merged(Concatenated(pieces, at + 1), at);
}

InstructionId SplitArrays::Shifted(InstructionId x, const Split& split, int64_t by) {
  if (by == 0) return x;
  const int64_t at = split.At(split.width, program_.shape(x).rank());
  const InstructionId parts = Parts(x, split);
  const InstructionId other = Neighbour(parts, at, by < 0 ? -by : by, by < 0, kNoId);
  if (std::max(by, -by) == split.part) return Merged(other, at);
  const InstructionId kept = by < 0 ? SliceAlong(program_, parts, at + 1, 0, split.part + by)
                                    : SliceAlong(program_, parts, at + 1, by, split.part);
  return Merged(by < 0 ? Concatenated({other, kept}, at + 1) : Concatenated({kept, other}, at + 1),
                at);
}

InstructionId SplitArrays::Valid(InstructionId x, const Split& split, const Shape& shape,
                                 InstructionId fill) {
  const Shape array = program_.shape(x);
  const int64_t at = split.At(split.width, array.rank());
  if (split.part * kParts == shape.dim(split.width)) return x;
  const auto known = valid_.find(x);
  if (fill == kNoId && known != valid_.end()) return known->second;
  const InstructionId is_valid =
      AddBroadcast(program_, Mask(x, array.dim(at - 1), split.part, shape.dim(split.width)),
                   Retyped(array, layout::ElementType::kPred), {at - 1, at});
  const InstructionId fills = AddBroadcast(program_, fill == kNoId ? Zero(x) : fill, array, {});
  const InstructionId valid =
      program_.Add(program_.computation(x), Opcode::kSelect, "select", array, {is_valid, x, fills});
  if (fill == kNoId) valid_.emplace(x, valid);
  return valid;
}

// For each of `parts` parts, which of its columns are within the width.
InstructionId SplitArrays::Mask(InstructionId x, int64_t parts, int64_t part, int64_t width) {
  const auto [made, is_new] = masks_.try_emplace({parts, part, width}, kNoId);
  if (!is_new) return made->second;
  const auto columns = static_cast<size_t>(parts * part),
             image = static_cast<size_t>(kParts * part);
  std::string literal = "{";
  for (size_t k = 0; k < columns && columns <= kLongMask; ++k)
    absl::StrAppend(&literal, k == 0 ? "" : ",",
                    static_cast<int64_t>(k % image) < width ? "1" : "0");
  absl::StrAppend(&literal, columns <= kLongMask ? "}" : "...}");
  const InstructionId mask = program_.AddConstant(
      program_.computation(x), Shape::Array(layout::ElementType::kPred, {parts * part}), literal);
  return made->second = AddReshape(program_, mask, Resized(program_.shape(mask), {parts, part}));
}

std::optional<InstructionId> SplitArrays::Broadcast(InstructionId broadcast, const Split& split) {
  const auto known = broadcasts_.find(std::pair(broadcast, split.part));
  if (known != broadcasts_.end()) return known->second;
  const Shape shape = program_.shape(broadcast);
  IntList at;
  bool is_of_images = false;
  for (const int64_t d : DimensionsOf(program_, broadcast)) {
    if (d == split.width) return std::nullopt;
    is_of_images = is_of_images || d == split.batch;
    at.push_back(split.At(d, shape.rank()));
  }
  if (!absl::c_is_sorted(at)) return std::nullopt;
  IntList sizes = split.Sizes(shape);
  const Shape split_shape = Resized(shape, sizes);
  if (is_of_images) {
    const int64_t width = split.At(split.width, shape.rank());
    sizes[width - 1] = shape.dim(split.batch);
    sizes[width] = split.part * kParts;
  }
  InstructionId made =
      AddBroadcast(program_, program_.operand(broadcast, 0), Resized(shape, sizes), at);
  if (is_of_images) made = AddCopy(program_, made, "split-copy");
  made = ReshapeTo(program_, made, split_shape);
  broadcasts_.emplace(std::pair(broadcast, split.part), made);
  return made;
}

InstructionId SplitArrays::Zero(InstructionId like) {
  const Shape scalar = Shape::Array(program_.shape(like).element_type(), {});
  const bool is_truth = scalar.element_type() == layout::ElementType::kPred;
  return program_.AddConstant(program_.computation(like), scalar, is_truth ? "false" : "0");
}

// The parts of each image as a dimension in front of the width, which is written once for all columns that are moved.
InstructionId SplitArrays::Parts(InstructionId x, const Split& split) {
  const auto [made, is_new] = parts_.try_emplace(x, kNoId);
  if (!is_new) return made->second;
  IntList sizes = DimsOf(program_.shape(x));
  const int64_t at = split.At(split.width, program_.shape(x).rank());
  sizes[at - 1] /= kParts;
  sizes.insert(sizes.begin() + at, kParts);
  const InstructionId parts = AddReshape(program_, x, Resized(program_.shape(x), sizes));
  return made->second = AddCopy(program_, parts, "parts-copy");
}

// The other way round. `at`: of the dimension of parts.
InstructionId SplitArrays::Merged(InstructionId x, int64_t at) {
  IntList sizes = DimsOf(program_.shape(x));
  sizes[at - 1] *= kParts;
  sizes.erase(sizes.begin() + at);
  return AddReshape(program_, x, Resized(program_.shape(x), sizes));
}

// The last columns of the part in front of each part, or the first ones of the part after it; `fill` at the edge.
InstructionId SplitArrays::Neighbour(InstructionId parts, int64_t at, int64_t columns,
                                     bool is_in_front, InstructionId fill) {
  const Shape shape = program_.shape(parts);
  const int64_t part = shape.dim(at + 1);
  IntList begin(static_cast<size_t>(shape.rank()), 0), sizes = DimsOf(shape);
  begin[at] = is_in_front ? 0 : 1;
  begin[at + 1] = is_in_front ? part - columns : 0;
  sizes[at] = kParts - 1;
  sizes[at + 1] = columns;
  std::vector<hlo::SliceDimension> ranges;
  for (size_t d = 0; d < sizes.size(); ++d) ranges.push_back({begin[d], begin[d] + sizes[d]});
  const InstructionId edge = AddSlice(program_, parts, ranges, Resized(shape, sizes));
  return Pad(edge, at, is_in_front ? 1 : 0, is_in_front ? 0 : 1, fill);
}

InstructionId SplitArrays::Concatenated(absl::Span<const InstructionId> arrays, int64_t dimension) {
  IntList sizes = DimsOf(program_.shape(arrays[0]));
  sizes[dimension] = 0;
  for (const InstructionId array : arrays) sizes[dimension] += program_.shape(array).dim(dimension);
  const Shape shape = Resized(program_.shape(arrays[0]), sizes);
  return AddCopy(program_, AddConcatenate(program_, arrays, shape, dimension), "split-copy");
}

InstructionId SplitArrays::Pad(InstructionId x, int64_t dimension, int64_t low, int64_t high,
                               InstructionId fill) {
  if (low == 0 && high == 0) return x;
  const Shape shape = program_.shape(x);
  IntList sizes = DimsOf(shape);
  sizes[dimension] += low + high;
  std::vector<hlo::PaddingDimension> padding(sizes.size());
  padding[dimension] = {low, high};
  const InstructionId padded =
      program_.Add(program_.computation(x), Opcode::kPad, "pad", Resized(shape, sizes),
                   {x, fill == kNoId ? Zero(x) : fill});
  program_.SetAttribute(padded, AttributeName::kPadding, hlo::PrintPadding(padding));
  return padded;
}

}  // namespace tessera::target
