// Attributes of instructions between text and binary HLO.
//
//   AttributesFromProto(proto, Opcode::kTranspose, payloads);   // {{kDimensions, "{1,0}"}}
//   AttributesToProto(module, id, &proto);
//
// Both directions go by one table, which names the field of each attribute (proto_fields.h). Values
// that are structures have another table (proto_values.h). Called computations, control
// predecessors and the numbers of stack frames are not attributes here: they refer to parts of the
// module.

#ifndef TESSERA_HLO_PROTO_PROTO_ATTRIBUTES_H_
#define TESSERA_HLO_PROTO_PROTO_ATTRIBUTES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/proto/values/proto_metadata.h"

namespace tessera::hlo {

struct TextAttribute {
  AttributeName name;
  std::string value;  // as it stands in a text
};

// Attributes of the opcode first, then those of every instruction. Fields that are not set in the
// proto are left out.
std::vector<TextAttribute> AttributesFromProto(const pb::HloInstructionProto& proto, Opcode opcode,
                                               const Payloads& payloads);

// Unimplemented or InvalidArgument for a value that has no place in the proto.
absl::Status AttributesToProto(const Module& module, InstructionId id,
                               pb::HloInstructionProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_ATTRIBUTES_H_
