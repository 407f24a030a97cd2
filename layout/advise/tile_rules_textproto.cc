#include "tessera/layout/tile_rules_textproto.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/tile_rules.pb.h"
#include "tessera/layout/validate.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

absl::Status CheckChoice(const absl::StatusOr<Layout>& layout) {
  if (!layout.ok()) return layout.status();
  Layout tiles_and_bits({}, layout->tiles);
  tiles_and_bits.element_bits = layout->element_bits;
  if (*layout != tiles_and_bits) return absl::InvalidArgumentError("only T and E may stand here");
  return Validate(Shape::Array(ElementType::kU8, {}, *layout));
}

absl::StatusOr<TileChoice> ParseChoice(const std::string& tiles) {
  absl::StatusOr<Layout> layout = ParseLayout(absl::StrCat("{:", tiles, "}"));
  if (const absl::Status status = CheckChoice(layout); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("tiles \"", tiles, "\": ", status.message()));
  }
  return TileChoice{std::move(layout->tiles), layout->element_bits};
}

absl::StatusOr<TileRule> FromProto(const TileRuleProto& proto) {
  TileRule rule;
  rule.widths.assign(proto.width().begin(), proto.width().end());
  rule.min_rank = proto.min_rank();
  if (proto.has_max_rank()) rule.max_rank = proto.max_rank();
  for (const std::string& tiles : proto.tiles()) {
    TESSERA_ASSIGN_OR_RETURN(TileChoice choice, ParseChoice(tiles));
    rule.choices.push_back(std::move(choice));
  }
  return rule;
}

}  // namespace

absl::StatusOr<TileRules> TileRulesFromTextproto(absl::string_view text) {
  TileRulesProto proto;
  text::ProtoPlaces places;
  TESSERA_RETURN_IF_ERROR(text::ParseTextProto(text, &proto, &places));
  TileRules rules{proto.name(), {}, proto.split_above_bits()};
  for (const TileRuleProto& rule : proto.rule()) {
    TESSERA_ASSIGN_OR_RETURN(TileRule parsed, FromProto(rule));
    rules.rules.push_back(std::move(parsed));
  }
  return rules;
}

}  // namespace tessera::layout
