// Attributes whose value is a structure (windows, replica groups, metadata, ..): one row each.
//
//   const ValueRow* row = FindValueRow(AttributeName::kWindow);
//   row->text(proto, payloads);           // "{size=3x3 pad=1_1x1_1}"
//   row->store(module, id, text, &proto);

#ifndef TESSERA_HLO_PROTO_VALUES_PROTO_VALUES_H_
#define TESSERA_HLO_PROTO_VALUES_PROTO_VALUES_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/proto/values/proto_metadata.h"

namespace tessera::hlo {

struct ValueRow {
  AttributeName name;
  // The value as text; nullopt when the proto does not set it.
  std::optional<std::string> (*text)(const pb::HloInstructionProto& proto,
                                     const Payloads& payloads);
  // `value` is the text of the attribute. Leaves the proto alone when the value does not read.
  absl::Status (*store)(const Module& module, InstructionId id, absl::string_view value,
                        pb::HloInstructionProto* proto);
};

// Null for what proto_fields.h has.
const ValueRow* FindValueRow(AttributeName name);

// The parts of the table.
absl::Span<const ValueRow> DimensionValueRows();  // proto_value_dims.cc
absl::Span<const ValueRow> GroupValueRows();      // proto_value_groups.cc
absl::Span<const ValueRow> TypedValueRows();  // proto_value_types.cc: shapes, literals, shardings
absl::Span<const ValueRow> InfoValueRows();   // proto_value_info.cc: what describes

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_VALUES_PROTO_VALUES_H_
