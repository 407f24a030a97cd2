// The first lines of a module, between text and binary HLO: name, aliases, donors, entry layout,
// frontend attributes, stack frames.
//
//   HeaderTextFromProto(proto, "");         // "HloModule m, entry_computation_layout={..}"
//   HeaderToProto(module, frames, &proto);

#ifndef TESSERA_HLO_PROTO_PROTO_HEADER_H_
#define TESSERA_HLO_PROTO_PROTO_HEADER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/stack_frames.h"

namespace tessera::hlo {

// `more` are further attributes, `, name=value` each.
std::string HeaderTextFromProto(const pb::HloModuleProto& proto, absl::string_view more);
void HeaderToProto(const Module& module, const StackFrames& frames, pb::HloModuleProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_HEADER_H_
