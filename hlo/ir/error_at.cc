#include "tessera/hlo/error_at.h"

#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

absl::Status WithCode(absl::StatusCode code, const absl::Status& status) {
  absl::Status out(code, status.message());
  status.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace

absl::Status ErrorAt(const Module& module, InstructionId id, absl::string_view message) {
  return text::ErrorAt(module.instruction(id).source.begin, message);
}

absl::Status ErrorAtName(const Module& module, InstructionId id, absl::string_view message) {
  return ErrorAt(module, id, absl::StrCat("%", module.instruction(id).name, ": ", message));
}

absl::Status PlacedAt(const Module& module, InstructionId id, const absl::Status& status) {
  if (text::ErrorOffset(status) != 0) return status;
  const bool is_read = module.instruction(id).source.begin != 0;
  const absl::Status placed =
      is_read ? ErrorAt(module, id, status.message()) : ErrorAtName(module, id, status.message());
  return absl::IsUnimplemented(status) ? WithCode(status.code(), placed) : placed;
}

}  // namespace tessera::hlo
