// Reading and writing `sharding={...}`, all three generations.
//
//   ParseHloSharding("{devices=[8]<=[2,1,4]T(2,0,1)}")->ToString();   // {devices=[8]<=[2,4]T(1,0)}
//   ParseHloSharding("{{replicated}, {maximal device=1}}")->elements().size();   // 2
//
// Comments (`/*index=5*/`) and line ends count as blanks. Errors are InvalidArgument with an offset
// in the given text (text::ErrorOffset).

#ifndef TESSERA_SHARDING_HLO_SHARDING_TEXT_H_
#define TESSERA_SHARDING_HLO_SHARDING_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding {

// The whole text must be one sharding.
absl::StatusOr<HloSharding> ParseHloSharding(absl::string_view text);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_HLO_SHARDING_TEXT_H_
