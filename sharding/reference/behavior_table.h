// The table of behaviours: what each is, the release that began it, and how to have it as it was
// before.
//
//   for (const Behavior& row : BehaviorTable()) {
//     std::cout << row.name << " since " << row.since << ": " << row.what << "\n";
//   }

#ifndef TESSERA_SHARDING_REFERENCE_BEHAVIOR_TABLE_H_
#define TESSERA_SHARDING_REFERENCE_BEHAVIOR_TABLE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::reference {

struct Behavior {
  absl::string_view name;                // as the member of Behaviors
  absl::string_view since;               // the first jaxlib that behaves so, "0.12.0.1"
  absl::string_view what;                // a sentence without a full stop
  void (*revert)(Behaviors* behaviors);  // to what was there before `since`
};

// Newest first: reverting the rows from the top down to a release gives its behaviours.
absl::Span<const Behavior> BehaviorTable();

}  // namespace tessera::sharding::reference

#endif  // TESSERA_SHARDING_REFERENCE_BEHAVIOR_TABLE_H_
