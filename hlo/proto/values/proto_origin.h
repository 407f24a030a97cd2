// `origin={..}` in binary HLO: the text is a tree, the proto a list of its leaves with their
// places. The rows of these are in proto_value_info.cc.

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_ORIGIN_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_ORIGIN_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/proto/values/proto_metadata.h"

namespace tessera::hlo {

// The tree has the form of the instruction's shape; leaves that the list lacks are empty.
std::optional<std::string> OriginText(const pb::HloInstructionProto& proto,
                                      const Payloads& payloads);
absl::Status StoreOrigin(const Module& module, InstructionId id, absl::string_view value,
                         pb::HloInstructionProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_ORIGIN_H_
