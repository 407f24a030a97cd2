// Values of constants in binary HLO.
//
//   LiteralTextFromProto(proto);         // "{ { 1, 2 }, { 3, 4 } }": what constant(..) takes
//   LiteralToProto(literal, &proto);
//
// The proto holds elements in the order of memory, a Literal in row-major order.

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_LITERAL_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_LITERAL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/hlo_data.pb.h"
#include "tessera/hlo/literal.h"

namespace tessera::hlo {

// InvalidArgument when the proto has not as many values as its shape has elements.
absl::StatusOr<std::string> LiteralTextFromProto(const pb::LiteralProto& proto);
// With shapes: what the attribute `literal` takes.
absl::StatusOr<std::string> TypedLiteralTextFromProto(const pb::LiteralProto& proto);

// Unimplemented for an elided array: its values are unknown.
absl::Status LiteralToProto(const Literal& literal, pb::LiteralProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_LITERAL_H_
