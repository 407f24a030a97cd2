// Shardings of binary HLO, by way of their text.
//
//   ShardingTextFromProto(proto);                               // {devices=[2,2]<=[4]}
//   ShardingToProto("{devices=[2,2]<=[4]}", shape, &proto);
//
// A sharding on a tuple is written for every leaf of the tuple, as XLA does.

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_SHARDING_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_SHARDING_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/hlo_data.pb.h"
#include "tessera/layout/shape.h"

namespace tessera::hlo {

// A proto that is no sharding gives a text that does not read.
std::string ShardingTextFromProto(const pb::ShardingProto& proto);

// InvalidArgument if the text is no sharding.
absl::Status ShardingToProto(absl::string_view text, const layout::Shape& shape,
                             pb::ShardingProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_SHARDING_H_
