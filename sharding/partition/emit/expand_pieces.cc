// The instructions of long halos: pieces joined and written to the region one by one, or columns of which a device has
// one source each. XLA: spmd_partitioner_util, ExchangeHaloCompact.

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

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Pieces& pieces) {
  Shape shape = at.node.shape->WithoutLayout();
  const auto with_size = [&](int64_t size) -> const Shape& {
    shape.set_dim(pieces.dim, size);
    return shape;
  };
  std::vector<Id> parts(at.operands.begin(), at.operands.end() - (pieces.has_fill ? 1 : 0));
  parts.push_back(pieces.has_fill ? at.body.Spread(with_size(pieces.padding), at.operands.back())
                                  : at.body.Zeros(with_size(pieces.padding)));
  int64_t size = 0;
  for (Id part : parts) size += at.body.shape(part).dim(pieces.dim);
  const Id joined = at.body.Add(Opcode::kConcatenate, with_size(size), parts,
                                {{AttributeName::kDimensions, absl::StrCat("{", pieces.dim, "}")}});
  const auto starts_at = [&](absl::InlinedVector<Id, 8> operands, TableId table) {
    for (int64_t i = 0; i < at.node.shape->rank(); ++i) {
      operands.push_back(at.body.Number(i == pieces.dim ? table : Recipes::kZeros));
    }
    return operands;
  };
  Id region = at.body.Zeros(with_size(at.node.shape->dim(pieces.dim) + pieces.padding));
  const hlo::ShapeId room = module_.InternShape(shape);
  for (const recipe::Pieces::Piece& piece : pieces.pieces) {
    const hlo::ShapeId part = module_.InternShape(with_size(piece.size));
    const Id taken = at.body.AddKept(Opcode::kDynamicSlice, part, starts_at({joined}, piece.from),
                                     {{AttributeName::kDynamicSliceSizes, SizesOf(part), 0}});
    region = at.body.Add(Opcode::kDynamicUpdateSlice, room, starts_at({region, taken}, piece.to));
  }
  recipe::Slice first;
  for (int64_t dim_size : at.node.shape->dims()) first.dims.push_back({0, dim_size, 1});
  return at.body.Add(Opcode::kSlice, *at.node.shape, {region},
                     {{AttributeName::kSlice, hlo::PrintSlice(first.dims)}});
}

Expander::Id Expander::SourceOf(const Site& at, const recipe::PieceColumns& pieces,
                                const recipe::PieceColumns::Column& column,
                                const recipe::PieceColumns::Source& source) {
  const Id operand = at.operands[static_cast<size_t>(source.operand)];
  const int64_t size = at.body.shape(operand).dim(pieces.dim);
  if (size == column.size) return operand;
  Shape shape = at.node.shape->WithoutLayout();
  shape.set_dim(pieces.dim, column.size);
  if (source.operand == 0) {
    recipe::Slice slice;
    for (int64_t dim_size : shape.dims()) slice.dims.push_back({0, dim_size, 1});
    slice.dims[static_cast<size_t>(pieces.dim)] = {source.from, source.from + column.size, 1};
    return at.body.Add(Opcode::kSlice, shape, {operand},
                       {{AttributeName::kSlice, hlo::PrintSlice(slice.dims)}});
  }
  std::vector<hlo::PaddingDimension> padding(static_cast<size_t>(shape.rank()));
  padding[static_cast<size_t>(pieces.dim)] = {source.low, source.high, 0};
  return at.body.Add(Opcode::kPad, shape, {operand, at.body.Scalar(shape.element_type(), "0")},
                     {{AttributeName::kPadding, hlo::PrintPadding(padding)}});
}

Expander::Id Expander::ColumnOf(const Site& at, const recipe::PieceColumns& pieces,
                                const recipe::PieceColumns::Column& column) {
  Id chosen = SourceOf(at, pieces, column, column.sources[0]);
  for (size_t k = 1; k < column.sources.size(); ++k) {
    const Id is_this = Compare(at, at.body.Number(column.choice), "EQ",
                               at.body.Scalar(ElementType::kS32, absl::StrCat(k)));
    const Shape shape = at.body.shape(chosen);
    const Id everywhere = at.body.Spread(MakeShape(ElementType::kPred, shape.dims()), is_this);
    chosen = at.body.Add(Opcode::kSelect, shape,
                         {everywhere, SourceOf(at, pieces, column, column.sources[k]), chosen});
  }
  return chosen;
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::PieceColumns& pieces) {
  std::vector<Id> columns;
  int64_t size = 0;
  for (const recipe::PieceColumns::Column& column : pieces.columns) {
    columns.push_back(ColumnOf(at, pieces, column));
    size += column.size;
  }
  Shape shape = at.node.shape->WithoutLayout();
  const int64_t region = shape.dim(pieces.dim);
  shape.set_dim(pieces.dim, size);
  const Id joined =
      columns.size() == 1
          ? columns[0]
          : at.body.Add(Opcode::kConcatenate, shape, columns,
                        {{AttributeName::kDimensions, absl::StrCat("{", pieces.dim, "}")}});
  if (size == region) return joined;
  std::vector<Id> operands = {joined};
  for (int64_t i = 0; i < shape.rank(); ++i) {
    operands.push_back(at.body.Number(i == pieces.dim ? pieces.start : Recipes::kZeros));
  }
  shape.set_dim(pieces.dim, region);
  const hlo::ShapeId part = module_.InternShape(shape);
  return at.body.AddKept(Opcode::kDynamicSlice, part, operands,
                         {{AttributeName::kDynamicSliceSizes, SizesOf(part), 0}});
}

}  // namespace tessera::sharding::partition
