#include "tessera/sharding/graph/export.h"

namespace tessera::sharding::graph {

absl::Status InsertReshards(Graph&, const RuleOf&) { return absl::OkStatus(); }

}  // namespace tessera::sharding::graph
