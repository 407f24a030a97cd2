// Which of the protos a file of binary HLO is, and its text. Tested by proto_test.cc.

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/stubs/logging.h"
#include "tessera/hlo/hlo.pb.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/proto/proto_enum_names.h"
#include "tessera/hlo/proto/proto_module_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

bool IsModule(const pb::HloModuleProto& module) {
  return module.computations_size() > 0 && module.has_host_program_shape();
}

// Text of a HloModuleProto, as `print --format=textproto` writes it, begins with its name.
constexpr absl::string_view kModuleText = "name: \"", kHloText = "hlo_module {";

bool IsTextProto(absl::string_view text) {
  return absl::StartsWith(text, kModuleText) ||
         (absl::ConsumePrefix(&text, kHloText) &&
          absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), kModuleText));
}

absl::StatusOr<std::string> TextProtoToText(absl::string_view text) {
  const std::string numbers = WithEnumNumbers(text);
  pb::HloProto proto;
  text::ProtoPlaces places;
  if (absl::StartsWith(text, kModuleText)) {
    TESSERA_RETURN_IF_ERROR(text::ParseTextProto(numbers, proto.mutable_hlo_module(), &places));
  } else {
    TESSERA_RETURN_IF_ERROR(text::ParseTextProto(numbers, &proto, &places));
    places = places.Nested(pb::HloProto::descriptor()->FindFieldByName("hlo_module"), 0);
  }
  const pb::HloModuleProto& module = proto.hlo_module();
  if (IsModule(module)) return ModuleText(module, &places);
  return text::ErrorAt(
      absl::StripTrailingAsciiWhitespace(text).size(),
      absl::StrCat("the text of an HloModuleProto ends here, without ",
                   module.computations().empty() ? "computations" : "host_program_shape"));
}

}  // namespace

absl::StatusOr<std::string> ProtoToText(absl::string_view bytes) {
  if (IsTextProto(bytes)) return TextProtoToText(bytes);
  const int size = static_cast<int>(bytes.size());
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError("binary HLO of more than 2 GiB");
  }
  const google::protobuf::LogSilencer no_log;  // the error that is returned says enough
  pb::HloProto proto;
  if (proto.ParseFromArray(bytes.data(), size) && IsModule(proto.hlo_module())) {
    return ModuleText(proto.hlo_module());
  }
  pb::HloModuleProto module;
  if (module.ParseFromArray(bytes.data(), size) && IsModule(module)) {
    return ModuleText(module);
  }
  pb::HloSnapshot snapshot;
  if (snapshot.ParseFromArray(bytes.data(), size) && IsModule(snapshot.hlo().hlo_module())) {
    return ModuleText(snapshot.hlo().hlo_module());
  }
  return absl::InvalidArgumentError(
      "binary, but neither an HloProto nor an HloModuleProto nor an HloSnapshot");
}

bool LooksLikeProto(absl::string_view bytes) {
  constexpr size_t kLooked = 4096;
  if (IsTextProto(bytes)) return true;
  if (bytes.empty() || bytes[0] != '\n') return false;  // field 1, of bytes
  const absl::string_view start = bytes.substr(0, kLooked);
  return std::any_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r');
  });
}

}  // namespace tessera::hlo
