// Reads tile rules of one's own from a textproto; the format is in tile_rules.proto.
//
//   StatusOr<TileRules> rules = TileRulesFromTextproto(R"pb(rule { tiles: "T(32,32)" })pb");

#ifndef TESSERA_LAYOUT_TILE_RULES_TEXTPROTO_H_
#define TESSERA_LAYOUT_TILE_RULES_TEXTPROTO_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/tile_rules.h"

namespace tessera::layout {

// Errors: a text that is no such textproto (with the offset of the mistake, text::ErrorOffset), a
// choice that is no T or E property.
absl::StatusOr<TileRules> TileRulesFromTextproto(absl::string_view text);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TILE_RULES_TEXTPROTO_H_
