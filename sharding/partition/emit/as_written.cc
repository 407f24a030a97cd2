// Nodes that stand for the visited instruction itself: its name, attributes and constants are kept.
// XLA: HloInstruction::CloneWithNewOperands in the handlers of SpmdPartitioningVisitor.

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {
namespace {

using hlo::AttributeName;

// Attributes that the emitter writes itself: shardings, metadata, called computations.
constexpr AttributeName kLeftOut[] = {
    AttributeName::kBody,
    AttributeName::kBranchComputations,
    AttributeName::kCalledComputations,
    AttributeName::kCalls,
    AttributeName::kCondition,
    AttributeName::kFalseComputation,
    AttributeName::kMetadata,
    AttributeName::kScatter,
    AttributeName::kSelect,
    AttributeName::kSharding,
    AttributeName::kToApply,
    AttributeName::kTrueComputation,
};

constexpr std::array<bool, hlo::kNumAttributeNames> ByName() {
  std::array<bool, hlo::kNumAttributeNames> out = {};
  for (const AttributeName name : kLeftOut) out[static_cast<size_t>(name)] = true;
  return out;
}
constexpr std::array<bool, hlo::kNumAttributeNames> kIsLeftOut = ByName();

// Of these, XLA's later passes read the sharding.
bool KeepsSharding(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kInfeed:
    case hlo::Opcode::kOutfeed:
    case hlo::Opcode::kRecv:
    case hlo::Opcode::kRecvDone:
    case hlo::Opcode::kSend:
    case hlo::Opcode::kSendDone:
      return true;
    default:
      return false;
  }
}

bool IsLeftOut(AttributeName name, hlo::Opcode opcode) {
  if (name == AttributeName::kSharding && KeepsSharding(opcode)) return false;
  return kIsLeftOut[static_cast<size_t>(name)];
}

// `shape` with the layouts of `like`, array by array.
layout::Shape LaidOutLike(const layout::Shape& shape, const layout::Shape& like) {
  if (shape.is_tuple()) {
    std::vector<layout::Shape> elements;
    for (int64_t i = 0; i < Size(shape.tuple_elements()); ++i) {
      elements.push_back(LaidOutLike(At(shape.tuple_elements(), i), At(like.tuple_elements(), i)));
    }
    return layout::Shape::Tuple(std::move(elements));
  }
  layout::Shape out = shape;
  if (like.has_layout()) {
    out.set_layout(like.layout());
  } else {
    out.clear_layout();
  }
  return out;
}

// The text of the first element; comments such as `/*i0=0*/` may stand before it.
absl::string_view FirstElement(absl::string_view literal) {
  constexpr absl::string_view kEndOfComment = "*/";
  for (;;) {
    const size_t begin = literal.find_first_not_of("{ \n\r\t");
    if (begin == absl::string_view::npos) return literal;
    literal.remove_prefix(begin);
    if (!absl::StartsWith(literal, "/*")) break;
    literal.remove_prefix(literal.find(kEndOfComment) + kEndOfComment.size());
  }
  const size_t end =
      literal.front() == '(' ? literal.find(')') + 1 : literal.find_first_of(", }\n\r\t");
  return literal.substr(0, end);
}

}  // namespace

absl::string_view Expander::NameOf(const Node& node) {
  const absl::string_view name = input_.instruction(node.cause).name;
  if (is_named_[node.cause]) return output_->NewName(name);
  is_named_[node.cause] = true;
  return module_.Held(name);
}

absl::Span<const hlo::Attribute> Expander::WrittenAttributes(const Site& at,
                                                             const recipe::AsWritten& written) {
  std::vector<hlo::Attribute>& out = written_;
  out.clear();
  for (const hlo::Attribute& attribute : input_.attributes(at.node.cause)) {
    const auto is_it = [&](const auto& other) { return other.first == attribute.name(); };
    if (IsLeftOut(attribute.name(), at.node.opcode) ||
        std::any_of(written.instead.begin(), written.instead.end(), is_it)) {
      continue;
    }
    if (attribute.name() == AttributeName::kOperandLayoutConstraints) {
      out.emplace_back(attribute.name(), module_.Keep(ConstraintsOf(at)), 0);
    } else {
      out.emplace_back(attribute.name(), module_.Held(attribute.value()), 0);
    }
  }
  for (const auto& [name, value] : written.instead) {
    if (!value.empty()) out.emplace_back(name, module_.Keep(value), 0);
  }
  return out;
}

// The layouts that a custom call wants of its operands, with the sizes of shards.
std::string Expander::ConstraintsOf(const Site& at) const {
  const auto wanted =
      hlo::GetShapes(input_, at.node.cause, AttributeName::kOperandLayoutConstraints);
  std::vector<std::string> texts;
  for (int64_t i = 0; wanted.has_value() && i < Size(*wanted); ++i) {
    texts.push_back(layout::ShapeToString(
        LaidOutLike(module_.shape(At(at.operands, i)), At(*wanted, i)), layout::PrintOptions()));
  }
  return absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
}

// Custom calls have operand layouts.
hlo::ShapeId Expander::WrittenShape(const Node& node) {
  if (node.opcode != Opcode::kCustomCall) return ShapeOf(node);
  return module_.InternShape(LaidOutLike(*node.shape, input_.shape(node.cause)));
}

Expander::Id Expander::Written(const Site& at, Ids operands, const recipe::AsWritten& written) {
  const Id id = at.body.AddNamed(NameOf(at.node), at.node.opcode, WrittenShape(at.node), operands,
                                 WrittenAttributes(at, written));
  if (at.node.opcode == Opcode::kScan) {
    module_.SetCalled(id, {StepOf(at)});
  } else if (!input_.called(at.node.cause).empty()) {
    module_.SetCalled(id, output_->kept->Of(input_.called(at.node.cause)));
  }
  return id;
}

Expander::Id Expander::ExpandCall(NodeId node, Ids operands,
                                  absl::Span<const hlo::ComputationId> called, BodyWriter* body) {
  const Site at = {node, graph_.node(node), operands, *body};
  const Id id = body->AddNamed(NameOf(at.node), at.node.opcode, ShapeOf(at.node), operands,
                               WrittenAttributes(at, {}));
  module_.SetCalled(id, called);
  return id;
}

// A sharded constant has equal elements.
Expander::Id Expander::WrittenConstant(const Site& at) {
  const hlo::InstructionId cause = at.node.cause;
  const absl::string_view literal = input_.LiteralText(cause);
  const layout::Shape& shape = *at.node.shape;
  const bool is_whole = !shape.is_array() || shape.dims() == input_.shape(cause).dims();
  if (is_whole) {
    const Id id = Written(at, {}, {});
    module_.SetLiteralText(id, literal);
    return id;
  }
  return at.body.Spread(shape, at.body.Scalar(shape.element_type(), FirstElement(literal)));
}

}  // namespace tessera::sharding::partition
