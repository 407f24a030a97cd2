#include "tessera/hlo/proto/proto_attributes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/proto/proto_fields.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/hlo/proto/values/proto_values.h"
#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

constexpr OpcodeAttribute kCommon[] = {{A::kSharding, false},     {A::kFrontendAttributes, false},
                                       {A::kStatistics, false},   {A::kOrigin, false},
                                       {A::kMetadata, false},     {A::kParameterReplication, false},
                                       {A::kBackendConfig, false}};

std::optional<std::string> TextOf(const pb::HloInstructionProto& proto, Opcode opcode,
                                  const Payloads& payloads, const OpcodeAttribute& attribute) {
  if (const FieldRow* row = FindFieldRow(attribute.name, opcode)) {
    return FieldText(proto, *row, opcode, attribute.required);
  }
  const ValueRow* row = FindValueRow(attribute.name);
  return row == nullptr ? std::nullopt : row->text(proto, payloads);
}

absl::Status Store(const Module& module, InstructionId id, AttributeName name,
                   pb::HloInstructionProto* proto) {
  const auto value = module.FindAttribute(id, name);
  if (!value.has_value()) return absl::OkStatus();
  const Opcode opcode = module.instruction(id).opcode;
  if (const FieldRow* row = FindFieldRow(name, opcode)) {
    StoreField(module, id, *row, proto);
    return absl::OkStatus();
  }
  const ValueRow* row = FindValueRow(name);
  return row == nullptr ? absl::OkStatus() : row->store(module, id, *value, proto);
}

// Fields that readers of the proto expect although the text left them out.
void StoreDefaults(const Module& module, InstructionId id, pb::HloInstructionProto* proto) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kTopk) proto->set_largest(true);
  if (opcode == Opcode::kScan) proto->set_is_associative(2);
  if (opcode == Opcode::kOutfeed && !module.HasAttribute(id, A::kOutfeedShape)) {
    ShapeToProto(module.shape(module.operands(id)[0]), proto->mutable_outfeed_shape());
  }
  if (opcode == Opcode::kCustomCall) {
    proto->set_custom_call_api_version(1);
    return;
  }
  for (const OpcodeAttribute& attribute : OpcodeAttributes(opcode)) {
    if (attribute.name == A::kWindow) proto->mutable_window();
    const FieldRow* row = FindFieldRow(attribute.name, opcode);
    if (row != nullptr) TouchField(*row, proto);
  }
}

}  // namespace

const ValueRow* FindValueRow(AttributeName name) {
  for (const auto rows :
       {DimensionValueRows(), GroupValueRows(), TypedValueRows(), InfoValueRows()}) {
    for (const ValueRow& row : rows) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

std::vector<TextAttribute> AttributesFromProto(const pb::HloInstructionProto& proto, Opcode opcode,
                                               const Payloads& payloads) {
  std::vector<TextAttribute> out;
  for (const auto attributes : {OpcodeAttributes(opcode), absl::MakeConstSpan(kCommon)}) {
    for (const OpcodeAttribute& attribute : attributes) {
      auto value = TextOf(proto, opcode, payloads, attribute);
      if (value.has_value()) out.push_back({attribute.name, *std::move(value)});
    }
  }
  return out;
}

absl::Status AttributesToProto(const Module& module, InstructionId id,
                               pb::HloInstructionProto* proto) {
  StoreDefaults(module, id, proto);
  const Opcode opcode = module.instruction(id).opcode;
  for (const auto attributes : {OpcodeAttributes(opcode), absl::MakeConstSpan(kCommon)}) {
    for (const OpcodeAttribute& attribute : attributes) {
      const absl::Status stored = Store(module, id, attribute.name, proto);
      if (stored.ok()) continue;
      return absl::Status(stored.code(),
                          absl::StrCat("%", module.instruction(id).name, ", ",
                                       AttributeText(attribute.name), ": ", stored.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
