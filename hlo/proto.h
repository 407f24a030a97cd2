// Binary HLO (.pb files) by way of the text.
//
//   absl::StatusOr<std::string> text = ProtoToText(bytes);     // HloProto or HloModuleProto
//   absl::StatusOr<std::string> bytes = ModuleToProto(module);                 // HloModuleProto

#ifndef TESSERA_HLO_PROTO_H_
#define TESSERA_HLO_PROTO_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

// HLO text of a serialized HloProto, HloModuleProto or HloSnapshot, or of the text form of the first two;
// InvalidArgument for anything else, with the offset of a mistake in a text form.
absl::StatusOr<std::string> ProtoToText(absl::string_view bytes);

// Guesses whether a file is binary HLO (not text, and its first field is one of the three) or its text
// form, which begins with the name of the module.
bool LooksLikeProto(absl::string_view bytes);

// A serialized HloModuleProto; Unimplemented for what has no place in the format.
absl::StatusOr<std::string> ModuleToProto(const Module& module);
// The same as protobuf's text format.
absl::StatusOr<std::string> ModuleToTextProto(const Module& module);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_H_
