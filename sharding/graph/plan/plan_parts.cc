// Constants, and ops that are a part of an instruction.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/sharding/graph/plan/plan_builder.h"
#include "tessera/sharding/graph/plan/plan_layouts.h"
#include "tessera/sharding/graph/queries/constant_text.h"

namespace tessera::sharding::graph {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

std::string Braces(absl::Span<const int64_t> list) {
  return absl::StrCat("{", absl::StrJoin(list, ","), "}");
}

// Positions of the dimensions of a broadcast in ascending order of the dimension.
std::vector<int64_t> SortedOrder(absl::Span<const int64_t> dims) {
  std::vector<int64_t> order(dims.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return dims[static_cast<size_t>(a)] < dims[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

void PlanBuilder::AddConstant(Frame& frame, Op* op) {
  const layout::Shape& shape = op->result()->shape();
  PlanNode node;
  node.opcode = Opcode::kConstant;
  node.role = op->part == OpPart::kWhole ? NodeRole::kCounterpart : NodeRole::kPart;
  node.like_source = op->part == OpPart::kWhole;
  node.source = op->source;
  node.shape = &shape;
  node.sharding = Text(frame, op->result());
  const bool zero = op->part == OpPart::kPredZero;
  const bool splat = shape.is_array() && shape.NumElements().value_or(0) > 1 &&
                     (zero || hlo::IsSplat(graph_.module(), op->source));
  const absl::string_view text = ConstantText(graph_.module(), op);
  if (!splat && !node.like_source) node.own = plan_.Keep({{}, std::string(text)});
  Bind(op->result(), splat ? AddSplat(frame, node, text) : Add(frame, node));
}

// A constant of equal elements is written as a broadcast.
NodeId PlanBuilder::AddSplat(Frame& frame, PlanNode constant, absl::string_view text) {
  PlanNode scalar = constant;
  scalar.role = NodeRole::kPart;
  scalar.like_source = false;
  scalar.shape = graph_.KeepShape(layout::Shape::Array(constant.shape->element_type(), {}));
  scalar.sharding = Text(frame, kNoSharding, 0);
  scalar.own = plan_.Keep({{}, std::string(FirstElement(text))});
  constant.opcode = Opcode::kBroadcast;
  constant.like_source = false;
  constant.operands = plan_.Keep({Add(frame, scalar)});
  constant.shape = RowMajor(constant.shape);
  constant.own = plan_.Keep({{{AttributeName::kDimensions, "{}"}}, ""});
  return Add(frame, constant);
}

void PlanBuilder::AddPart(Frame& frame, Op* op) {
  PlanNode node;
  node.source = op->source;
  node.shape = &op->result()->shape();
  node.sharding = Text(frame, op->result());
  node.operands = plan_.Keep(NodesOf(frame, op));
  hlo::IntList dims;
  if (op->part == OpPart::kSortTranspose || op->part == OpPart::kSortedBroadcast) {
    dims = hlo::GetInts(graph_.module(), op->source, AttributeName::kDimensions)
               .value_or(hlo::IntList());
  }
  switch (op->part) {
    case OpPart::kSortTranspose:
      node.opcode = Opcode::kTranspose;
      node.role = NodeRole::kPart;
      node.own = plan_.Keep({{{AttributeName::kDimensions, Braces(SortedOrder(dims))}}, ""});
      break;
    case OpPart::kSplatBroadcast:
    case OpPart::kPredZeros:
    case OpPart::kSortedBroadcast:
      node.opcode = Opcode::kBroadcast;
      if (op->part == OpPart::kPredZeros) node.role = NodeRole::kPart;
      if (op->part != OpPart::kSortedBroadcast) {
        node.shape = RowMajor(node.shape);
      }
      std::sort(dims.begin(), dims.end());
      node.own = plan_.Keep({{{AttributeName::kDimensions, Braces(dims)}}, ""});
      break;
    default:
      node.opcode = Opcode::kConvert;
      node.role = NodeRole::kPart;
      break;
  }
  Bind(op->result(), Add(frame, node));
}

}  // namespace tessera::sharding::graph
