// A Fourier transform whose transformed dimension is sharded (ops/fft.cc).
//
// Device k of n gets the elements k, k + n, k + 2n, .. of a line. A dot with a matrix of zeros and
// ones sorts them, and an all-to-all sends them. The device transforms its elements and multiplies
// element j by exp(-2 pi i k j / size). A loop of n trips adds the results of all devices; the
// result of device m is multiplied by exp(-2 pi i k m / n).
//
//   c64[2,2,8] of 32, four devices    // factors of 2 pi / 32, then of 2 pi / 4
//
// k is the device id, as in XLA: for another order of tiles the sum is not the transform. XLA:
// fft_handler, ShuffleWithinEachPartitionUsingOneHot, ShuffleDataWithAllToAll, GetCorrectionFactor,
// GetFinalFftUsingCollectivePermute. Tested by testing/partition/device_run_test.cc.

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

// The state of the loop.
enum : int64_t { kSum, kPart, kOwn, kFrom, kTrip };

// -2 pi i / parts, in the digits that tell numbers of the type apart.
std::string Angle(ElementType type, int64_t parts) {
  const double angle = -2 * std::acos(-1.0) / static_cast<double>(parts);
  return type == ElementType::kC64 ? absl::StrFormat("(0, %.9g)", static_cast<float>(angle))
                                   : absl::StrFormat("(0, %.17g)", angle);
}

BodyWriter::Id Multiply(BodyWriter& body, BodyWriter::Id a, BodyWriter::Id b) {
  const Shape shape = body.shape(a);
  return body.Add(Opcode::kMultiply, shape, {a, b});
}

BodyWriter::Id Exponential(BodyWriter& body, BodyWriter::Id a) {
  const Shape shape = body.shape(a);
  return body.Add(Opcode::kExponential, shape, {a});
}

}  // namespace

// The matrix has a one where row i of column j is the element that comes j-th.
absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Dealt& dealt) {
  BodyWriter& body = at.body;
  const int64_t last = at.node.shape->rank() - 1, size = at.node.shape->dim(last);
  const auto iota = [&body](absl::Span<const int64_t> dims) {
    return body.Add(Opcode::kIota, MakeShape(ElementType::kS32, dims), {},
                    {{AttributeName::kIotaDimension, "0"}});
  };
  const auto numbers = [](absl::Span<const int64_t> dims) {
    return MakeShape(ElementType::kS32, dims);
  };
  const Id lines =
      body.Add(Opcode::kReshape, numbers({size / dealt.parts, dealt.parts}), {iota({size})});
  const Id turned = body.Add(Opcode::kTranspose, numbers({dealt.parts, size / dealt.parts}),
                             {lines}, {{AttributeName::kDimensions, "{1,0}"}});
  const Id order = body.Add(Opcode::kReshape, numbers({size}), {turned});
  const Id columns = body.Add(Opcode::kBroadcast, numbers({size, size}), {order},
                              {{AttributeName::kDimensions, "{1}"}});
  const Id is_it = Compare(at, columns, "EQ", iota({size, size}));
  const Id matrix =
      body.Add(Opcode::kConvert, MakeShape(at.node.shape->element_type(), {size, size}), {is_it});
  return body.Add(Opcode::kDot, ShapeOf(at.node), {at.operands[0], matrix},
                  {{AttributeName::kLhsContractingDims, absl::StrCat("{", last, "}")},
                   {AttributeName::kRhsContractingDims, "{0}"}});
}

hlo::ComputationId Expander::AroundCondition(const Site& at, const Shape& state, int64_t devices) {
  BodyWriter body = NewBody(at, "fft_collective_permute_condition");
  const Id trip = body.Element(Parameter(&body, "param", state), kTrip);
  const Id end = body.Scalar(ElementType::kU32, absl::StrCat(devices));
  module_.SetRoot(body.computation(), body.Add(Opcode::kCompare, MakeShape(ElementType::kPred, {}),
                                               {trip, end}, {{AttributeName::kDirection, "LT"}}));
  return body.computation();
}

hlo::ComputationId Expander::AroundBody(const Site& at, const Shape& state, int64_t devices) {
  BodyWriter body = NewBody(at, "fft_collective_permute_body");
  const Id parameter = Parameter(&body, "param", state);
  std::vector<Id> now;
  for (int64_t i = 0; i <= kTrip; ++i) now.push_back(body.Element(parameter, i));
  const Shape part = body.shape(now[kPart]);
  const ElementType type = part.element_type();
  const Id angle = Multiply(
      body, Multiply(body, body.Scalar(type, Angle(type, devices)), now[kOwn]), now[kFrom]);
  const Id turned = Multiply(body, body.Spread(part, Exponential(body, angle)), now[kPart]);
  const Id sum = body.Add(Opcode::kAdd, part, {turned, now[kSum]});
  const auto sent = [&](int64_t permute, Id value) {
    const NodeId id = graph_.operands(at.id)[static_cast<size_t>(permute)];
    const Site inside = {id, graph_.node(id), Ids(&value, 1), body};
    return MadeCollective(inside, At(graph_.forms(), inside.node.form));
  };
  const Id next_part = sent(1, now[kPart]), next_from = sent(2, now[kFrom]);
  const Id trip = body.Add(Opcode::kAdd, MakeShape(ElementType::kU32, {}),
                           {now[kTrip], body.Scalar(ElementType::kU32, "1")});
  module_.SetRoot(body.computation(),
                  body.Add(Opcode::kTuple, state, {sum, next_part, now[kOwn], next_from, trip}));
  return body.computation();
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::SumAround& /*sum*/) {
  BodyWriter& body = at.body;
  const Shape part = at.node.shape->WithoutLayout();
  const ElementType type = part.element_type();
  const int64_t last = part.rank() - 1;
  const int64_t devices = input_.header().num_partitions;
  const Id angle = body.Spread(part, body.Scalar(type, Angle(type, devices * part.dim(last))));
  const Id own = body.Add(Opcode::kConvert, MakeShape(type, {}), {body.PartitionId()});
  const Id places =
      body.Add(Opcode::kIota, part, {}, {{AttributeName::kIotaDimension, absl::StrCat(last)}});
  const Id by = Multiply(body, Multiply(body, angle, body.Spread(part, own)), places);
  const Id turned = Multiply(body, at.operands[0], Exponential(body, by));
  const std::vector<Id> begin = {body.Zeros(part), turned, own, own,
                                 body.Scalar(ElementType::kU32, "0")};
  std::vector<Shape> shapes;
  for (Id id : begin) shapes.push_back(body.shape(id));
  const Shape state = Shape::Tuple(shapes);
  const hlo::ComputationId condition = AroundCondition(at, state, devices);
  const hlo::ComputationId trip = AroundBody(at, state, devices);
  const Id loop = body.Add(Opcode::kWhile, state, {body.Add(Opcode::kTuple, state, begin)});
  module_.SetCalled(loop, {trip, condition});
  return body.Element(loop, kSum);
}

}  // namespace tessera::sharding::partition
