// Metadata of binary HLO: where an instruction or a sharding comes from.
//
//   MetadataTextFromProto(proto, {});       // {op_name="f" source_line=3}; "" if nothing is set
//   MetadataToProto(GetMetadata(module, id), &proto);

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_METADATA_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_METADATA_H_

#include <string>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/hlo_data.pb.h"

namespace tessera::hlo {

// The payloads of a module: bytes, by number.
using Payloads = google::protobuf::RepeatedPtrField<std::string>;

// The bytes of a payload, in place or by number; empty for a number that there is not.
std::string PayloadBytes(const pb::PayloadProto& proto, const Payloads& payloads);

std::string MetadataTextFromProto(const pb::MetadataProto& proto, const Payloads& payloads);
void MetadataToProto(const Metadata& metadata, pb::MetadataProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_METADATA_H_
