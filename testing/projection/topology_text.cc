#include "tessera/testing/projection/topology_text.h"

#include <string>

#include "google/protobuf/text_format.h"

namespace tessera::projection {

Topology TopologyFromText(absl::string_view text) {
  Topology t;
  return google::protobuf::TextFormat::ParseFromString(std::string(text), &t) ? t : Topology();
}

}  // namespace tessera::projection
