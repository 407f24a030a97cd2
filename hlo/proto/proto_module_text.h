// HLO text of a module in binary HLO.
//
//   absl::StatusOr<std::string> text = ModuleText(proto);

#ifndef TESSERA_HLO_PROTO_PROTO_MODULE_TEXT_H_
#define TESSERA_HLO_PROTO_PROTO_MODULE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/text/formats/text_proto.h"

namespace tessera::hlo {

// InvalidArgument for a number that names nothing and an opcode that is none. With the places of the
// module's fields in its text form, an error in an instruction has the offset of it there.
absl::StatusOr<std::string> ModuleText(const pb::HloModuleProto& module,
                                       const text::ProtoPlaces* places = nullptr);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_MODULE_TEXT_H_
