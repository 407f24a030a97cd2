#include "tessera/hlo/proto/values/proto_metadata.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/parse/strings.h"

namespace tessera::hlo {
namespace {

using pb::MetadataProto;

struct TextField {
  absl::string_view name;
  const std::string& (MetadataProto::*get)() const;
};
constexpr TextField kTextFields[] = {
    {"op_type", &MetadataProto::op_type},
    {"op_name", &MetadataProto::op_name},
    {"source_file", &MetadataProto::source_file},
    {"deduplicated_name", &MetadataProto::deduplicated_name},
    {"scheduling_name", &MetadataProto::scheduling_name},
};

struct NumberField {
  absl::string_view name;
  int32_t (MetadataProto::*get)() const;
};
constexpr NumberField kNumberFields[] = {
    {"source_line", &MetadataProto::source_line},
    {"source_end_line", &MetadataProto::source_end_line},
    {"source_column", &MetadataProto::source_column},
    {"source_end_column", &MetadataProto::source_end_column},
    {"stack_frame_id", &MetadataProto::stack_frame_id},
};

}  // namespace

std::string PayloadBytes(const pb::PayloadProto& proto, const Payloads& payloads) {
  if (proto.kind_case() != pb::PayloadProto::kId) return proto.value();
  const bool known = proto.id() >= 0 && proto.id() < payloads.size();
  return known ? payloads.Get(static_cast<int>(proto.id())) : "";
}

std::string MetadataTextFromProto(const MetadataProto& proto, const Payloads& payloads) {
  std::vector<std::string> fields;
  for (const TextField& field : kTextFields) {
    const std::string& value = (proto.*field.get)();
    if (!value.empty()) fields.push_back(absl::StrCat(field.name, "=\"", CEscape(value), "\""));
  }
  for (const NumberField& field : kNumberFields) {
    const int32_t value = (proto.*field.get)();
    if (value != 0) fields.push_back(absl::StrCat(field.name, "=", value));
  }
  if (proto.profile_type_size() > 0) {
    fields.push_back(absl::StrCat("profile_type={", absl::StrJoin(proto.profile_type(), ","), "}"));
  }
  if (proto.has_metadata_payload()) {
    const std::string bytes = PayloadBytes(proto.metadata_payload(), payloads);
    fields.push_back(absl::StrCat("metadata_payload=\"", CEscape(bytes), "\""));
  }
  return fields.empty() ? "" : absl::StrCat("{", absl::StrJoin(fields, " "), "}");
}

void MetadataToProto(const Metadata& metadata, MetadataProto* proto) {
  proto->set_op_type(metadata.op_type);
  proto->set_op_name(metadata.op_name);
  proto->set_source_file(metadata.source_file);
  proto->set_deduplicated_name(metadata.deduplicated_name);
  proto->set_scheduling_name(metadata.scheduling_name);
  proto->set_source_line(static_cast<int32_t>(metadata.source_line));
  proto->set_source_end_line(static_cast<int32_t>(metadata.source_end_line));
  proto->set_source_column(static_cast<int32_t>(metadata.source_column));
  proto->set_source_end_column(static_cast<int32_t>(metadata.source_end_column));
  proto->set_stack_frame_id(static_cast<int32_t>(metadata.stack_frame_id));
  for (int64_t type : metadata.profile_type) proto->add_profile_type(static_cast<int32_t>(type));
  if (metadata.payload.has_value()) {
    proto->mutable_metadata_payload()->set_value(*metadata.payload);
  }
}

}  // namespace tessera::hlo
