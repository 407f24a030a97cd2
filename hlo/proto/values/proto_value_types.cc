#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/proto/values/proto_literal.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/hlo/proto/values/proto_sharding.h"
#include "tessera/hlo/proto/values/proto_values.h"
#include "tessera/hlo/values/values.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
using Proto = pb::HloInstructionProto;
using Text = std::optional<std::string>;

Text OutfeedShapeText(const Proto& proto, const Payloads&) {
  if (!proto.has_outfeed_shape()) return std::nullopt;
  return layout::ShapeToString(ShapeFromProto(proto.outfeed_shape()));
}

absl::Status StoreOutfeedShape(const Module& module, InstructionId id, absl::string_view,
                               Proto* proto) {
  const auto shapes = GetShapes(module, id, A::kOutfeedShape);
  if (shapes.has_value() && !shapes->empty()) {
    ShapeToProto(shapes->front(), proto->mutable_outfeed_shape());
  }
  return absl::OkStatus();
}

// Of a custom-call `constrain_layout` says that there are constraints at all.
Text ConstraintsText(const Proto& proto, const Payloads&) {
  if (!proto.constrain_layout()) return std::nullopt;
  return absl::StrCat("{",
                      absl::StrJoin(proto.operand_shapes_with_layout(), ", ",
                                    [](std::string* out, const pb::ShapeProto& shape) {
                                      layout::AppendShape(ShapeFromProto(shape), {}, out);
                                    }),
                      "}");
}

absl::Status StoreConstraints(const Module& module, InstructionId id, absl::string_view,
                              Proto* proto) {
  const auto shapes = GetShapes(module, id, A::kOperandLayoutConstraints);
  if (!shapes.has_value()) return absl::OkStatus();
  proto->set_constrain_layout(true);
  for (const layout::Shape& shape : *shapes) {
    ShapeToProto(shape, proto->add_operand_shapes_with_layout());
  }
  return absl::OkStatus();
}

Text LiteralText(const Proto& proto, const Payloads&) {
  if (!proto.has_literal()) return std::nullopt;
  const auto value = TypedLiteralTextFromProto(proto.literal());
  return value.ok() ? *value : "invalid";
}

absl::Status StoreLiteral(const Module&, InstructionId, absl::string_view value, Proto* proto) {
  TESSERA_ASSIGN_OR_RETURN(const Literal literal, ParseTypedLiteral(value));
  return LiteralToProto(literal, proto->mutable_literal());
}

Text ShardingText(const Proto& proto, const Payloads&) {
  if (!proto.has_sharding()) return std::nullopt;
  return ShardingTextFromProto(proto.sharding());
}

absl::Status StoreSharding(const Module& module, InstructionId id, absl::string_view value,
                           Proto* proto) {
  return ShardingToProto(value, module.shape(id), proto->mutable_sharding());
}

// The field called entry is the side of the operand, which the text calls exit, and the other way
// round.
Text DomainText(const Proto& proto, const Payloads&) {
  return absl::StrCat(
      "{kind=\"sharding\", entry=", ShardingTextFromProto(proto.domain_exit_sharding()),
      ", exit=", ShardingTextFromProto(proto.domain_entry_sharding()), "}");
}

absl::Status StoreDomain(const Module& module, InstructionId id, absl::string_view value,
                         Proto* proto) {
  Reader in(value, 0, value.size());
  Domain domain;
  if (!ReadDomain(in, &domain)) return absl::OkStatus();
  const layout::Shape& shape = module.shape(id);
  TESSERA_RETURN_IF_ERROR(
      ShardingToProto(domain.entry, shape, proto->mutable_domain_exit_sharding()));
  return ShardingToProto(domain.exit, shape, proto->mutable_domain_entry_sharding());
}

constexpr ValueRow kTypeRows[] = {
    {A::kOutfeedShape, OutfeedShapeText, StoreOutfeedShape},
    {A::kOperandLayoutConstraints, ConstraintsText, StoreConstraints},
    {A::kLiteral, LiteralText, StoreLiteral},
    {A::kSharding, ShardingText, StoreSharding},
    {A::kDomain, DomainText, StoreDomain},
};

}  // namespace

absl::Span<const ValueRow> TypedValueRows() { return kTypeRows; }

}  // namespace tessera::hlo
