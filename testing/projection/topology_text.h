// A machine from the text form of topology.proto.
//
//   const Topology t = TopologyFromText("name: \"lab\" axis { name: \"X\" size: 4 }");
#ifndef TESSERA_TESTING_PROJECTION_TOPOLOGY_TEXT_H_
#define TESSERA_TESTING_PROJECTION_TOPOLOGY_TEXT_H_

#include "absl/strings/string_view.h"
#include "tessera/projection/cost/topology.pb.h"

namespace tessera::projection {

// Empty where the text is none of a Topology.
Topology TopologyFromText(absl::string_view text);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_TOPOLOGY_TEXT_H_
