// The instructions of long halos: pieces joined and written to the region one by one, or columns of which a device has
// one source each. XLA: spmd_partitioner_util, ExchangeHaloCompact.

#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

using StartedOperands = absl::InlinedVector<BodyWriter::Id, 8>;

// One behind another; one alone is itself.
BodyWriter::Id Joined(BodyWriter& body, const std::vector<BodyWriter::Id>& parts, int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Shape shape = body.shape(parts[0]).WithoutLayout();
  int64_t size = 0;
  for (const BodyWriter::Id part : parts) size += body.shape(part).dim(dim);
  shape.set_dim(dim, size);
  return body.Add(Opcode::kConcatenate, shape, parts,
                  {{AttributeName::kDimensions, hlo::PrintInts({dim})}});
}

// The operands, and where they start: at the device's place along `dim`, at 0 along others.
StartedOperands StartingAlong(BodyWriter& body, StartedOperands operands, int64_t dim,
                              TableId place) {
  for (int64_t i = 0, rank = body.shape(operands[0]).rank(); i < rank; ++i) {
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

// Of a dimension, and nothing of the others.
std::string PaddingText(int64_t rank, int64_t dim, const recipe::PieceColumns::Source& source) {
  constexpr size_t kMostOfDim = 48;
  std::string out(static_cast<size_t>(rank) * kMostOfDim, '0');
  char* to = out.data();
  for (int64_t i = 0; i < rank; ++i) {
    if (i > 0) *to++ = 'x';
    to = PutNumber(i == dim ? source.low : 0, to);
    *to++ = '_';
    to = PutNumber(i == dim ? source.high : 0, to);
  }
  out.resize(static_cast<size_t>(to - out.data()));
  return out;
}

}  // namespace

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Pieces& pieces) {
  Shape shape = at.node.shape->WithoutLayout();
  const int64_t size = shape.dim(pieces.dim);
  const auto with_size = [&](int64_t other) -> const Shape& {
    shape.set_dim(pieces.dim, other);
    return shape;
  };
  std::vector<Id> parts(at.operands.begin(), at.operands.end() - (pieces.has_fill ? 1 : 0));
  parts.push_back(pieces.has_fill ? at.body.Spread(with_size(pieces.padding), at.operands.back())
                                  : at.body.Zeros(with_size(pieces.padding)));
  const Id joined = Joined(at.body, parts, pieces.dim);
  Id region = at.body.Zeros(with_size(size + pieces.padding));
  const hlo::ShapeId room = module_.InternShape(shape);
  for (const recipe::Pieces::Piece& piece : pieces.pieces) {
    const hlo::ShapeId part = module_.InternShape(with_size(piece.size));
    const Id taken = at.body.AddKept(Opcode::kDynamicSlice, part,
                                     StartingAlong(at.body, {joined}, pieces.dim, piece.from),
                                     {{AttributeName::kDynamicSliceSizes, SizesOf(part), 0}});
    region = at.body.Add(Opcode::kDynamicUpdateSlice, room,
                         StartingAlong(at.body, {region, taken}, pieces.dim, piece.to));
  }
  return at.body.Add(Opcode::kSlice, *at.node.shape, {region},
                     {{AttributeName::kSlice, SliceText(*at.node.shape, pieces.dim, 0, size)}});
}

// The part of a column that one operand gives.
Expander::Id Expander::SourceOf(const Site& at, int64_t dim,
                                const recipe::PieceColumns::Source& source, hlo::ShapeId part) {
  const Id operand = at.operands[static_cast<size_t>(source.operand)];
  const Shape& shape = module_.interned_shape(part);
  const int64_t size = shape.dim(dim);
  if (at.body.shape(operand).dim(dim) == size) return operand;
  if (source.operand == 0) {
    const std::string slice = SliceText(shape, dim, source.from, source.from + size);
    return at.body.AddKept(Opcode::kSlice, part, {operand},
                           {{AttributeName::kSlice, module_.Keep(slice), 0}});
  }
  const std::string padding = PaddingText(shape.rank(), dim, source);
  const Id zero = at.body.Scalar(shape.element_type(), ZeroText(shape.element_type()));
  return at.body.AddKept(Opcode::kPad, part, {operand, zero},
                         {{AttributeName::kPadding, module_.Keep(padding), 0}});
}

// Long halos have hundreds of choices: shapes are found once for all of a column.
Expander::Id Expander::ColumnOf(const Site& at, const recipe::PieceColumns& pieces,
                                const recipe::PieceColumns::Column& column) {
  Shape shape = at.node.shape->WithoutLayout();
  shape.set_dim(pieces.dim, column.size);
  const hlo::ShapeId part = module_.InternShape(shape);
  const hlo::ShapeId mask = module_.InternShape(MakeShape(ElementType::kPred, shape.dims()));
  const hlo::ShapeId truth = module_.InternShape(MakeShape(ElementType::kPred, {}));
  Id chosen = SourceOf(at, pieces.dim, column.sources[0], part);
  for (size_t k = 1; k < column.sources.size(); ++k) {
    const Id number = at.body.Scalar(ElementType::kS32, absl::AlphaNum(k).Piece());
    const Id choice = at.body.Number(column.choice);
    const Id is_this = at.body.AddKept(Opcode::kCompare, truth, {choice, number},
                                       {{AttributeName::kDirection, "EQ", 0}});
    const Id everywhere = at.body.AddKept(Opcode::kBroadcast, mask, {is_this},
                                          {{AttributeName::kDimensions, "{}", 0}});
    const Id source = SourceOf(at, pieces.dim, column.sources[k], part);
    chosen = at.body.AddKept(Opcode::kSelect, part, {everywhere, source, chosen}, {});
  }
  return chosen;
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::PieceColumns& pieces) {
  std::vector<Id> columns;
  for (const recipe::PieceColumns::Column& column : pieces.columns) {
    columns.push_back(ColumnOf(at, pieces, column));
  }
  const Id joined = Joined(at.body, columns, pieces.dim);
  if (at.body.shape(joined).dims() == at.node.shape->dims()) return joined;
  const hlo::ShapeId part = ShapeOf(at.node);
  return at.body.AddKept(Opcode::kDynamicSlice, part,
                         StartingAlong(at.body, {joined}, pieces.dim, pieces.start),
                         {{AttributeName::kDynamicSliceSizes, SizesOf(part), 0}});
}

}  // namespace tessera::sharding::partition
