// Attributes whose value is a number, a truth value, a word, a string or a list of those: in which
// field of an instruction they are, and how they get there and back.
//
//   const FieldRow* row = FindFieldRow(AttributeName::kOffsetDims, Opcode::kGather);
//   row->path;                                   // "gather_dimension_numbers.offset_dims"
//   FieldText(proto, *row, opcode, true);        // "{0,2}"
//   StoreField(module, id, *row, &proto);

#ifndef TESSERA_HLO_PROTO_PROTO_FIELDS_H_
#define TESSERA_HLO_PROTO_PROTO_FIELDS_H_

#include <optional>
#include <string>

#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

struct FieldRow {
  AttributeName name;
  absl::string_view path;  // of the field, from the instruction down
  int64_t plain = 0;       // number that says the same as leaving the attribute out
  std::optional<Opcode> opcode = std::nullopt;  // only of this one
};

// Null for attributes whose value is a structure, and for those that are nowhere in the proto.
const FieldRow* FindFieldRow(AttributeName name, Opcode opcode);

// The value as text; nullopt when it is not set, unless it is required.
std::optional<std::string> FieldText(const pb::HloInstructionProto& proto, const FieldRow& row,
                                     Opcode opcode, bool required);

// Makes the structures exist in which the field lies, also when the attribute is not written.
void TouchField(const FieldRow& row, pb::HloInstructionProto* proto);
void StoreField(const Module& module, InstructionId id, const FieldRow& row,
                pb::HloInstructionProto* proto);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_FIELDS_H_
