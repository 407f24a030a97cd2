// The instructions of gathers, scatters and dynamic updates.
// XLA: gather_scatter_handler, HandleDynamicUpdateSlice.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;
using layout::ElementType;
using layout::Shape;

namespace {

// The number of the device in another type.
BodyWriter::Id NumberAs(BodyWriter& body, ElementType type, TableId table) {
  const BodyWriter::Id number = body.Number(table);
  if (type == ElementType::kS32) return number;
  return body.Add(Opcode::kConvert, MakeShape(type, {}), {number});
}

}  // namespace

Expander::Id Expander::Compare(const Site& at, Id a, absl::string_view direction, Id b) {
  return at.body.Add(Opcode::kCompare, MakeShape(ElementType::kPred, at.body.shape(a).dims()),
                     {a, b}, {{AttributeName::kDirection, direction}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Numbers& numbers) {
  const ElementType type = at.node.shape->element_type();
  if (at.node.shape->rank() == 0) return NumberAs(at.body, type, numbers.elements[0]);
  if (at.node.shape->dim(0) != Size(numbers.elements) && !graph_.options().is_for_costs) {
    return absl::UnimplementedError(
        "XLA's partitioner compares sharded index vectors with whole ones, which its verifier "
        "refuses: leave index_vector_dim whole. `tessera collectives` says what it sends");
  }
  const auto is_fixed = [&](TableId table) {
    return graph_.recipes().table(table).opcode == Opcode::kConstant;
  };
  if (absl::c_all_of(numbers.elements, is_fixed)) {
    std::vector<int64_t> fixed;
    for (TableId table : numbers.elements) fixed.push_back(graph_.recipes().table(table).least);
    const Id id = at.body.Add(Opcode::kConstant, *at.node.shape, {});
    module_.SetLiteralText(id, absl::StrCat("{", absl::StrJoin(fixed, ", "), "}"));
    return id;
  }
  std::vector<Id> elements;
  for (TableId table : numbers.elements) {
    elements.push_back(
        at.body.Add(Opcode::kReshape, MakeShape(type, {1}), {NumberAs(at.body, type, table)}));
  }
  if (elements.size() == 1) return elements[0];
  return at.body.Add(Opcode::kConcatenate, *at.node.shape, elements,
                     {{AttributeName::kDimensions, "{0}"}});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Outside& /*outside*/) {
  const Id below = Compare(at, at.operands[0], "LT", at.operands[1]);
  const Id above = Compare(at, at.operands[0], "GT", at.operands[2]);
  return at.body.Add(Opcode::kOr, at.body.shape(below), {below, above});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::WhereFound& found) {
  Id mask = at.operands[0];
  if (found.vector_dim >= 0) {
    std::vector<int64_t> dims(at.body.shape(mask).dims().begin(), at.body.shape(mask).dims().end());
    dims.erase(dims.begin() + found.vector_dim);
    mask = at.body.Add(Opcode::kReduce, MakeShape(ElementType::kPred, dims),
                       {mask, at.body.Scalar(ElementType::kPred, "false")},
                       {{AttributeName::kDimensions, absl::StrCat("{", found.vector_dim, "}")}});
    module_.SetCalled(mask, {Combiner(Opcode::kOr, ElementType::kPred, "or.pred")});
  }
  const Id spread = at.body.Add(
      Opcode::kBroadcast, MakeShape(ElementType::kPred, at.node.shape->dims()), {mask},
      {{AttributeName::kDimensions, absl::StrCat("{", absl::StrJoin(found.dims, ","), "}")}});
  return at.body.Add(Opcode::kSelect, *at.node.shape,
                     {spread, at.body.Zeros(*at.node.shape), at.operands[1]});
}

// The start is an index into the unsharded array; devices that do not hold it update nothing.
absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::UpdateOneShard& update) {
  const Shape shard = at.body.shape(at.operands[0]), part = at.body.shape(at.operands[1]);
  const Ids given = at.operands.subspan(2);
  const ElementType type =
      given.empty() ? ElementType::kS32 : at.body.shape(given[0]).element_type();
  std::vector<Id> starts(static_cast<size_t>(shard.rank()), at.body.Scalar(type, "0"));
  std::vector<Id> conditions;
  for (size_t i = 0; i < update.starts.size(); ++i) {
    const recipe::UpdateOneShard::Start& start = update.starts[i];
    const auto number = [&](int64_t n) { return at.body.Scalar(type, absl::StrCat(n)); };
    const int64_t size = part.dim(start.dim);
    const Id valid = at.body.Add(Opcode::kClamp, MakeShape(type, {}),
                                 {number(0), given[i], number(start.size - size)});
    At(starts, start.dim) = valid;
    if (start.cut == Recipes::kZeros && shard.dim(start.dim) == start.size) continue;
    const Id first = NumberAs(at.body, type, start.cut);
    const Id last = at.body.Add(Opcode::kAdd, MakeShape(type, {}),
                                {first, number(shard.dim(start.dim) - size)});
    conditions.push_back(Compare(at, valid, "GE", first));
    conditions.push_back(Compare(at, valid, "LE", last));
    At(starts, start.dim) = at.body.Add(Opcode::kSubtract, MakeShape(type, {}), {valid, first});
  }
  std::vector<Id> operands = {at.operands[0], at.operands[1]};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const Id updated = Written(at, operands, {});
  if (conditions.empty()) return updated;
  return at.body.Add(
      Opcode::kSelect, *at.node.shape,
      {at.body.Spread(*at.node.shape, AllOf(at, conditions)), updated, at.operands[0]});
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::Shifted& shifted) {
  const Id by = NumberAs(at.body, at.node.shape->element_type(), shifted.by);
  return at.body.Add(Opcode::kAdd, *at.node.shape,
                     {at.operands[0], at.body.Spread(*at.node.shape, by)});
}

// Equal ones stay in their order.
absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::LargestFirst& sort) {
  std::vector<ElementType> types;
  for (const Shape& element : at.node.shape->tuple_elements()) {
    types.push_back(element.element_type());
  }
  const Id id = at.body.Add(Opcode::kSort, at.node.shape->WithoutLayout(), at.operands,
                            {{AttributeName::kDimensions, absl::StrCat("{", sort.dim, "}")},
                             {AttributeName::kIsStable, "true"}});
  const hlo::ComputationId computation =
      module_.AddComputation(output_->NewComputationName("largest_first"));
  BodyWriter body(output_, computation);
  std::vector<Id> compared;
  for (ElementType type : types) {
    for (int i = 0; i < 2; ++i) {
      compared.push_back(body.Add(Opcode::kParameter, MakeShape(type, {}), {}));
    }
  }
  module_.SetRoot(computation,
                  body.Add(Opcode::kCompare, MakeShape(ElementType::kPred, {}),
                           {compared[0], compared[1]}, {{AttributeName::kDirection, "GT"}}));
  module_.SetCalled(id, {computation});
  return id;
}

}  // namespace tessera::sharding::partition
