// The instructions of long halos. A device chooses one source for each column; columns are joined, and padding is
// masked.
// XLA: spmd_partitioner_util, ExchangeHaloCompact.

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

using StartedOperands = absl::InlinedVector<BodyWriter::Id, 8>;

// One after another; one alone is itself.
BodyWriter::Id Joined(BodyWriter& body, const std::vector<BodyWriter::Id>& parts, int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Shape shape = body.shape(parts[0]).WithoutLayout();
  int64_t size = 0;
  for (const BodyWriter::Id part : parts) size += body.shape(part).dim(dim);
  shape.set_dim(dim, size);
  return body.Add(Opcode::kConcatenate, shape, parts,
                  {{AttributeName::kDimensions, hlo::PrintInts({dim})}});
}

// The operand, and where a slice of it starts: at the device's place along `dim`, at 0 along others.
StartedOperands StartingAlong(BodyWriter& body, BodyWriter::Id operand, int64_t dim,
                              TableId place) {
  StartedOperands operands = {operand};
  for (int64_t i = 0, rank = body.shape(operand).rank(); i < rank; ++i) {
    operands.push_back(body.Number(i == dim ? place : Recipes::kZeros));
  }
  return operands;
}

// Elements from `from` up to `to` of one dimension, and all of the others.
std::string SliceText(const Shape& whole, int64_t dim, int64_t from, int64_t to) {
  recipe::Slice slice;
  for (const int64_t size : whole.dims()) slice.dims.push_back({0, size, 1});
  slice.dims[static_cast<size_t>(dim)] = {from, to, 1};
  return hlo::PrintSlice(slice.dims);
}

// Of padding=: nothing but along `dim`.
std::string PaddingText(int64_t rank, int64_t dim, int64_t low, int64_t high) {
  std::string out;
  for (int64_t i = 0; i < rank; ++i) {
    const absl::string_view separator = i == 0 ? "" : "x";
    if (i == dim) {
      absl::StrAppend(&out, separator, low, "_", high);
    } else {
      absl::StrAppend(&out, separator, "0_0");
    }
  }
  return out;
}

}  // namespace

// The scalar that stands where no shard has an element.
Expander::Id Expander::FillOf(const Site& at, const recipe::PieceColumns& pieces) {
  const ElementType type = at.node.shape->element_type();
  return pieces.has_fill ? at.operands.back() : at.body.Scalar(type, ZeroText(type));
}

// To the shape `padded`.
Expander::Id Expander::Padded(const Site& at, const recipe::PieceColumns& pieces, Id part,
                              int64_t low, int64_t high, hlo::ShapeId padded) {
  if (low == 0 && high == 0) return part;
  const std::string text =
      PaddingText(module_.interned_shape(padded).rank(), pieces.dim, low, high);
  return at.body.AddKept(Opcode::kPad, padded, {part, FillOf(at, pieces)},
                         {{AttributeName::kPadding, module_.Keep(text), 0}});
}

// The part of a column that one operand gives.
Expander::Id Expander::SourceOf(const Site& at, const recipe::PieceColumns& pieces,
                                const recipe::PieceColumns::Source& source, hlo::ShapeId part) {
  const Shape& shape = module_.interned_shape(part);
  if (source.operand == recipe::PieceColumns::kFill) {
    return at.body.Spread(shape, FillOf(at, pieces));
  }
  const Id operand = At(at.operands, source.operand);
  if (source.operand > 0) return Padded(at, pieces, operand, source.low, source.high, part);
  const int64_t size = shape.dim(pieces.dim);
  if (at.body.shape(operand).dim(pieces.dim) == size) return operand;
  const std::string slice = SliceText(shape, pieces.dim, source.from, source.from + size);
  return at.body.AddKept(Opcode::kSlice, part, {operand},
                         {{AttributeName::kSlice, module_.Keep(slice), 0}});
}

// Fill is masked later, and chosen where there is nothing else. Long halos have hundreds of choices: shapes are found
// once for all of a column.
Expander::Id Expander::ColumnOf(const Site& at, const recipe::PieceColumns& pieces,
                                const recipe::PieceColumns::Column& column) {
  Shape shape = at.node.shape->WithoutLayout();
  shape.set_dim(pieces.dim, column.size);
  const hlo::ShapeId part = module_.InternShape(shape);
  const hlo::ShapeId mask = module_.InternShape(MakeShape(ElementType::kPred, shape.dims()));
  const hlo::ShapeId truth = module_.InternShape(MakeShape(ElementType::kPred, {}));
  const auto is_fill = [&](size_t k) {
    return column.sources[k].operand == recipe::PieceColumns::kFill;
  };
  const size_t first = column.sources.size() > 1 && is_fill(0) ? 1 : 0;
  Id chosen = SourceOf(at, pieces, column.sources[first], part);
  for (size_t k = first + 1; k < column.sources.size(); ++k) {
    if (is_fill(k)) continue;
    const Id number = at.body.Scalar(ElementType::kS32, absl::AlphaNum(k).Piece());
    const Id choice = at.body.Number(column.choice);
    const Id is_this = at.body.AddKept(Opcode::kCompare, truth, {choice, number},
                                       {{AttributeName::kDirection, "EQ", 0}});
    const Id everywhere = at.body.AddKept(Opcode::kBroadcast, mask, {is_this},
                                          {{AttributeName::kDimensions, "{}", 0}});
    const Id source = SourceOf(at, pieces, column.sources[k], part);
    chosen = at.body.AddKept(Opcode::kSelect, part, {everywhere, source, chosen}, {});
  }
  return chosen;
}

// The region with fill outside of what is no padding.
Expander::Id Expander::InsideOf(const Site& at, const recipe::PieceColumns& pieces, Id region) {
  const Shape& shape = *at.node.shape;
  const Shape indices = MakeShape(ElementType::kS32, shape.dims());
  const Id index = at.body.Indices(shape, pieces.dim, Recipes::kZeros);
  const auto compare = [&](TableId bound, absl::string_view direction) {
    return at.body.Add(Opcode::kCompare, MakeShape(ElementType::kPred, shape.dims()),
                       {index, at.body.Spread(indices, at.body.Number(bound))},
                       {{AttributeName::kDirection, direction}});
  };
  std::vector<Id> conditions = {compare(pieces.limit, "LT")};
  if (graph_.recipes().table(pieces.first).most > 0)
    conditions.push_back(compare(pieces.first, "GE"));
  return at.body.Add(Opcode::kSelect, shape,
                     {AllOf(at, conditions), region, at.body.Spread(shape, at.operands.back())});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::PieceColumns& pieces) {
  std::vector<Id> columns;
  for (const recipe::PieceColumns::Column& column : pieces.columns) {
    columns.push_back(ColumnOf(at, pieces, column));
  }
  Id region = Joined(at.body, columns, pieces.dim);
  const int64_t missing = pieces.size - at.body.shape(region).dim(pieces.dim);
  if (missing != 0) {
    Shape shape = at.body.shape(region);
    shape.set_dim(pieces.dim, pieces.size);
    region = Padded(at, pieces, region, 0, missing, module_.InternShape(shape));
  }
  if (pieces.size > at.node.shape->dim(pieces.dim)) {
    const hlo::ShapeId part = ShapeOf(at.node);
    region = at.body.AddKept(Opcode::kDynamicSlice, part,
                             StartingAlong(at.body, region, pieces.dim, pieces.start),
                             {{AttributeName::kDynamicSliceSizes, SizesOf(part), 0}});
  }
  return pieces.has_fill ? InsideOf(at, pieces, region) : region;
}

}  // namespace tessera::sharding::partition
